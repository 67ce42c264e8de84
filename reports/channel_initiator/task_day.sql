/*---
id         = "channel_initiator/task_day"
title      = "Channel initiator tasks per day"
question   = "How much work did each adapter and dispatcher do per day?"
needs      = ["chinit_task_time"]
grain      = ["lpar", "qmgr", "date_local", "task_type", "task_index"]
wsc        = [4, 5]
drill_down = ["channel_initiator/task_balance"]
mq_since   = "8.0.0"
note       = "Grouped by task number, which stays the same after a restart of the channel initiator; the address of the task does not."

[columns]
task_index = { null = "" }
date_local = { unit = "ts_local", kind = "key", label = "day", format = "day", screen = 1, doc = "Day in local time." }
requests_per_day = { unit = "count", label = "requests", screen = 1, doc = "Requests in the day.", over_time = "ratio", across = "add", ratio = { numerator = "requests_per_day", denominator = "1" } }
cpu_per_day_us = { unit = "us", label = "CPU µs", screen = 1, over_time = "ratio", across = "add", ratio = { numerator = "cpu_per_day_us", denominator = "1" }, doc = "CPU time in the day." }
et_per_day_us = { unit = "us", label = "elapsed µs", screen = 1, over_time = "ratio", across = "add", ratio = { numerator = "et_per_day_us", denominator = "1" }, doc = "Elapsed time of requests in the day." }
idle_per_day_us = { unit = "us", label = "idle µs", screen = 3, over_time = "ratio", across = "add", ratio = { numerator = "idle_per_day_us", denominator = "1" }, doc = "Wait time in the day." }
most_channels = { unit = "count", label = "channels", screen = 2, over = "max", doc = "Highest number of channels of a dispatcher in an interval of the day." }
busiest_pct = { unit = "percent", label = "busiest %", screen = 1, over = "max", doc = "Busy share in the busiest interval." }
intervals_unused = { unit = "count", label = "unused", screen = 2, doc = "Intervals without a request.", over = "add" }
intervals = { unit = "count", label = "intervals", screen = 2, doc = "Intervals in the day.", over = "add" }
---*/
SELECT
  lpar, qmgr, task_type, task_index,
  date_trunc('day', interval_start_local)    AS date_local,
  sum(task_requests)::BIGINT                 AS requests_per_day,
  sum(task_request_cpu_us)::BIGINT           AS cpu_per_day_us,
  sum(task_request_et_us)::BIGINT            AS et_per_day_us,
  sum(task_idle_us)::BIGINT                  AS idle_per_day_us,
  max(task_channels)                         AS most_channels,
  max(task_busy_pct)                         AS busiest_pct,
  count(*) FILTER (task_requests = 0)        AS intervals_unused,
  count(*)                                   AS intervals
FROM chinit_task_time
GROUP BY lpar, qmgr, task_type, task_index, date_trunc('day', interval_start_local)
ORDER BY lpar, qmgr, date_local, task_type, task_index
