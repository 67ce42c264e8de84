/*---
id      = "headroom_use"
title   = "Use of every limit in every interval"
grain   = "one row per lpar, qmgr, limit, subject and interval"
needs   = ["headroom_page_set", "headroom_storage", "headroom_chinit", "headroom_log", "headroom_pool", "headroom_structure"]
classes = ["115.1", "115.2", "115.7", "115.201", "115.215", "115.231"]
note    = "Helper of view headroom_step. Rows without a use are left out, unless there is no limit to use."
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
