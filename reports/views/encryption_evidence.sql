/*---
id      = "encryption_evidence"
title   = "Encryption of data sets by interval"
grain   = "one row per lpar, qmgr, interval and item: page set, shared message data set, new active logs"
needs   = ["page_set", "smds", "log"]
classes = ["115.201", "115.2", "115.1"]
note    = "Active logs have evidence in intervals in which a log was switched. Page sets that are not available and data sets without blocks are ignored."

[columns]
item_kind = { unit = "text", kind = "key", doc = "Kind of item: page set, active log or shared message data set.", label = "kind", screen = 1 }
item_name = { unit = "text", kind = "key", doc = "Page set number, both copies of the active log, or name of the CF structure.", label = "item", screen = 1 }
item_label = { unit = "text", doc = "Kind and name as a finding names them.", label = "name in findings" }
evidence_count = { unit = "count", doc = "Pages of the page set, new logs, or blocks of the data set.", over_time = "last", across = "add", label = "pages, logs, blocks or channels", screen = 2 }
encrypted_count = { unit = "count", doc = "Number of these pages, logs or blocks that are encrypted.", over_time = "last", across = "add", label = "encrypted", screen = 2 }
encrypted_pct = { unit = "percent", doc = "encrypted_count as a share of evidence_count.", over_time = "last", ratio = { numerator = "encrypted_count", denominator = "evidence_count", scale = 100 } }
---*/
WITH item AS (
  SELECT
    lpar, qmgr, qsg, mq_version, source_id, record_id, interval_start_utc, interval_seconds,
    'page set'                                           AS item_kind,
    lpad(page_set_id::VARCHAR, 2, '0')                   AS item_name,
    'page set ' || page_set_id                           AS item_label,
    total_pages                                          AS evidence_count,
    CASE encrypted WHEN true THEN total_pages WHEN false THEN 0 END AS encrypted_count
  FROM page_set
  WHERE status = 'Available'
  UNION ALL
  SELECT
    lpar, qmgr, qsg, mq_version, source_id, record_id, interval_start_utc, interval_seconds,
    'shared message data set', cf_structure, 'shared message data set ' || cf_structure, smds_blocks,
    CASE smds_encrypted WHEN true THEN smds_blocks WHEN false THEN 0 END
  FROM smds
  WHERE smds_blocks > 0
  UNION ALL
  SELECT
    lpar, qmgr, qsg, mq_version, source_id, record_id, interval_start_utc, interval_seconds,
    'active log', 'copies 1 and 2', 'new active logs', new_logs_copy1 + new_logs_copy2, new_logs_encrypted
  FROM log
  WHERE new_logs_copy1 + new_logs_copy2 > 0
)
SELECT
  lpar, qmgr, qsg, mq_version, source_id, record_id, interval_start_utc, interval_seconds, item_kind, item_name, item_label,
  evidence_count::BIGINT                               AS evidence_count,
  encrypted_count::BIGINT                              AS encrypted_count,
  pct(encrypted_count, evidence_count)                 AS encrypted_pct
FROM item
