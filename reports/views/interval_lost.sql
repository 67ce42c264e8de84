/*---
id      = "interval_lost"
title   = "Missing statistics intervals, lost or never written"
grain   = "one row per lpar, qmgr and interval after a gap"
needs   = ["interval_cut", "sequence_gap", "record_sequence"]
note    = "If the numbers of 115.1, 115.2, 115.201 and 115.215 go on over the gap, its intervals were never written; if numbers are missing, records were."

[columns]
lost_intervals = { unit = "count", doc = "Intervals in the gap whose records were written, as their numbers are missing; 0 if they were never written, null if the numbers do not show it.", over = "add" }
gap_cause = { unit = "text", doc = "lost (numbers are missing), damaged (their records are in the data), never written (numbers go on), or unknown." }
---*/
WITH
gap AS (
  SELECT lpar, qmgr, interval_start_utc, interval_end_utc, previous_end_utc, gap_seconds, gap_intervals
  FROM interval_cut
  WHERE gap_seconds > 2 AND NOT startup_interval AND gap_confirmed IS NOT FALSE
),
cut (counter) AS (
  VALUES (65537), (65538), (65544), (65545)
),
missing AS (
  SELECT
    i.lpar, i.qmgr, i.interval_start_utc,
    min(g.missing_numbers)                     AS missing_numbers,
    min(g.missing_numbers - g.damaged_records) AS lost_numbers
  FROM gap AS i
  JOIN sequence_gap AS g
    ON g.lpar = i.lpar AND g.qmgr = i.qmgr AND coalesce(g.before_utc < i.interval_end_utc, true) AND g.after_utc > i.previous_end_utc + INTERVAL 1 SECOND
  SEMI JOIN cut AS c ON c.counter = g.counter
  GROUP BY i.lpar, i.qmgr, i.interval_start_utc
),
counted AS (
  -- A run whose numbers were read before and after the gap.
  SELECT DISTINCT i.lpar, i.qmgr, i.interval_start_utc
  FROM gap AS i
  JOIN record_sequence AS s
    ON s.lpar = i.lpar AND s.qmgr = i.qmgr AND s.sequence_state = 'judged'
    AND s.first_stck_utc < i.previous_end_utc + INTERVAL 1 SECOND AND s.last_stck_utc > i.interval_start_utc
  SEMI JOIN cut AS c ON c.counter = s.counter
)
SELECT
  i.lpar, i.qmgr, i.interval_start_utc, i.previous_end_utc, i.gap_seconds,
  CASE
    WHEN m.lpar IS NOT NULL THEN least(m.missing_numbers, greatest(1, round(i.gap_intervals)::BIGINT))
    WHEN c.lpar IS NOT NULL THEN 0
  END AS lost_intervals,
  CASE
    WHEN m.lpar IS NOT NULL AND m.lost_numbers = 0 THEN 'damaged'
    WHEN m.lpar IS NOT NULL THEN 'lost'
    WHEN c.lpar IS NOT NULL THEN 'never written'
    ELSE 'unknown'
  END AS gap_cause
FROM gap AS i
LEFT JOIN missing AS m ON m.lpar = i.lpar AND m.qmgr = i.qmgr AND m.interval_start_utc = i.interval_start_utc
LEFT JOIN counted AS c ON c.lpar = i.lpar AND c.qmgr = i.qmgr AND c.interval_start_utc = i.interval_start_utc
