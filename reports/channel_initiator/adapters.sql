/*---
id       = "channel_initiator/adapters"
title    = "Adapter tasks"
question = "How busy is each adapter, is one left unused, and do requests wait?"
needs    = ["chinit_task"]
rules    = ["CH001", "CH002"]
dd       = ["ADAP", "ADAPCSV"]
mq_since = "8.0.0"
note     = "The last row of each interval, without a task number, is the sum over its adapters."

[columns]
lpar = { screen = 1 }
qmgr = { screen = 1 }
qsg = {}
interval_start_utc = { screen = 1 }
interval_seconds = { screen = 2 }
interval_end_utc = {}
task_index = { label = "task", screen = 1, null = "Summ" }
task_requests = { label = "requests", screen = 1 }
task_busy_pct = { label = "busy %", screen = 1 }
task_busy_pct_mp1b = { label = "busy % (MP1B)" }
task_request_cpu_us = { label = "CPU us" }
task_cpu_pct = { label = "CPU %", screen = 1 }
task_cpu_pct_mp1b = { label = "CPU % (MP1B)" }
average_request_cpu_us = { label = "avg CPU us", screen = 1 }
average_request_et_us = { label = "avg elapsed us", screen = 1 }
average_request_wait_us = { label = "avg wait us", screen = 1 }
request_wait_pct = { label = "wait %", screen = 2 }
task_idle_us = { label = "idle us" }
task_unused = { label = "unused", screen = 2 }
cpu_used_s = { unit = "s", label = "CPU s", format = ".6f", screen = 1, doc = "CPU time in seconds." }
---*/
WITH
adapter AS (
  SELECT * FROM chinit_task WHERE task_type = 'adapter'
),
summary AS (
  SELECT
    lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, interval_us,
    count(*)                          AS tasks,
    sum(task_requests)::BIGINT        AS task_requests,
    sum(task_request_cpu_us)::BIGINT  AS task_request_cpu_us,
    sum(task_request_et_us)::BIGINT   AS task_request_et_us,
    sum(task_idle_us)::BIGINT         AS task_idle_us,
    bool_and(task_unused)             AS task_unused
  FROM adapter
  GROUP BY lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, interval_us, record_id
)
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, task_index, task_requests,
  task_busy_pct, task_busy_pct_mp1b, task_request_cpu_us, task_cpu_pct, task_cpu_pct_mp1b,
  average_request_cpu_us, average_request_et_us, average_request_wait_us, request_wait_pct, task_idle_us, task_unused,
  task_request_cpu_us / 1e6 AS cpu_used_s
FROM adapter
UNION ALL
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, NULL AS task_index, task_requests,
  100 * task_request_et_us / nullif(tasks * interval_us, 0)                   AS task_busy_pct,
  100 * task_request_et_us / nullif(task_request_et_us + task_idle_us, 0)     AS task_busy_pct_mp1b,
  task_request_cpu_us,
  100 * task_request_cpu_us / nullif(tasks * interval_us, 0)                  AS task_cpu_pct,
  100 * task_request_cpu_us / nullif(task_request_et_us + task_idle_us, 0)    AS task_cpu_pct_mp1b,
  task_request_cpu_us / nullif(task_requests, 0)                              AS average_request_cpu_us,
  task_request_et_us / nullif(task_requests, 0)                               AS average_request_et_us,
  CASE WHEN task_request_et_us IS NOT NULL AND task_request_cpu_us IS NOT NULL
    THEN greatest(0, task_request_et_us - task_request_cpu_us) / nullif(task_requests, 0) END AS average_request_wait_us,
  CASE WHEN task_request_et_us IS NOT NULL AND task_request_cpu_us IS NOT NULL
    THEN 100 * greatest(0, task_request_et_us - task_request_cpu_us) / nullif(task_request_et_us, 0) END AS request_wait_pct,
  task_idle_us, task_unused,
  task_request_cpu_us / 1e6 AS cpu_used_s
FROM summary
ORDER BY lpar, qmgr, interval_start_utc, task_index NULLS LAST
