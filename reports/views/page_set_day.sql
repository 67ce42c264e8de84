/*---
id       = "page_set_day"
title    = "Page sets by local day"
grain    = "one row per lpar, qmgr, page set and local day"
needs    = ["page_set"]
classes  = ["115.201"]
mq_since = "9.0.0"
note     = "Helper of view page_set_growth. Page sets that are not available are ignored."

[columns]
local_day = { unit = "number", doc = "Local day of the start of the intervals, in days since 1970.", over = "same" }
used_pages_day_max = { unit = "pages", doc = "Highest number of pages in use at the end of an interval of the day.", over = "max" }
complete_day = { unit = "flag", doc = "The intervals of the day cover at least 90 % of what the days of the page set usually cover." }
---*/
WITH day AS (
  SELECT
    lpar, qmgr, page_set_id,
    date_diff('day', DATE '1970-01-01', interval_start_local::DATE) AS local_day,
    max(used_pages)                                                 AS used_pages_day_max,
    sum(interval_seconds)                                           AS seconds
  FROM page_set
  WHERE status = 'Available' AND interval_start_local IS NOT NULL
  GROUP BY lpar, qmgr, page_set_id, date_diff('day', DATE '1970-01-01', interval_start_local::DATE)
)
SELECT
  lpar, qmgr, page_set_id, local_day, used_pages_day_max,
  seconds >= 0.9 * median(seconds) OVER (PARTITION BY lpar, qmgr, page_set_id) AS complete_day
FROM day
