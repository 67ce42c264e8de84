/*---
id      = "queue_use_cf"
title   = "Coupling facility requests of queue blocks"
grain   = "one row per queue block, verb and CF operation with a request"
needs   = ["decoded.wq_cf", "queue_use"]
classes = ["116.1"]
note    = "Verbs are open, close, get, put and put1. Times are assumed to be in microseconds; no sample has any."

[columns]
verb_name = { doc = "MQ verb that caused the requests.", label = "verb", screen = 1 }
cf_issued = { unit = "count", doc = "Requests issued: synchronous and asynchronous.", over = "add" }
cf_retries = { unit = "count", doc = "Requests issued minus those completed. That these are the retries is a hypothesis; redrives for a larger buffer are counted elsewhere.", over = "add", label = "retries" }
cf_retry_pct = { unit = "percent", doc = "Retries as a share of the requests issued.", ratio = { numerator = "cf_retries", denominator = "cf_sync_requests + cf_async_requests", scale = 100 }, label = "cf retry pct" }
cf_async_pct = { unit = "percent", doc = "Asynchronous requests as a share of the requests issued.", ratio = { numerator = "cf_async_requests", denominator = "cf_sync_requests + cf_async_requests", scale = 100 } }
average_cf_sync_us = { unit = "us", doc = "Mean time of a synchronous request.", ratio = { numerator = "cf_sync_us", denominator = "cf_sync_requests" } }
average_cf_async_us = { unit = "us", doc = "Mean time of an asynchronous request.", ratio = { numerator = "cf_async_us", denominator = "cf_async_requests" } }
cf_total_us = { unit = "us", doc = "Elapsed time of all requests.", over = "add" }
cf_us_per_verb = { unit = "us", doc = "Elapsed time of the requests per call of the verb.", ratio = { numerator = "cf_sync_us + cf_async_us", denominator = "verb_calls" }, label = "µs/verb", screen = 1 }
verb_calls = { unit = "count", doc = "Calls of the verb in the queue block.", over = "add", label = "verb calls", screen = 1 }
---*/
WITH requested AS (
  SELECT
    c.lpar, c.qmgr, q.qsg, c.record_id, c.section, q.base_name, q.cf_structure, q.application, c.verb_name, c.cf_operation_name,
    c.cf_requests, c.cf_sync_requests, c.cf_sync_us, c.cf_async_requests, c.cf_async_us,
    c.cf_sync_requests + c.cf_async_requests AS cf_issued,
    c.cf_sync_us + c.cf_async_us             AS cf_total_us,
    CASE c.verb WHEN 1 THEN q.opens WHEN 2 THEN q.closes WHEN 3 THEN q.gets WHEN 4 THEN q.puts WHEN 5 THEN q.put1s END AS verb_calls
  FROM decoded.wq_cf AS c
  JOIN queue_use AS q ON q.record_id = c.record_id AND q.section = c.section
  WHERE c.cf_requests > 0 OR c.cf_sync_requests > 0 OR c.cf_async_requests > 0
)
SELECT
  lpar, qmgr, qsg, record_id, section, base_name, cf_structure, application, verb_name, cf_operation_name,
  cf_requests, cf_sync_requests, cf_sync_us, cf_async_requests, cf_async_us, cf_issued,
  cf_issued - cf_requests                            AS cf_retries,
  pct(cf_issued - cf_requests, cf_issued)            AS cf_retry_pct,
  pct(cf_async_requests, cf_issued)                  AS cf_async_pct,
  cf_sync_us / nullif(cf_sync_requests, 0)           AS average_cf_sync_us,
  cf_async_us / nullif(cf_async_requests, 0)         AS average_cf_async_us,
  cf_total_us,
  cf_total_us / nullif(verb_calls, 0)                AS cf_us_per_verb,
  verb_calls
FROM requested
