/*---
id      = "quality_rate"
title   = "Highest rates of counters"
grain   = "one row per lpar, qmgr and group of counters"
needs   = ["decoded.qmst", "decoded.qjst", "decoded.qpst", "decoded.wq"]
classes = ["115.1", "115.2", "115.215", "116.1"]
note    = "Damaged bytes become counts that MQ cannot reach. A record shorter than a second counts as one second. Counters of requests and pages: opens, closes, gets, puts (MQPUT and MQPUT1), inquires, sets, handles closed at the end of a task, subscription requests, callbacks and publications of the message manager; log writes by type, log write requests and control intervals created and written; page gets, reads, updates and writes of buffer pools; opens, closes, puts, gets and valid puts and gets of queue accounting."

[columns]
counter_group = { unit = "text", kind = "key", doc = "Message manager, log manager, buffer manager or queue accounting." }
highest_per_s = { unit = "per_s", doc = "Highest value of a counter in a record per second of the record.", over = "max" }
highest_counter = { unit = "number", doc = "Value of the counter in that record.", over = "max" }
record_id = { doc = "Record with the highest rate." }
---*/
WITH counted AS (
  SELECT
    lpar, qmgr, record_id, interval_us, 'message manager' AS counter_group,
    greatest(opens, closes, gets, puts, put1s, inquires, sets, handle_closes, subscription_requests, callbacks, publications) AS highest
  FROM decoded.qmst
  UNION ALL
  SELECT lpar, qmgr, record_id, interval_us, 'log manager', greatest(log_writes_wait, log_writes_nowait, log_writes_force, log_write_requests, cis_created, cis_written)
  FROM decoded.qjst
  UNION ALL
  SELECT lpar, qmgr, record_id, interval_us, 'buffer manager', greatest(page_gets_old, page_gets_new, pages_read, set_writes, pages_written, write_ios)
  FROM decoded.qpst
  UNION ALL
  SELECT lpar, qmgr, record_id, interval_us, 'queue accounting', greatest(opens, closes, puts, put1s, gets, valid_puts, valid_gets)
  FROM decoded.wq
),
fastest AS (
  SELECT lpar, qmgr, counter_group, arg_max(record_id, (rate, -record_id)) AS record_id, arg_max(highest, (rate, -record_id)) AS highest_counter, max(rate) AS highest_per_s
  FROM (SELECT *, per_s(highest, greatest(interval_us / 1e6, 1)) AS rate FROM counted)
  GROUP BY lpar, qmgr, counter_group
)
SELECT lpar, qmgr, counter_group, highest_per_s, highest_counter, record_id
FROM fastest
