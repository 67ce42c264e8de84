/*---
id      = "task_saturation"
title   = "Tasks that get messages, and how much of their time is inside MQ"
grain   = "one row per record 116.1 of at least 10 seconds in which a task got messages"
needs   = ["task"]
keep    = false                          # one row for each record of long-running tasks
classes = ["116.1"]

[columns]
interval_seconds = { doc = "Length of the accounting interval, in seconds." }
task_start_local = { unit = "ts_local", doc = "Start of the task in local time, with the offset of its first interval in the data." }
task_interval_s = { unit = "s", doc = "Length of this accounting interval.", over = "add", label = "length s", screen = 2 }
mq_busy_pct = { ratio = { numerator = "mq_et_us", denominator = "task_interval_s * 1000000", scale = 100 } }
mq_busy_without_get_wait_pct = { ratio = { numerator = "mq_busy_without_get_wait_pct * task_interval_s", denominator = "task_interval_s" } }
waits_in_gets = { unit = "flag", doc = "More than half of the elapsed time in MQ calls is suspension in gets: the task waits and does not work." }
commit_average_et_us = { ratio = { numerator = "commit_average_et_us * commits", denominator = "commits" }, label = "commit µs", screen = 1 }
achieved_transactions_per_s = { unit = "per_s", doc = "Commits per second of the interval.", across = "add", ratio = { numerator = "commits", denominator = "task_interval_s" }, label = "tx/s", screen = 1 }
share_of_capacity_pct = { unit = "percent", doc = "Commits per second as a share of those that the task could reach.", ratio = { numerator = "share_of_capacity_pct * task_interval_s", denominator = "task_interval_s" }, label = "capacity %", screen = 1 }
---*/
SELECT
  lpar, qmgr, record_id,
  task_interval_start_utc                            AS interval_start_utc,
  task_interval_us / 1e6                             AS interval_seconds,
  application, connection_type_name, task_correlator, task_start_utc,
  task_start_utc + min(task_hour_start_local - task_hour_start_utc) OVER (PARTITION BY lpar, qmgr, task_correlator) AS task_start_local,
  task_interval_start_utc,
  task_interval_us / 1e6                             AS task_interval_s,
  commits, task_puts, task_gets, mq_et_us, mq_busy_pct, get_wait_us, mq_busy_without_get_wait_pct,
  2 * get_wait_us > mq_et_us                         AS waits_in_gets,
  commit_average_et_us, max_transactions_per_s,
  1e6 * commits / nullif(task_interval_us, 0)        AS achieved_transactions_per_s,
  pct(1e6 * commits / nullif(task_interval_us, 0), max_transactions_per_s) AS share_of_capacity_pct
FROM task
WHERE task_interval_us >= 10000000 AND task_gets > 0
