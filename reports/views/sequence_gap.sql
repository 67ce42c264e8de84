/*---
id      = "sequence_gap"
title   = "Numbers of records that are missing"
grain   = "one row per lpar, qmgr, run, counter and range of missing numbers"
needs   = ["sequence_block", "sequence_number", "decoded.numbered_record", "decoded.sequence_scope", "record_doubt", "damage", "other_record"]
keep    = true
note    = "Numbers between the first and the last one of a run; after a startup record that is not the first of the data, also those before the first one."

[columns]
first_missing = { unit = "id", kind = "key", doc = "First missing number." }
last_missing = { unit = "id", kind = "key", doc = "Last missing number." }
missing_numbers = { unit = "count", doc = "Numbers of the range of which no undamaged record is in the data.", over = "add" }
damaged_records = { unit = "count", doc = "Records with a number of the range that are in the data, but damaged.", over = "add" }
countable = { unit = "flag", doc = "A queue manager can have written so many records between the two: at most one a second of a kind of 115 and 100 at once, 100,000 a second of others. Otherwise a number is destroyed." }
before_utc = { unit = "ts_utc", kind = "clock", doc = "Store clock of the record before the range; null if the range is before the first record of a run." }
after_utc = { unit = "ts_utc", kind = "clock", doc = "Store clock of the record after the range." }
before_local = { unit = "ts_local", kind = "clock", doc = "Time at which the record before the range was written." }
after_local = { unit = "ts_local", kind = "clock", doc = "Time at which the record after the range was written." }
before_total = { unit = "id", kind = "key", doc = "Number over all kinds of the record before the range." }
after_total = { unit = "id", kind = "key", doc = "Number over all kinds of the record after the range." }
after_record_id = { unit = "id", kind = "key", doc = "The record after the range." }
damaged_spans = { unit = "count", doc = "Damaged spans of the input between the two records; of a range before the first record of a run, those before the record after it.", over = "add" }
smf_lost_data = { unit = "count", doc = "Records of SMF type 7 (lost data) of the LPAR that were written between the two records, at least.", over = "add" }
---*/
WITH
present AS (
  SELECT lpar, qmgr, run, counter, 32 * block AS lowest, 32 * block + 31 AS highest, first_class, first_stck_utc
  FROM sequence_block
  WHERE numbers_present = 4294967295
  UNION ALL
  SELECT b.lpar, b.qmgr, b.run, b.counter, 32 * b.block + u.position, 32 * b.block + u.position, b.first_class, b.first_stck_utc
  FROM sequence_block AS b
  CROSS JOIN (SELECT unnest(range(32)) AS position) AS u
  WHERE b.numbers_present <> 4294967295 AND (b.numbers_present >> u.position) & 1 = 1
),
counted AS (
  SELECT
    lpar, qmgr, run, counter, min(run) OVER (PARTITION BY lpar, qmgr) AS first_run,
    min(min(first_stck_utc)) OVER (PARTITION BY lpar, qmgr, run) AS run_start_utc,
    counter > 0 AND min(first_class) LIKE '115.%' AS of_interval
  FROM present
  GROUP BY lpar, qmgr, run, counter
),
startup AS (
  -- It has another number only if the numbers were moved in data that is passed on, and then the first numbers of the run are not known.
  SELECT DISTINCT lpar, qmgr, run
  FROM present
  WHERE counter > 0 AND first_class = '115.240' AND lowest = 1
),
bounded AS (
  SELECT lpar, qmgr, run, counter, lowest, highest FROM present
  UNION ALL
  SELECT c.lpar, c.qmgr, c.run, c.counter, 0, 0
  FROM counted AS c
  JOIN startup AS s ON s.lpar = c.lpar AND s.qmgr = c.qmgr AND s.run = c.run
  WHERE c.run > c.first_run
),
stepped AS (
  SELECT *, lag(highest) OVER (PARTITION BY lpar, qmgr, run, counter ORDER BY lowest) AS number_before
  FROM bounded
),
hole AS (
  SELECT lpar, qmgr, run, counter, number_before, lowest AS number_after
  FROM stepped
  WHERE lowest > number_before + 1
),
wanted AS (
  SELECT lpar, qmgr, run, counter, number_before AS number FROM hole
  UNION
  SELECT lpar, qmgr, run, counter, number_after FROM hole
),
edge AS (
  SELECT w.*, n.source_id, n.source_offset, n.record_id, n.header_stck_utc, n.written_local, n.trace_sequence
  FROM wanted AS w
  JOIN sequence_number AS n
    ON n.counter = w.counter AND n.instrumentation_sequence = w.number AND n.lpar = w.lpar AND n.qmgr = w.qmgr AND n.run = w.run
  UNION ALL
  SELECT w.*, n.source_id, n.source_offset, n.record_id, n.header_stck_utc, n.written_local, n.trace_sequence
  FROM wanted AS w
  JOIN sequence_number AS n ON n.trace_sequence = w.number AND n.lpar = w.lpar AND n.qmgr = w.qmgr AND n.run = w.run
  WHERE w.counter = 0
),
known AS (
  SELECT DISTINCT ON (lpar, qmgr, run, counter, number) *
  FROM edge
  ORDER BY lpar, qmgr, run, counter, number, record_id
),
ranged AS (
  SELECT
    h.lpar, h.qmgr, h.run, h.counter,
    h.number_before + 1               AS first_missing,
    h.number_after - 1                AS last_missing,
    h.number_after - h.number_before - 1 AS numbers,
    greatest(0, epoch_us(a.header_stck_utc - coalesce(b.header_stck_utc, c.run_start_utc)) / 1e6) AS seconds,
    c.of_interval,
    b.header_stck_utc AS before_utc, a.header_stck_utc AS after_utc,
    b.written_local AS before_local, a.written_local AS after_local,
    b.trace_sequence AS before_total, a.trace_sequence AS after_total,
    b.source_id AS before_source_id, a.source_id AS after_source_id,
    b.source_offset AS before_offset, a.source_offset AS after_offset,
    a.record_id AS after_record_id
  FROM hole AS h
  JOIN counted AS c ON c.lpar = h.lpar AND c.qmgr = h.qmgr AND c.run = h.run AND c.counter = h.counter
  LEFT JOIN known AS b
    ON b.lpar = h.lpar AND b.qmgr = h.qmgr AND b.run = h.run AND b.counter = h.counter AND b.number = h.number_before
  LEFT JOIN known AS a
    ON a.lpar = h.lpar AND a.qmgr = h.qmgr AND a.run = h.run AND a.counter = h.counter AND a.number = h.number_after
),
broken AS (
  SELECT
    n.lpar, n.qmgr, n.written_local, n.trace_sequence, n.instrumentation_sequence, n.damage IS NOT NULL AS is_damaged,
    CASE n.resource_manager WHEN '1A' THEN 65536 ELSE 131072 END + n.instrumentation_id AS counter
  FROM decoded.numbered_record AS n
  LEFT JOIN record_doubt AS d ON d.record_id = n.record_id
  WHERE n.damage IS NOT NULL OR d.record_id IS NOT NULL
),
damaged AS (
  SELECT
    r.lpar, r.qmgr, r.run, r.counter, r.first_missing,
    count(DISTINCT (d.counter, d.instrumentation_sequence)) FILTER (d.is_damaged)     AS damaged_records,
    count(DISTINCT (d.counter, d.instrumentation_sequence)) FILTER (NOT d.is_damaged) AS doubtful_records
  FROM ranged AS r
  JOIN broken AS d
    ON d.lpar = r.lpar AND d.qmgr = r.qmgr AND r.counter IN (0, d.counter)
    AND CASE r.counter WHEN 0 THEN d.trace_sequence ELSE d.instrumentation_sequence END BETWEEN r.first_missing AND r.last_missing
    AND coalesce(d.written_local BETWEEN r.before_local - INTERVAL 1 HOUR AND r.after_local + INTERVAL 1 HOUR, true)
  GROUP BY r.lpar, r.qmgr, r.run, r.counter, r.first_missing
),
spanned AS (
  SELECT r.lpar, r.qmgr, r.run, r.counter, r.first_missing, sum(d.spans)::BIGINT AS damaged_spans
  FROM ranged AS r
  JOIN damage AS d ON d.source_id IN (r.before_source_id, r.after_source_id)
  WHERE CASE
    WHEN r.before_source_id = r.after_source_id
      THEN d.damage_offset BETWEEN least(r.before_offset, r.after_offset) AND greatest(r.before_offset, r.after_offset)
    WHEN d.source_id = r.before_source_id THEN d.damage_offset >= r.before_offset
    ELSE d.damage_offset <= r.after_offset
  END
  GROUP BY r.lpar, r.qmgr, r.run, r.counter, r.first_missing
),
recorded AS (
  SELECT r.lpar, r.qmgr, r.run, r.counter, r.first_missing, sum(o.records)::BIGINT AS smf_lost_data
  FROM ranged AS r
  JOIN other_record AS o
    ON o.smf_type = 7 AND o.lpar = r.lpar AND o.last_written_local >= r.before_local AND o.first_written_local <= r.after_local
  GROUP BY r.lpar, r.qmgr, r.run, r.counter, r.first_missing
)
SELECT
  r.lpar, r.qmgr, r.run, r.counter, r.first_missing, r.last_missing,
  r.numbers - coalesce(d.doubtful_records, 0) AS missing_numbers,
  coalesce(d.damaged_records, 0) AS damaged_records,
  r.numbers <= CASE WHEN r.of_interval THEN 100 + r.seconds ELSE 100000 * (1 + r.seconds) END AS countable,
  r.before_utc, r.after_utc, r.before_local, r.after_local, r.before_total, r.after_total, r.after_record_id,
  coalesce(s.damaged_spans, 0) AS damaged_spans,
  coalesce(l.smf_lost_data, 0) AS smf_lost_data
FROM ranged AS r
-- Of a dataset the neighbouring days are read too.
JOIN decoded.sequence_scope AS p
  ON coalesce(r.after_local >= p.first_local, true) AND coalesce(coalesce(r.before_local, r.after_local) < p.end_local, true)
LEFT JOIN damaged AS d
  ON d.lpar = r.lpar AND d.qmgr = r.qmgr AND d.run = r.run AND d.counter = r.counter AND d.first_missing = r.first_missing
LEFT JOIN spanned AS s
  ON s.lpar = r.lpar AND s.qmgr = r.qmgr AND s.run = r.run AND s.counter = r.counter AND s.first_missing = r.first_missing
LEFT JOIN recorded AS l
  ON l.lpar = r.lpar AND l.qmgr = r.qmgr AND l.run = r.run AND l.counter = r.counter AND l.first_missing = r.first_missing
WHERE r.numbers > coalesce(d.doubtful_records, 0)
