/*---
id      = "interval_cut"
title   = "Statistics intervals without record counts"
grain   = "one row per lpar, qmgr and statistics interval"
needs   = ["record", "record_doubt"]
note    = "Helper of view interval and of all other views; the counts of view interval need a second scan of the records."

[columns]
previous_end_utc = { unit = "ts_utc", kind = "clock", doc = "End of the previous interval; null for the first one.", label = "previous end", screen = 1 }
gap_seconds = { unit = "s", doc = "Time from the end of the previous interval to this start; negative = overlap.", over = "max", label = "gap s", screen = 1 }
gap_confirmed = { unit = "flag", doc = "This interval and the one before it each have a record that is not in record_doubt, or two that agree." }
gap_intervals = { unit = "ratio", doc = "gap_seconds as a multiple of median_interval_seconds.", over = "max" }
first_in_data = { unit = "flag", doc = "There is no previous interval, or it ended more than 2 seconds before." }
median_interval_seconds = { unit = "s", doc = "Usual interval length of the queue manager: the median of its intervals of at least 10 seconds that are not startup intervals, without such the median of shorter ones that are usual; null if there is no such interval.", over = "same", label = "median s", screen = 2 }
shortest_judged_seconds = { unit = "s", doc = "Shorter intervals of the queue manager are fragments: 10 seconds, or half the usual length if that is less. Intervals below 10 seconds are usual too if there are at least three, of nearly a second or more, and they cover a tenth of the time.", over = "same" }
restart_seen = { unit = "flag", doc = "The queue manager or its trace started: a startup interval, a startup record inside the interval, or less than half the usual length with a gap before it." }
last_in_data = { unit = "flag", doc = "No interval after it, or more than 2 seconds until the next one." }
usual_interval_seconds = { unit = "s", doc = "Usual interval length of the queue manager (median_interval_seconds) in whole seconds, without the drift of the timer.", over = "same" }
length_deviation_pct = { unit = "percent", doc = "Difference from the usual length of the queue manager, without sign.", over = "max" }
overlap_seconds = { unit = "s", doc = "Time that this interval and the previous one have in common; null if they do not overlap.", over = "add" }
baseline_ok = { unit = "flag", doc = "No fragment and without a start of the queue manager: may be used for peaks and baselines." }
---*/
WITH
cut AS (
  -- Records 115.1, 2, 201, 215 and 216 of one interval have the identical start and length.
  SELECT
    r.lpar, r.qmgr, r.record_start_utc,
    min(r.record_id)           AS record_id,
    min(r.source_id)           AS source_id,
    max(r.mq_version)          AS mq_version,
    min(r.record_start_local)  AS record_start_local,
    max(r.record_us)           AS record_us,
    count(*) > 1 OR bool_or(d.record_id IS NULL) AS confirmed
  FROM record AS r
  LEFT JOIN record_doubt AS d ON d.record_id = r.record_id
  WHERE smf_type = 115 AND subtype IN (1, 2, 201, 215, 216)
    AND record_start_utc IS NOT NULL AND record_us IS NOT NULL AND damage IS NULL
  GROUP BY r.lpar, r.qmgr, r.record_start_utc
),
startup AS (
  SELECT DISTINCT lpar, qmgr, record_start_utc
  FROM record
  WHERE smf_type = 115 AND subtype = 240 AND record_start_utc IS NOT NULL
),
timed AS (
  SELECT
    c.*,
    c.record_us / 1e6 AS interval_seconds,
    c.record_start_utc + to_microseconds(c.record_us) AS interval_end_utc,
    s.record_start_utc IS NOT NULL AS startup_interval,
    lag(c.record_start_utc + to_microseconds(c.record_us)) OVER neighbour AS previous_end_utc,
    lead(c.record_start_utc) OVER neighbour AS next_start_utc,
    c.confirmed AND coalesce(lag(c.confirmed) OVER neighbour, true) AS gap_confirmed
  FROM cut AS c
  LEFT JOIN startup AS s
    ON s.lpar IS NOT DISTINCT FROM c.lpar AND s.qmgr IS NOT DISTINCT FROM c.qmgr AND s.record_start_utc = c.record_start_utc
  WINDOW neighbour AS (PARTITION BY c.lpar, c.qmgr ORDER BY c.record_start_utc)
),
inside AS (
  -- Startup records inside an interval that began before them: its counters begin at the start of the queue manager.
  SELECT DISTINCT t.lpar, t.qmgr, t.record_start_utc
  FROM timed AS t
  JOIN startup AS s
    ON s.lpar IS NOT DISTINCT FROM t.lpar AND s.qmgr IS NOT DISTINCT FROM t.qmgr
    AND s.record_start_utc > t.record_start_utc AND s.record_start_utc < t.interval_end_utc
),
usual AS (
  -- Startup intervals and fragments do not show the configured length. STATIME may be seconds, or change to seconds for a part of the day; what starts,
  -- commands and the timer of APAR PH68566 cut off is few seconds, or far below one.
  SELECT
    lpar, qmgr,
    median(interval_seconds) FILTER (interval_seconds >= 10)     AS usual_seconds,
    CASE WHEN count(*) FILTER (short) >= 3 AND 10 * sum(interval_seconds) FILTER (short) >= sum(interval_seconds)
      THEN median(interval_seconds) FILTER (short) END           AS short_seconds
  FROM (SELECT *, interval_seconds >= 0.9 AND interval_seconds < 10 AS short FROM timed)
  WHERE NOT startup_interval
  GROUP BY lpar, qmgr
),
gapped AS (
  SELECT
    t.*, coalesce(u.usual_seconds, u.short_seconds) AS median_interval_seconds,
    least(10, u.usual_seconds / 2, u.short_seconds / 2) AS shortest_judged_seconds,
    i.record_start_utc IS NOT NULL AS suspect_first,
    epoch_us(t.record_start_utc - t.previous_end_utc) / 1e6 AS gap_seconds
  FROM timed AS t
  LEFT JOIN usual AS u ON u.lpar IS NOT DISTINCT FROM t.lpar AND u.qmgr IS NOT DISTINCT FROM t.qmgr
  LEFT JOIN inside AS i
    ON i.lpar IS NOT DISTINCT FROM t.lpar AND i.qmgr IS NOT DISTINCT FROM t.qmgr AND i.record_start_utc = t.record_start_utc
),
marked AS (
  SELECT *, previous_end_utc IS NULL OR gap_seconds > 2 AS first_in_data, interval_seconds < shortest_judged_seconds AS fragment
  FROM gapped
)
SELECT
  lpar, qmgr, mq_version, source_id, record_id,
  record_start_utc   AS interval_start_utc,
  interval_end_utc,
  record_start_local AS interval_start_local,
  record_us          AS interval_us,
  interval_seconds, startup_interval, previous_end_utc, gap_seconds, gap_confirmed,
  per_s(gap_seconds, median_interval_seconds) AS gap_intervals,
  first_in_data, median_interval_seconds,
  fragment, shortest_judged_seconds, suspect_first,
  startup_interval OR suspect_first OR coalesce(gap_seconds > 2 AND interval_seconds < 0.5 * median_interval_seconds, false) AS restart_seen,
  next_start_utc IS NULL OR epoch_us(next_start_utc - interval_end_utc) > 2000000 AS last_in_data,
  round(median_interval_seconds) AS usual_interval_seconds,
  pct(abs(interval_seconds - median_interval_seconds), median_interval_seconds) AS length_deviation_pct,
  CASE WHEN gap_seconds < 0 THEN -gap_seconds END AS overlap_seconds,
  NOT (fragment OR startup_interval OR suspect_first) AS baseline_ok
FROM marked
