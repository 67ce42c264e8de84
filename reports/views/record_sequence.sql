/*---
id      = "record_sequence"
title   = "Runs of numbered records"
grain   = "one row per lpar, qmgr, run and counter"
needs   = ["sequence_block", "sequence_gap", "decoded.numbered_record", "interval_cut"]
keep    = true
note    = "A queue manager numbers its records by kind and over all kinds, from 1 at each start; 115.5, 115.6, 115.7, 115.231 and 116.10 have no number. Nothing is known of records before the first or after the last number of a run."

[columns]
counted_class = { unit = "text", kind = "key", doc = "Record class that is counted; 'all numbered' for the number over all kinds.", label = "class", screen = 1 }
first_number = { unit = "id", kind = "key", doc = "First number of the run in the data.", label = "from", screen = 1 }
last_number = { unit = "id", kind = "key", doc = "Last number of the run in the data.", label = "to", screen = 1 }
records_seen = { unit = "count", doc = "Undamaged records with a number of the run; a record that is in the data twice counts once.", over = "add", label = "seen", screen = 1 }
missing_numbers = { doc = "Numbers between the first and the last one without an undamaged record.", over = "add", label = "missing", screen = 1 }
damaged_records = { doc = "Of the missing numbers, those of which a damaged record is in the data.", over = "add", label = "damaged", screen = 1 }
lost_records = { unit = "count", doc = "Missing numbers without a record, damaged or not; null if they are not judged.", over = "add", label = "lost", screen = 1 }
repeated_numbers = { unit = "count", doc = "Records whose number another, unequal record of the run has.", over = "add", label = "repeated", screen = 1 }
first_stck_utc = { doc = "Store clock of the first record of the run." }
last_stck_utc = { doc = "Store clock of the last record of the run." }
first_written_local = { doc = "Time at which the first record of the run was written.", label = "first written", screen = 2 }
last_written_local = { doc = "Time at which the last record of the run was written.", label = "last written", screen = 2 }
sequence_state = { unit = "text", doc = "judged; or why missing numbers are not judged: two queue managers of one name, one identifier for two classes, an input with records of one type only (over all kinds), numbers are skipped (over all kinds), or the input is destroyed (a range of missing numbers is not countable).", label = "state", screen = 1 }
---*/
WITH
spanned AS (
  SELECT
    lpar, qmgr, run, counter,
    min(32 * block + log2(numbers_present & -numbers_present)::BIGINT) AS first_number,
    max(32 * block + floor(log2(numbers_present))::BIGINT)             AS last_number,
    sum(records)::BIGINT                       AS records_seen,
    sum(records - bit_count(numbers_present))::BIGINT AS repeated_numbers,
    min(first_class)         AS first_class,
    max(last_class)          AS last_class,
    min(first_total)         AS first_total,
    max(last_total)          AS last_total,
    min(first_stck_utc)      AS first_stck_utc,
    max(last_stck_utc)       AS last_stck_utc,
    min(first_written_local) AS first_written_local,
    max(last_written_local)  AS last_written_local
  FROM sequence_block
  GROUP BY lpar, qmgr, run, counter
),
gap AS (
  SELECT lpar, qmgr, run, counter, sum(missing_numbers)::BIGINT AS missing_numbers, sum(damaged_records)::BIGINT AS damaged_records, bool_and(countable) AS countable
  FROM sequence_gap
  GROUP BY lpar, qmgr, run, counter
),
shared AS (
  SELECT counter FROM spanned WHERE counter > 0 GROUP BY counter HAVING min(first_class) <> max(last_class)
),
two_of_one_name AS (
  SELECT DISTINCT lpar, qmgr FROM interval_cut WHERE overlap_seconds > 1
),
one_type AS (
  SELECT DISTINCT n.lpar, n.qmgr
  FROM (SELECT DISTINCT lpar, qmgr, source_id FROM decoded.numbered_record) AS n
  JOIN (
    SELECT source_id FROM decoded.numbered_record GROUP BY source_id HAVING min(smf_type) = max(smf_type)
  ) AS s ON s.source_id = n.source_id
),
unexplained AS (
  -- Numbers over all kinds that are missing where no kind misses one, and none begins later or ended before.
  SELECT g.lpar, g.qmgr, g.run, count(*) AS gaps
  FROM sequence_gap AS g
  WHERE g.counter = 0
    AND NOT EXISTS (
      SELECT 1 FROM sequence_gap AS k
      WHERE k.counter > 0 AND k.lpar = g.lpar AND k.qmgr = g.qmgr AND k.run = g.run
        AND coalesce(k.before_total, 0) <= coalesce(g.before_total, 0) AND k.after_total >= g.after_total
    )
    AND NOT EXISTS (
      SELECT 1 FROM spanned AS k
      WHERE k.counter > 0 AND k.lpar = g.lpar AND k.qmgr = g.qmgr AND k.run = g.run
        AND (k.first_total >= g.after_total OR k.last_total <= coalesce(g.before_total, 0))
    )
  GROUP BY g.lpar, g.qmgr, g.run
),
stated AS (
  SELECT
    s.*,
    coalesce(g.missing_numbers, 0) AS missing_numbers,
    coalesce(g.damaged_records, 0) AS damaged_records,
    CASE
      WHEN t.lpar IS NOT NULL THEN 'two queue managers of one name'
      WHEN h.counter IS NOT NULL THEN 'one identifier for two classes'
      WHEN NOT coalesce(g.countable, true) THEN 'not countable: the input is destroyed'
      WHEN s.counter = 0 AND o.lpar IS NOT NULL THEN 'an input has records of one type only'
      WHEN s.counter = 0 AND u.gaps > 2 THEN 'numbers are skipped'
      ELSE 'judged'
    END AS sequence_state
  FROM spanned AS s
  LEFT JOIN gap AS g ON g.lpar = s.lpar AND g.qmgr = s.qmgr AND g.run = s.run AND g.counter = s.counter
  LEFT JOIN shared AS h ON h.counter = s.counter
  LEFT JOIN two_of_one_name AS t ON t.lpar = s.lpar AND t.qmgr = s.qmgr
  LEFT JOIN one_type AS o ON o.lpar = s.lpar AND o.qmgr = s.qmgr
  LEFT JOIN unexplained AS u ON u.lpar = s.lpar AND u.qmgr = s.qmgr AND u.run = s.run
)
SELECT
  lpar, qmgr, run, counter,
  CASE WHEN counter = 0 THEN 'all numbered' WHEN first_class <> last_class THEN first_class || ' and ' || last_class ELSE first_class END AS counted_class,
  first_number, last_number, records_seen, missing_numbers, damaged_records,
  CASE WHEN sequence_state = 'judged' THEN missing_numbers - damaged_records END AS lost_records,
  repeated_numbers, first_stck_utc, last_stck_utc, first_written_local, last_written_local, sequence_state
FROM stated
