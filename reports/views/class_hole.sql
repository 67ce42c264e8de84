/*---
id      = "class_hole"
title   = "Times in which a collected record class is missing"
grain   = "one row per lpar, qmgr, record class and run of slots without it; one row for a class that is never missing"
needs   = ["slot", "class_time", "interval_cut", "qmgr", "decoded.qcct"]
keep    = true                            # read by several rules and the first screen
note    = "Only slots that view slot counts are evidence; others next to them belong to the same time. Classes without any record are in view collection."

[columns]
hole_start_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the first slot without the class; null if it is never missing." }
hole_end_utc = { unit = "ts_utc", kind = "clock", doc = "End of the last one." }
hole_start_local = { unit = "ts_local", kind = "clock", doc = "The same start in local time." }
hole_end_local = { unit = "ts_local", kind = "clock", doc = "The same end in local time." }
missing_slots = { unit = "count", doc = "Slots without the class that are counted.", over = "add" }
slots = { unit = "count", doc = "All slots of the queue manager that are counted.", over = "same" }
missing_share_pct = { unit = "percent", doc = "Their time as a share of that of all slots.", over = "add" }
slots_with_basic = { unit = "count", doc = "Slots without the class in which one of 115.1, 115.2 and 115.215 is there.", over = "add" }
is_at_start = { unit = "flag", doc = "No earlier slot has the class." }
is_at_end = { unit = "flag", doc = "No later slot has the class." }
begun_before = { unit = "flag", doc = "The slot before has the class, and between its last record and this time the queue manager was started or has another level." }
active_channels_last = { unit = "count", doc = "Active channels in the last 115.231 before the hole; null if there is no such record.", over = "max" }
---*/
WITH
flagged AS (
  SELECT lpar, qmgr, stretch, slot_start_utc, slot_end_utc, slot_seconds, is_counted, basics, replace(replace(flag, 'has_', ''), '_', '.') AS record_class, is_there
  FROM (
    UNPIVOT (SELECT *, has_115_1 OR has_115_2 OR has_115_215 AS basics FROM slot)
    ON COLUMNS('^has_') INTO NAME flag VALUE is_there
  )
),
collected AS (
  SELECT DISTINCT lpar, qmgr, record_class FROM class_time WHERE record_class <> '115.240'
),
lacking AS MATERIALIZED (
  -- Most classes are there in all slots.
  SELECT DISTINCT f.lpar, f.qmgr, f.record_class
  FROM flagged AS f
  SEMI JOIN collected AS c ON c.lpar = f.lpar AND c.qmgr = f.qmgr AND c.record_class = f.record_class
  WHERE f.is_counted AND NOT f.is_there
),
marked AS (
  SELECT
    f.*,
    lag(f.is_there) OVER by_time AS was_there,
    lag(f.slot_end_utc) OVER by_time AS before_utc,
    f.is_there OR coalesce(lag(f.is_there) OVER by_time, true) OR lag(f.stretch) OVER by_time <> f.stretch AS is_first,
    count(*) FILTER (f.is_there) OVER (by_time ROWS UNBOUNDED PRECEDING) = 0 AS none_before,
    count(*) FILTER (f.is_there) OVER (by_time ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) = 0 AS none_behind,
    count(*) FILTER (f.is_counted) OVER whole AS slots, sum(f.slot_seconds) FILTER (f.is_counted) OVER whole AS all_seconds
  FROM flagged AS f
  SEMI JOIN lacking AS c ON c.lpar = f.lpar AND c.qmgr = f.qmgr AND c.record_class = f.record_class
  WINDOW by_time AS (PARTITION BY f.lpar, f.qmgr, f.record_class ORDER BY f.slot_start_utc), whole AS (PARTITION BY f.lpar, f.qmgr, f.record_class)
),
numbered AS (
  SELECT *, count(*) FILTER (is_first) OVER (PARTITION BY lpar, qmgr, record_class ORDER BY slot_start_utc ROWS UNBOUNDED PRECEDING) AS part
  FROM marked
),
hole AS (
  SELECT
    lpar, qmgr, record_class, any_value(slots) AS slots,
    min(slot_start_utc) AS hole_start_utc, max(slot_end_utc) AS hole_end_utc, count(*) FILTER (is_counted) AS missing_slots,
    100 * sum(slot_seconds) FILTER (is_counted) / any_value(all_seconds) AS missing_share_pct,
    count(*) FILTER (is_counted AND basics) AS slots_with_basic,
    bool_and(none_before) AS is_at_start, bool_and(none_behind) AS is_at_end,
    arg_min(was_there, slot_start_utc) AS was_there, arg_min(before_utc, slot_start_utc) AS before_utc
  FROM numbered
  WHERE NOT is_there
  GROUP BY lpar, qmgr, record_class, part
  HAVING bool_or(is_counted)
  UNION ALL
  -- A queue manager of which only seconds are known has no slot.
  SELECT c.lpar, c.qmgr, c.record_class, coalesce(n.slots, 0), NULL, NULL, 0, 0, 0, false, false, true, NULL
  FROM collected AS c
  LEFT JOIN (SELECT lpar, qmgr, count(*) FILTER (is_counted) AS slots FROM slot GROUP BY lpar, qmgr) AS n ON n.lpar = c.lpar AND n.qmgr = c.qmgr
  ANTI JOIN lacking AS k ON k.lpar = c.lpar AND k.qmgr = c.qmgr AND k.record_class = c.record_class
),
begun AS (
  SELECT lpar, qmgr, interval_start_utc
  FROM (
    SELECT lpar, qmgr, interval_start_utc, restart_seen, mq_version <> lag(mq_version) OVER (PARTITION BY lpar, qmgr ORDER BY interval_start_utc) AS is_new_level
    FROM interval_cut
  )
  WHERE restart_seen OR is_new_level
),
-- The start or new level is after the last record, at the latest in the first slot without the class. A quiet slot with a start has the class without a record.
after_start AS (
  SELECT DISTINCT h.lpar, h.qmgr, h.record_class, h.hole_start_utc
  FROM hole AS h
  ASOF JOIN class_time AS t ON t.lpar = h.lpar AND t.qmgr = h.qmgr AND t.record_class = h.record_class AND t.first_utc <= h.hole_start_utc
  JOIN begun AS b
    ON b.lpar = h.lpar AND b.qmgr = h.qmgr AND b.interval_start_utc >= least(h.before_utc, t.last_utc) - to_seconds(2) AND b.interval_start_utc <= h.hole_start_utc
  WHERE h.was_there
),
clock AS (
  SELECT lpar, qmgr, interval_start_utc, interval_start_local - interval_start_utc AS offset_from_utc
  FROM interval_cut
  WHERE interval_start_local IS NOT NULL
)
SELECT
  h.lpar, h.qmgr, h.record_class, h.hole_start_utc, h.hole_end_utc,
  h.hole_start_utc + coalesce(a.offset_from_utc, to_minutes(q.gmt_offset_minutes::BIGINT)) AS hole_start_local,
  h.hole_end_utc + coalesce(e.offset_from_utc, to_minutes(q.gmt_offset_minutes::BIGINT)) AS hole_end_local,
  h.missing_slots, h.slots, h.missing_share_pct, h.slots_with_basic, h.is_at_start, h.is_at_end,
  s.hole_start_utc IS NOT NULL AS begun_before,
  c.active_channels AS active_channels_last
FROM hole AS h
LEFT JOIN after_start AS s ON s.lpar = h.lpar AND s.qmgr = h.qmgr AND s.record_class = h.record_class AND s.hole_start_utc = h.hole_start_utc
LEFT JOIN qmgr AS q ON q.lpar = h.lpar AND q.qmgr = h.qmgr
ASOF LEFT JOIN clock AS a ON a.lpar = h.lpar AND a.qmgr = h.qmgr AND a.interval_start_utc <= h.hole_start_utc
ASOF LEFT JOIN clock AS e ON e.lpar = h.lpar AND e.qmgr = h.qmgr AND e.interval_start_utc <= h.hole_end_utc
ASOF LEFT JOIN (
  SELECT lpar, qmgr, interval_end_utc, max(active_channels) AS active_channels FROM decoded.qcct GROUP BY lpar, qmgr, interval_end_utc
) AS c ON c.lpar = h.lpar AND c.qmgr = h.qmgr AND c.interval_end_utc <= h.hole_start_utc + to_seconds(1)
