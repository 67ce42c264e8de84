/*---
id      = "headroom_page_set"
title   = "Use of page sets"
grain   = "one row per lpar, qmgr, interval, page set and limit"
needs   = ["page_set"]
classes = ["115.201"]
mq_since = "9.0.0"
note    = "Helper of view headroom: intervals of at least 10 seconds that are not startup intervals. A page set that may expand has two limits: its present size, where it expands, and the largest size."

[columns]
used_value = { unit = "number", doc = "Use in the unit of the limit." }
limit_value = { unit = "number", doc = "The limit; null if it is not known or there is none." }
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds,
  unnest([1, 2]::BIGINT[])                                                           AS limit_number,
  'page set ' || page_set_id                                               AS limit_subject,
  NULL::VARCHAR                                                            AS limit_owner,
  used_pages::DOUBLE                                                       AS used_value,
  unnest([total_pages, CASE WHEN expansion_allowed THEN largest_pages END])::DOUBLE AS limit_value,
  unnest([full_count, NULL])                                               AS limit_events,
  true                                                                     AS limit_ends_service,
  unnest(['record', CASE WHEN NOT expansion_allowed THEN NULL WHEN largest_pages < 16777216 THEN 'site file' ELSE 'product' END]) AS limit_source,
  unnest([
    CASE WHEN expansion_allowed THEN 'expands' END,
    CASE WHEN largest_pages >= 16777216 AND total_pages <= 1048576 THEN 'may end at 4 GB: page_set_max_gb is not in the site file' END
  ])                                                                       AS limit_note
FROM page_set
WHERE status = 'Available' AND interval_seconds >= 10 AND NOT coalesce(startup_interval, false)
