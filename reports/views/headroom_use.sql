/*---
id      = "headroom_use"
title   = "Use of every limit in every interval"
grain   = "one row per lpar, qmgr, limit, subject and interval"
needs   = ["headroom_page_set", "headroom_storage", "headroom_chinit", "headroom_log", "headroom_pool", "headroom_structure"]
classes = ["115.1", "115.2", "115.7", "115.201", "115.215", "115.231"]
note    = "Helper of view headroom_step. Rows without a use are left out, unless there is no limit to use."

[columns]
lpar = {}
qmgr = {}
interval_start_utc = {}
interval_start_local = {}
interval_seconds = {}
limit_number = { unit = "id", kind = "key", doc = "Number of the kind of limit." }
limit_subject = { unit = "text", kind = "key", doc = "Subject of the limit: page set, buffer pool or structure; null for the queue manager." }
limit_owner = { unit = "text", doc = "Queue-sharing group whose members share the limit; null for a limit of the queue manager alone." }
used_value = { unit = "number", doc = "Use in the unit of the limit." }
limit_value = { unit = "number", doc = "The limit; null if it is not known or there is none." }
limit_events = { unit = "count", doc = "Number of times the limit was reached, if the records count this." }
limit_ends_service = { unit = "flag", doc = "If the limit is reached, work is refused or delayed; no for thresholds." }
limit_source = { unit = "text", doc = "Where the limit comes from: record, site file, product, assumed; no limit if there is none; null if the site file does not give it." }
limit_note = { unit = "text", doc = "Remark about the limit, or the fact that is missing in the site file." }
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds, limit_number, limit_subject, limit_owner,
  used_value, limit_value, limit_events::BIGINT AS limit_events, limit_ends_service, limit_source, limit_note
FROM headroom_page_set
WHERE limit_value IS NOT NULL
UNION ALL
SELECT
  lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds, limit_number, limit_subject, limit_owner,
  used_value, limit_value, limit_events::BIGINT AS limit_events, limit_ends_service, limit_source, limit_note
FROM headroom_storage
WHERE used_value IS NOT NULL OR limit_source = 'no limit'
UNION ALL
SELECT
  lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds, limit_number, limit_subject, limit_owner,
  used_value, limit_value, limit_events::BIGINT AS limit_events, limit_ends_service, limit_source, limit_note
FROM headroom_chinit
WHERE used_value IS NOT NULL OR limit_source = 'no limit'
UNION ALL
SELECT
  lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds, limit_number, limit_subject, limit_owner,
  used_value, limit_value, limit_events::BIGINT AS limit_events, limit_ends_service, limit_source, limit_note
FROM headroom_log
WHERE used_value IS NOT NULL OR limit_source = 'no limit'
UNION ALL
SELECT
  lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds, limit_number, limit_subject, limit_owner,
  used_value, limit_value, limit_events::BIGINT AS limit_events, limit_ends_service, limit_source, limit_note
FROM headroom_pool
WHERE used_value IS NOT NULL OR limit_source = 'no limit'
UNION ALL
SELECT
  lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds, limit_number, limit_subject, limit_owner,
  used_value, limit_value, limit_events::BIGINT AS limit_events, limit_ends_service, limit_source, limit_note
FROM headroom_structure
WHERE used_value IS NOT NULL OR limit_source = 'no limit'
