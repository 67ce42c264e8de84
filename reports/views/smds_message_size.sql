/*---
id      = "smds_message_size"
title   = "Largest message put to the queues of a structure with a shared message data set"
grain   = "one row per lpar, qmgr, interval and CF structure with a shared message data set"
needs   = ["decoded.qesd", "decoded.qqst", "decoded.wq", "site_input"]
classes = ["115.2"]
mq_since = "7.1.0"
note    = "Queue statistics show the largest message of the interval; queues with class 3 accounting only count with their largest message of the period."

[columns]
cf_structure = { from = "decoded.qesd" }
largest_message_bytes = { unit = "bytes", doc = "Largest message put to a queue of the structure, by queue statistics (115.216) or class 3 accounting (116.1); empty without them, and if it has 122 bytes or less, because such messages are never offloaded.", over = "max" }
structure_full_from_pct = { unit = "percent", doc = "By the default rules, how full the structure must be at least before a message of this size is offloaded: 70, 80 or 90.", over = "same" }
offload_custom = { unit = "flag", doc = "The site file declares that this structure has changed offload rules." }
---*/
WITH
statistics AS (
  SELECT lpar, qmgr, interval_start_utc, cf_structure, queue, puts + put1s AS messages, message_bytes_high
  FROM decoded.qqst
  WHERE cf_structure <> ''
),
in_interval AS (
  SELECT lpar, qmgr, interval_start_utc, cf_structure, max(message_bytes_high) AS bytes
  FROM statistics
  WHERE messages > 0
  GROUP BY lpar, qmgr, interval_start_utc, cf_structure
),
shown AS (
  SELECT DISTINCT lpar, qmgr, queue FROM statistics
),
accounted AS (
  SELECT q.lpar, q.qmgr, q.cf_structure, max(q.put_bytes_high) AS bytes
  FROM decoded.wq AS q
  ANTI JOIN shown AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr AND s.queue = q.base_name
  WHERE q.cf_structure <> '' AND q.valid_puts > 0
  GROUP BY q.lpar, q.qmgr, q.cf_structure
),
sized AS (
  SELECT
    q.lpar, q.qmgr, q.cf_structure, q.interval_start_utc,
    -- greatest() ignores nulls: one source is enough.
    CASE WHEN greatest(n.bytes, a.bytes) > 122 THEN greatest(n.bytes, a.bytes) END AS largest_message_bytes
  FROM decoded.qesd AS q
  LEFT JOIN in_interval AS n
    ON n.lpar = q.lpar AND n.qmgr = q.qmgr AND n.interval_start_utc = q.interval_start_utc AND n.cf_structure = q.cf_structure
  LEFT JOIN accounted AS a ON a.lpar = q.lpar AND a.qmgr = q.qmgr AND a.cf_structure = q.cf_structure
  WHERE q.smds_blocks > 0
)
SELECT
  q.lpar, q.qmgr, q.cf_structure, q.interval_start_utc, q.largest_message_bytes,
  CASE
    WHEN q.largest_message_bytes > 32768 THEN 70
    WHEN q.largest_message_bytes > 4096 THEN 80
    WHEN q.largest_message_bytes IS NOT NULL THEN 90
  END                                                                       AS structure_full_from_pct,
  coalesce(len(list_filter(s.smds_offload_custom, lambda pattern: q.cf_structure GLOB replace(pattern, '[', '[[]'))) > 0, false)     AS offload_custom
FROM sized AS q
LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
