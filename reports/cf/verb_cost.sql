/*---
id       = "cf/verb_cost"
title    = "CF requests by verb and operation"
question = "Which verb pays which CF requests, synchronous or asynchronous, and how often are they retried?"
unseen   = true
needs    = ["queue_use_cf", "task_cf", "queue_use"]
rules    = ["CF011"]
grain    = ["lpar", "qmgr", "cf_structure", "base_name", "application", "verb_name", "cf_operation_name"]
left_out = "cf_operation_name <> 'all'"
unmarked = "A row is an operation of a verb on a queue; CF011 judges the structure."
dd       = ["TASK"]
drill_down = ["cf/shared_scan"]
note     = "Operation 'all' is the sum over the operations of the verb; do not add it to them. Commit and prepare rows belong to no queue. Verb calls are those of all uses of the queue by the application. Synchronous time is CPU time of the caller, asynchronous time only elapses. Retries are requests issued minus those completed, which is a hypothesis."

[columns]
lpar = { screen = 2 }
cf_structure = { label = "structure", screen = 1 }
application = { screen = 2 }
cf_operation_name = { label = "operation", screen = 1 }
cf_requests = { label = "requests" }
cf_sync_requests = { label = "sync", screen = 1 }
average_cf_sync_us = { label = "avg sync µs", screen = 1 }
sync_us_per_verb = { unit = "us", label = "sync µs/verb", doc = "Synchronous time per call of the verb.", ratio = { numerator = "cf_sync_us", denominator = "verb_calls" } }
cf_async_requests = { label = "async", screen = 1 }
average_cf_async_us = { label = "avg async µs", screen = 1 }
async_us_per_verb = { unit = "us", label = "async µs/verb", doc = "Asynchronous time per call of the verb.", ratio = { numerator = "cf_async_us", denominator = "verb_calls" } }
cf_async_pct = { label = "async %", screen = 2 }
requests_per_verb = { unit = "ratio", label = "requests/verb", doc = "Requests issued per call of the verb.", ratio = { numerator = "cf_sync_requests + cf_async_requests", denominator = "verb_calls" } }
cf_retry_pct = { label = "retry %", screen = 3 }
cf_cpu_share_pct = { unit = "percent", label = "CPU share %", doc = "Synchronous time as a share of the CPU time of all calls of the application on the queue.", ratio = { numerator = "cf_sync_us", denominator = "cpu_us", scale = 100 } }
---*/
WITH
used AS (
  SELECT
    lpar, qmgr, cf_structure, base_name, application,
    sum(opens)::BIGINT AS opens, sum(closes)::BIGINT AS closes, sum(gets)::BIGINT AS gets, sum(puts)::BIGINT AS puts, sum(put1s)::BIGINT AS put1s,
    sum(queue_mq_cpu_us)::BIGINT AS cpu_us
  FROM queue_use
  WHERE is_shared
  GROUP BY lpar, qmgr, cf_structure, base_name, application
),
phase AS (
  -- Each task interval counts once, however many operations it has.
  SELECT lpar, qmgr, application, cf_phase, sum(phase_calls)::BIGINT AS verb_calls, sum(phase_cpu_us)::BIGINT AS cpu_us
  FROM (SELECT DISTINCT lpar, qmgr, record_id, application, cf_phase, phase_calls, phase_cpu_us FROM task_cf)
  GROUP BY lpar, qmgr, application, cf_phase
),
requested AS (
  SELECT
    lpar, qmgr, cf_structure, base_name, application, verb_name, coalesce(cf_operation_name, 'all') AS cf_operation_name,
    sum(cf_requests)::BIGINT AS cf_requests, sum(cf_sync_requests)::BIGINT AS cf_sync_requests, sum(cf_sync_us)::BIGINT AS cf_sync_us,
    sum(cf_async_requests)::BIGINT AS cf_async_requests, sum(cf_async_us)::BIGINT AS cf_async_us
  FROM queue_use_cf
  GROUP BY GROUPING SETS (
    (lpar, qmgr, cf_structure, base_name, application, verb_name, cf_operation_name),
    (lpar, qmgr, cf_structure, base_name, application, verb_name)
  )
),
phase_requested AS (
  SELECT
    lpar, qmgr, application, cf_phase, coalesce(cf_operation_name, 'all') AS cf_operation_name,
    sum(cf_requests)::BIGINT AS cf_requests, sum(cf_sync_requests)::BIGINT AS cf_sync_requests, sum(cf_sync_us)::BIGINT AS cf_sync_us,
    sum(cf_async_requests)::BIGINT AS cf_async_requests, sum(cf_async_us)::BIGINT AS cf_async_us
  FROM task_cf
  GROUP BY GROUPING SETS ((lpar, qmgr, application, cf_phase, cf_operation_name), (lpar, qmgr, application, cf_phase))
),
together AS (
  SELECT
    r.lpar, r.qmgr, r.cf_structure, r.base_name, r.application, r.verb_name, r.cf_operation_name,
    CASE r.verb_name WHEN 'Open' THEN u.opens WHEN 'Close' THEN u.closes WHEN 'Get' THEN u.gets WHEN 'Put' THEN u.puts WHEN 'Put1' THEN u.put1s END AS verb_calls, r.cf_requests, r.cf_sync_requests, r.cf_sync_us, r.cf_async_requests, r.cf_async_us, u.cpu_us
  FROM requested AS r
  LEFT JOIN used AS u
    ON u.lpar = r.lpar AND u.qmgr = r.qmgr AND u.cf_structure IS NOT DISTINCT FROM r.cf_structure AND u.base_name = r.base_name
    AND u.application IS NOT DISTINCT FROM r.application
  UNION ALL
  SELECT
    r.lpar, r.qmgr, NULL, NULL, r.application, r.cf_phase, r.cf_operation_name,
    p.verb_calls, r.cf_requests, r.cf_sync_requests, r.cf_sync_us, r.cf_async_requests, r.cf_async_us, p.cpu_us
  FROM phase_requested AS r
  LEFT JOIN phase AS p ON p.lpar = r.lpar AND p.qmgr = r.qmgr AND p.application IS NOT DISTINCT FROM r.application AND p.cf_phase = r.cf_phase
)
SELECT
  lpar, qmgr, cf_structure, base_name, application, verb_name, cf_operation_name, verb_calls, cf_requests, cf_sync_requests,
  cf_sync_us / nullif(cf_sync_requests, 0)                      AS average_cf_sync_us,
  cf_sync_us / nullif(verb_calls, 0)                            AS sync_us_per_verb,
  cf_async_requests,
  cf_async_us / nullif(cf_async_requests, 0)                    AS average_cf_async_us,
  cf_async_us / nullif(verb_calls, 0)                           AS async_us_per_verb,
  (cf_sync_us + cf_async_us) / nullif(verb_calls, 0)            AS cf_us_per_verb,
  pct(cf_async_requests, cf_sync_requests + cf_async_requests)  AS cf_async_pct,
  (cf_sync_requests + cf_async_requests) / nullif(verb_calls, 0) AS requests_per_verb,
  cf_sync_requests + cf_async_requests - cf_requests            AS cf_retries,
  pct(cf_sync_requests + cf_async_requests - cf_requests, cf_sync_requests + cf_async_requests) AS cf_retry_pct,
  pct(cf_sync_us, cpu_us)                                       AS cf_cpu_share_pct
FROM together
ORDER BY cf_structure, cf_us_per_verb DESC, base_name, verb_name, cf_operation_name, application, lpar, qmgr
