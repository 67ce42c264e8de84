/*---
id      = "collection"
title   = "Record classes that were collected"
grain   = "one row per lpar, qmgr and record class that was seen or is expected"
needs   = ["record_class", "record_count", "interval", "interval_lost", "qmgr", "class_hole", "decoded.dropped_class"]
keep    = true                           # expensive, and read more than once

[columns]
record_class = { from = "record_count" }
records = { doc = "Records of the class." }
first_written_local = { doc = "Time of the first record of the class.", label = "first written", screen = 2 }
last_written_local = { doc = "Time of the last record of the class.", label = "last written", screen = 2 }
intervals_expected = { unit = "count", doc = "Statistics intervals of the queue manager, with those whose records were lost (their numbers are missing); null for classes that are not written by interval.", over = "add", label = "intervals expected", screen = 1 }
intervals_present = { unit = "count", doc = "Intervals with at least one record of the class.", over = "add", label = "intervals present", screen = 1 }
presence_pct = { unit = "percent", doc = "Share of the intervals that have the class.", ratio = { numerator = "intervals_present", denominator = "intervals_expected", scale = 100 }, label = "present %", screen = 2 }
present = { unit = "flag", doc = "At least one record of the class.", label = "present" }
applicable = { unit = "flag", doc = "The queue manager's release writes the class.", label = "applicable" }
records_dropped = { unit = "count", doc = "Records of the class on days of which a retention dropped the detail: they count, but no other view has them.", over = "add" }
dropped_on = { unit = "date", kind = "clock", doc = "UTC date on which a retention last dropped detail of the class; null if it did not, or if the date is not known." }
coverage_state = { unit = "text", doc = "not in this release, not collected, dropped by retention, dropped in part, collected (event driven), collected in part (two slots and 5 % of the time in which the queue manager ran lack it, view class_hole), collected, or not decoded (this version of mqstat does not know the class).", label = "state", screen = 1 }
class_holds = { doc = "Contents of the records of the class, or unknown to mqstat." }
command_to_collect = { doc = "MQ command that starts the collection of the class; null if the class is unknown, or if it is missing while another class of the same trace class was written: START TRACE does not bring it back." }
---*/
WITH
seen AS (
  SELECT
    lpar, qmgr, record_class,
    sum(records)::BIGINT     AS records,
    sum(bytes)::BIGINT       AS bytes,
    min(first_written_local) AS first_written_local,
    max(last_written_local)  AS last_written_local
  FROM record_count
  GROUP BY lpar, qmgr, record_class
),
cut AS (
  -- Classes of each interval, counted once in view interval.
  SELECT lpar, qmgr, replace(replace(class, 'records_', ''), '_', '.') AS record_class, count(*) FILTER (records > 0) AS intervals_present
  FROM (UNPIVOT interval ON COLUMNS('^records_') INTO NAME class VALUE records)
  GROUP BY lpar, qmgr, record_class
),
lost AS (
  SELECT lpar, qmgr, sum(lost_intervals)::BIGINT AS lost_intervals
  FROM interval_lost
  GROUP BY lpar, qmgr
),
class AS (
  SELECT q.lpar, q.qmgr, e.record_class FROM qmgr AS q CROSS JOIN record_class AS e WHERE e.expected_since IS NOT NULL
  UNION
  SELECT lpar, qmgr, record_class FROM seen WHERE lpar IS NOT NULL AND qmgr IS NOT NULL AND record_class IS NOT NULL
),
joined AS (
  SELECT
    c.lpar, c.qmgr, q.qsg, c.record_class,
    coalesce(s.records, 0) AS records,
    coalesce(s.bytes, 0)   AS bytes,
    s.first_written_local, s.last_written_local,
    CASE WHEN e.by_interval AND c.record_class <> '116.10' THEN q.intervals + coalesce(l.lost_intervals, 0) END AS intervals_expected,
    CASE WHEN e.by_interval THEN coalesce(i.intervals_present, 0) END AS intervals_present,
    coalesce(d.records_dropped, 0) AS records_dropped,
    d.dropped_on, e.expected_since, coalesce(e.class_holds, 'unknown to mqstat') AS class_holds, e.command_to_collect, e.trace, e.trace_class,
    coalesce(q.highest_mq_level >= e.since_level, true) AS applicable,
    coalesce(h.missing_slots >= 2 AND h.missing_share_pct >= 5, false) AS is_part
  FROM class AS c
  JOIN qmgr AS q ON q.lpar = c.lpar AND q.qmgr = c.qmgr
  LEFT JOIN record_class AS e ON e.record_class = c.record_class
  LEFT JOIN seen AS s ON s.lpar = c.lpar AND s.qmgr = c.qmgr AND s.record_class = c.record_class
  LEFT JOIN lost AS l ON l.lpar = c.lpar AND l.qmgr = c.qmgr
  LEFT JOIN cut AS i ON i.lpar = c.lpar AND i.qmgr = c.qmgr AND i.record_class = c.record_class
  LEFT JOIN (
    SELECT lpar, qmgr, record_class, sum(missing_slots) AS missing_slots, sum(missing_share_pct) AS missing_share_pct FROM class_hole GROUP BY lpar, qmgr, record_class
  ) AS h ON h.lpar = c.lpar AND h.qmgr = c.qmgr AND h.record_class = c.record_class
  LEFT JOIN decoded.dropped_class AS d ON d.lpar = c.lpar AND d.qmgr = c.qmgr AND d.record_class = c.record_class
)
SELECT
  lpar, qmgr, qsg, record_class, records, bytes, first_written_local, last_written_local,
  intervals_expected, intervals_present,
  pct(intervals_present, intervals_expected) AS presence_pct,
  records > 0 AS present,
  expected_since, applicable, records_dropped, dropped_on,
  CASE
    WHEN records = 0 AND NOT applicable THEN 'not in this release'
    WHEN records = 0 THEN 'not collected'
    WHEN records_dropped >= records THEN 'dropped by retention'
    WHEN records_dropped > 0 THEN 'dropped in part'
    WHEN expected_since IS NULL AND record_class <> '116.2' THEN 'not decoded'
    WHEN is_part THEN 'collected in part'
    WHEN intervals_expected IS NULL THEN 'collected (event driven)'
    ELSE 'collected'
  END AS coverage_state,
  class_holds,
  -- It is not documented whether trace class 2 or 3 writes 115.201.
  CASE WHEN records > 0 OR NOT bool_or(records > 0) OVER (PARTITION BY lpar, qmgr, trace, trace_class, record_class = '115.201') THEN command_to_collect END AS command_to_collect
FROM joined
