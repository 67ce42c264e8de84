/*---
id      = "verdict_window"
title   = "Time window of a verdict"
grain   = "one row per lpar and qmgr"
needs   = ["interval_cut", "qmgr"]
note    = "The window is the whole selected period. A narrower window would take its usual values from the rest of the period."

[columns]
window_start_utc = { unit = "ts_utc", doc = "Start of the window: of the first interval, or of the first record where there are no intervals." }
window_end_utc = { unit = "ts_utc", doc = "End of the window: of the last interval, or the time of the last record where there are no intervals." }
whole_period = { unit = "flag", doc = "The window is the whole period, so there is nothing outside it." }
---*/
WITH cut AS (
  SELECT lpar, qmgr, min(interval_start_utc) AS window_start_utc, max(interval_end_utc) AS window_end_utc
  FROM interval_cut
  GROUP BY lpar, qmgr
)
SELECT
  q.lpar, q.qmgr,
  coalesce(c.window_start_utc, q.first_written_local - to_minutes(q.gmt_offset_minutes::BIGINT)) AS window_start_utc,
  coalesce(c.window_end_utc, q.last_written_local - to_minutes(q.gmt_offset_minutes::BIGINT))    AS window_end_utc,
  true AS whole_period
FROM qmgr AS q
LEFT JOIN cut AS c ON c.lpar = q.lpar AND c.qmgr = q.qmgr
