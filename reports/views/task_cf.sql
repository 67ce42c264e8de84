/*---
id      = "task_cf"
title   = "Coupling facility requests of tasks in commit and prepare"
grain   = "one row per task interval, phase (commit, prepare) and CF operation with a request"
needs   = ["decoded.wtas_cf", "decoded.wtas", "task_identity", "queue_sharing_group"]
classes = ["116.1"]

[columns]
cf_phase = { unit = "text", doc = "Where the requests were made: commit or prepare.", label = "cf phase" }
phase_calls = { unit = "count", doc = "Commits or prepares of the task interval.", over = "add" }
phase_cpu_us = { unit = "us", doc = "CPU time of these calls.", over = "add" }
cf_async_pct = { unit = "percent", doc = "Asynchronous requests as a share of the requests issued.", ratio = { numerator = "cf_async_requests", denominator = "cf_sync_requests + cf_async_requests", scale = 100 } }
average_cf_sync_us = { unit = "us", doc = "Mean time of a synchronous request.", ratio = { numerator = "cf_sync_us", denominator = "cf_sync_requests" } }
average_cf_async_us = { unit = "us", doc = "Mean time of an asynchronous request.", ratio = { numerator = "cf_async_us", denominator = "cf_async_requests" } }
---*/
SELECT
  c.lpar, c.qmgr, g.qsg, c.record_id, t.application,
  c.cf_call AS cf_phase,
  c.cf_operation_name,
  CASE WHEN c.cf_call = 'commit' THEN w.commits ELSE w.prepares END               AS phase_calls,
  CASE WHEN c.cf_call = 'commit' THEN w.commit_cpu_us ELSE w.prepare_cpu_us END   AS phase_cpu_us,
  c.cf_requests, c.cf_sync_requests, c.cf_sync_us, c.cf_async_requests, c.cf_async_us,
  pct(c.cf_async_requests, c.cf_sync_requests + c.cf_async_requests)              AS cf_async_pct,
  c.cf_sync_us / nullif(c.cf_sync_requests, 0)                                    AS average_cf_sync_us,
  c.cf_async_us / nullif(c.cf_async_requests, 0)                                  AS average_cf_async_us
FROM decoded.wtas_cf AS c
LEFT JOIN decoded.wtas AS w ON w.record_id = c.record_id
LEFT JOIN task_identity AS t ON t.record_id = c.record_id
LEFT JOIN queue_sharing_group AS g ON g.lpar = c.lpar AND g.qmgr = c.qmgr
