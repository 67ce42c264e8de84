/*---
id       = "db2/large_messages"
title    = "Large shared messages in Db2"
question = "Are large messages going to Db2 instead of shared message data sets?"
unseen   = true
needs    = ["db2", "db2_request", "smds"]
rules    = ["DB007"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
wsc      = [12]
drill_down = ["smds/space"]
note     = "A 64 KB persistent message costs about five times the CPU in Db2 that it costs in a shared message data set."

[columns]
blob_selects = { label = "selects", screen = 1 }
blob_inserts = { label = "inserts", screen = 1 }
blob_updates = { label = "updates", screen = 3 }
blob_deletes = { label = "deletes", screen = 1 }
blob_lists = { label = "lists", screen = 3 }
blob_average_insert_us = { unit = "us", label = "avg insert µs", screen = 1, doc = "Mean elapsed time of a BLOB insert in the server task.", ratio = { numerator = "blob_average_insert_us * blob_inserts", denominator = "blob_inserts" } }
blob_average_select_us = { unit = "us", label = "avg select µs", screen = 1, doc = "Mean elapsed time of a BLOB select in the server task.", ratio = { numerator = "blob_average_select_us * blob_selects", denominator = "blob_selects" } }
blob_total_thread_us = { unit = "us", label = "server µs", screen = 3, doc = "Elapsed time of all BLOB requests in server tasks.", over = "add" }
smds_writes = { unit = "count", label = "SMDS writes", screen = 1, doc = "Writes to shared message data sets in the same interval.", over = "add" }
offload_target = { unit = "text", label = "large messages go to", screen = 1, doc = "Where large messages were stored in the interval." }
---*/
WITH
timed AS (
  SELECT
    lpar, qmgr, interval_start_utc,
    max(average_thread_us) FILTER (request_type = 'BLOB insert')           AS blob_average_insert_us,
    max(average_thread_us) FILTER (request_type = 'BLOB select')           AS blob_average_select_us,
    sum(thread_total_us) FILTER (request_type LIKE 'BLOB %')::BIGINT       AS blob_total_thread_us
  FROM db2_request
  GROUP BY lpar, qmgr, interval_start_utc
),
written AS (
  SELECT lpar, qmgr, interval_start_utc, sum(smds_write_ios)::BIGINT AS smds_writes
  FROM smds
  GROUP BY lpar, qmgr, interval_start_utc
)
SELECT
  d.lpar, d.qmgr, d.qsg, d.interval_start_utc, d.interval_seconds, d.blob_selects, d.blob_inserts, d.blob_updates, d.blob_deletes, d.blob_lists,
  d.blob_messages_net, t.blob_average_insert_us, t.blob_average_select_us, t.blob_total_thread_us, w.smds_writes,
  CASE
    WHEN d.blob_inserts > 0 AND coalesce(w.smds_writes, 0) = 0 THEN 'Db2 only'
    WHEN d.blob_inserts > 0 THEN 'Db2 and SMDS'
    WHEN w.smds_writes > 0 THEN 'SMDS, Db2 is being drained'
    ELSE 'none, Db2 is being drained'
  END AS offload_target
FROM db2 AS d
LEFT JOIN timed AS t ON t.lpar = d.lpar AND t.qmgr = d.qmgr AND t.interval_start_utc = d.interval_start_utc
LEFT JOIN written AS w ON w.lpar = d.lpar AND w.qmgr = d.qmgr AND w.interval_start_utc = d.interval_start_utc
WHERE d.group_member AND (d.blob_inserts > 0 OR d.blob_deletes > 0 OR d.blob_selects > 0)
ORDER BY lpar, qmgr, interval_start_utc
