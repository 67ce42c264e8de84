/*---
id      = "sequence_loss"
title   = "Lost records by queue manager"
grain   = "one row per lpar and qmgr with numbered records"
needs   = ["record_sequence", "sequence_gap", "interval_lost", "interval_cut"]
note    = "Records of a kind are counted between its first and last number; the number over all kinds also counts records before the first or after the last one of their kind, whose kind is not known."

[columns]
numbered_records = { unit = "count", doc = "Undamaged records with a number.", over = "add" }
runs = { unit = "count", doc = "Runs of the queue manager in the data.", over = "max" }
lost_records = { doc = "Records whose numbers are missing and that are not in the data as damaged records; null if no number is judged.", over = "add" }
unknown_kind_lost = { unit = "count", doc = "Of the lost records those of an unknown kind.", over = "add" }
lost_apart = { unit = "count", doc = "Of the lost records those whose neighbours are not before and after a statistics interval that was lost (interval_lost).", over = "add" }
damaged_numbers = { unit = "count", doc = "Missing numbers of which a damaged record is in the data.", over = "add" }
repeated_numbers = { doc = "Records whose number another, unequal record of the same run and kind has.", over = "add" }
destroyed_kinds = { unit = "count", doc = "Kinds of which no lost records can be counted, because their numbers are destroyed.", over = "add" }
lost_text = { unit = "text", doc = "Number of lost records of each kind; null without any." }
classes_text = { unit = "text", doc = "Classes whose numbers are judged." }
first_loss_local = { unit = "ts_local", kind = "clock", doc = "Time at which the last record before the first loss was written." }
last_loss_local = { unit = "ts_local", kind = "clock", doc = "Time at which the first record after the last loss was written." }
loss_record_id = { unit = "id", kind = "key", doc = "The record after the first loss." }
loss_damaged_spans = { unit = "count", doc = "Damaged spans of the input at the losses.", over = "add" }
loss_smf_records = { unit = "count", doc = "Records of SMF type 7 (lost data) at the losses.", over = "add" }
---*/
WITH
run_loss AS (
  SELECT
    lpar, qmgr, run,
    sum(lost_records) FILTER (counter > 0)::BIGINT AS of_kinds,
    sum(lost_records) FILTER (counter = 0)::BIGINT AS of_all,
    sum(records_seen) FILTER (counter > 0)::BIGINT AS numbered_records,
    sum(repeated_numbers) FILTER (counter > 0)::BIGINT AS repeated_numbers,
    max(damaged_records) FILTER (counter = 0) AS damaged_of_all,
    sum(damaged_records) FILTER (counter > 0)::BIGINT AS damaged_of_kinds,
    min(first_written_local) AS first_written_local,
    count(*) FILTER (sequence_state LIKE 'not countable%') AS destroyed_kinds,
    max(last_written_local)  AS last_written_local
  FROM record_sequence
  GROUP BY lpar, qmgr, run
),
summed AS (
  SELECT
    lpar, qmgr,
    count(*)                                 AS runs,
    sum(numbered_records)::BIGINT            AS numbered_records,
    sum(greatest(of_kinds, of_all))::BIGINT  AS lost_records,
    sum(greatest(of_kinds, of_all) - coalesce(of_kinds, 0))::BIGINT AS unknown_kind_lost,
    sum(greatest(damaged_of_all, damaged_of_kinds))::BIGINT AS damaged_numbers,
    sum(repeated_numbers)::BIGINT            AS repeated_numbers,
    sum(destroyed_kinds)::BIGINT             AS destroyed_kinds,
    min(first_written_local)                 AS first_written_local,
    max(last_written_local)                  AS last_written_local
  FROM run_loss
  GROUP BY lpar, qmgr
),
by_class AS (
  SELECT lpar, qmgr, counted_class, counter, sum(lost_records)::BIGINT AS lost_records
  FROM record_sequence
  WHERE counter > 0 AND sequence_state = 'judged'
  GROUP BY lpar, qmgr, counted_class, counter
),
listed AS (
  SELECT
    lpar, qmgr,
    string_agg(format('{:,} of {}', lost_records, counted_class), ', ' ORDER BY try_cast(split_part(counted_class, '.', 1) AS INTEGER), try_cast(split_part(counted_class, '.', 2) AS INTEGER))
      FILTER (lost_records > 0) AS lost_text,
    string_agg(counted_class, ', ' ORDER BY try_cast(split_part(counted_class, '.', 1) AS INTEGER), try_cast(split_part(counted_class, '.', 2) AS INTEGER)) AS classes_text
  FROM by_class
  GROUP BY lpar, qmgr
),
judged_gap AS (
  SELECT g.*
  FROM sequence_gap AS g
  JOIN record_sequence AS s
    ON s.lpar = g.lpar AND s.qmgr = g.qmgr AND s.run = g.run AND s.counter = g.counter AND s.sequence_state = 'judged'
  WHERE g.missing_numbers > g.damaged_records
),
lost_interval AS (
  SELECT i.lpar, i.qmgr, i.interval_start_utc, i.previous_end_utc
  FROM interval_lost AS i
  JOIN interval_cut AS c ON c.lpar = i.lpar AND c.qmgr = i.qmgr AND c.interval_start_utc = i.interval_start_utc
  WHERE i.gap_cause = 'lost' AND NOT c.restart_seen
),
apart AS (
  SELECT
    g.lpar, g.qmgr, g.run,
    sum(g.missing_numbers - g.damaged_records) FILTER (g.counter > 0)::BIGINT AS of_kinds,
    sum(g.missing_numbers - g.damaged_records) FILTER (g.counter = 0)::BIGINT AS of_all
  FROM judged_gap AS g
  ANTI JOIN lost_interval AS i
    ON i.lpar = g.lpar AND i.qmgr = g.qmgr AND g.before_utc < i.interval_start_utc AND g.after_utc > i.previous_end_utc + INTERVAL 1 SECOND
  GROUP BY g.lpar, g.qmgr, g.run
),
apart_sum AS (
  SELECT lpar, qmgr, sum(greatest(of_kinds, of_all))::BIGINT AS lost_apart FROM apart GROUP BY lpar, qmgr
),
loss AS (
  SELECT
    g.lpar, g.qmgr,
    min(coalesce(g.before_local, g.after_local)) AS first_loss_local,
    max(g.after_local)                           AS last_loss_local,
    arg_min(g.after_record_id, (g.after_utc, g.after_record_id)) AS loss_record_id,
    max(g.damaged_spans)                         AS loss_damaged_spans,
    max(g.smf_lost_data)                         AS loss_smf_records
  FROM judged_gap AS g
  GROUP BY g.lpar, g.qmgr
)
SELECT
  s.lpar, s.qmgr, s.numbered_records, s.runs, s.lost_records, s.unknown_kind_lost,
  CASE WHEN s.lost_records IS NOT NULL THEN coalesce(a.lost_apart, 0) END AS lost_apart,
  s.damaged_numbers, s.repeated_numbers, s.destroyed_kinds,
  concat_ws(', ', i.lost_text, CASE WHEN s.unknown_kind_lost > 0 THEN format('{:,} of a kind that is not known', s.unknown_kind_lost) END) AS lost_text,
  i.classes_text,
  l.first_loss_local, l.last_loss_local, l.loss_record_id,
  coalesce(l.loss_damaged_spans, 0) AS loss_damaged_spans,
  coalesce(l.loss_smf_records, 0)   AS loss_smf_records,
  s.first_written_local, s.last_written_local
FROM summed AS s
LEFT JOIN apart_sum AS a ON a.lpar = s.lpar AND a.qmgr = s.qmgr
LEFT JOIN listed AS i ON i.lpar = s.lpar AND i.qmgr = s.qmgr
LEFT JOIN loss AS l ON l.lpar = s.lpar AND l.qmgr = s.qmgr
