/*---
id         = "overview/gaps"
title      = "Gaps, overlaps, duplicates and restarts"
question   = "Does the data of each queue manager have gaps, and when did it restart?"
needs      = ["interval", "record_duplicate"]
rules      = ["CV002", "CV008", "CV012", "DQ005", "DQ006"]
grain      = ["lpar", "qmgr", "interval_start_utc"]
drill_down = ["overview/timeline"]
note       = "Times are GMT, so a clock change does not appear as a gap. A 115.240 record shows a start of the queue manager; a short interval after a gap suggests one."

[columns]
interval_end_utc = { screen = 3 }
interval_seconds = { screen = 1 }
irregularity = { unit = "text", label = "what", screen = 1, doc = "Queue manager start, gap, overlap, short interval or long interval; null if the row only shows duplicates." }
missing_intervals = { unit = "count", label = "missing", screen = 1, over = "add", doc = "Number of median intervals that fit into the gap." }
duplicate_records = { unit = "count", label = "duplicates", screen = 1, over = "add", doc = "Records of the interval that repeat earlier records of the data." }
---*/
WITH
doubled AS (
  SELECT lpar, qmgr, cut_start_utc, count(*) AS duplicate_records
  FROM record_duplicate
  WHERE cut_start_utc IS NOT NULL
  GROUP BY lpar, qmgr, cut_start_utc
),
described AS (
  SELECT
    i.lpar, i.qmgr, i.qsg, i.previous_end_utc, i.interval_start_utc, i.interval_end_utc, i.interval_seconds,
    i.gap_seconds, i.median_interval_seconds,
    CASE
      WHEN i.startup_interval THEN 'queue manager start'
      WHEN i.gap_seconds > 2 THEN 'gap'
      WHEN i.gap_seconds < -2 THEN 'overlap'
      WHEN i.interval_seconds < 0.5 * i.median_interval_seconds THEN 'short interval'
      WHEN i.interval_seconds > 1.5 * i.median_interval_seconds THEN 'long interval'
    END AS irregularity,
    CASE WHEN i.gap_seconds > 2 THEN round(per_s(i.gap_seconds, i.median_interval_seconds))::BIGINT END AS missing_intervals,
    coalesce(d.duplicate_records, 0) AS duplicate_records,
    i.records_115_1, i.records_115_2, i.records_115_215, i.records_115_201, i.records_115_231
  FROM interval AS i
  LEFT JOIN doubled AS d ON d.lpar = i.lpar AND d.qmgr = i.qmgr AND d.cut_start_utc = i.interval_start_utc
)
SELECT
  lpar, qmgr, qsg, previous_end_utc, interval_start_utc, interval_end_utc, interval_seconds, gap_seconds, median_interval_seconds,
  irregularity, missing_intervals, duplicate_records,
  records_115_1, records_115_2, records_115_215, records_115_201, records_115_231
FROM described
WHERE irregularity IS NOT NULL OR duplicate_records > 0
ORDER BY lpar, qmgr, interval_start_utc
