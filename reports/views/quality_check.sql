/*---
id      = "quality_check"
title   = "Consistency checks of reader and records"
grain   = "one row per check"
needs   = ["source", "damage", "record_count", "section", "quality_unknown", "page_set", "log", "quality_task_block", "chinit_task", "interval_cut", "quality_task_time", "quality_queue_pool", "buffer_pool", "record_duplicate", "quality_negative"]
keep    = true                           # expensive, and read more than once

[columns]
check_name = { unit = "text", kind = "key", doc = "What is checked.", label = "check", screen = 1 }
items_checked = { unit = "count", doc = "Number of items checked.", over = "add", label = "checked", screen = 1 }
items_failed = { unit = "count", doc = "Number of items that failed.", over = "add", label = "failed", screen = 1 }
worst_difference = { unit = "number", doc = "Largest absolute difference; null if the check does not compare values.", over = "max", label = "worst difference", format = ".0f", screen = 2 }
failed_record_id = { unit = "id", kind = "key", doc = "Record id of the first failure; null if the failure does not concern a record." }
failed_source_id = { unit = "id", kind = "key", doc = "Input of the first failure if it does not concern a record." }
failed_offset = { unit = "bytes", kind = "internal", doc = "Offset of the first failure in that input." }
---*/
WITH level_length AS (
  SELECT mq_version, structure, max(section_bytes) AS section_bytes
  FROM section
  GROUP BY mq_version, structure
)
SELECT
  'bytes read = bytes decoded + bytes skipped' AS check_name, count(*) AS items_checked,
  count(*) FILTER (source_bytes <> bytes_decoded + bytes_other_types + bytes_internal + bytes_raw + bytes_damaged + bytes_duplicate + bytes_skipped) AS items_failed,
  max(abs(source_bytes - bytes_decoded - bytes_other_types - bytes_internal - bytes_raw - bytes_damaged - bytes_duplicate - bytes_skipped))::DOUBLE  AS worst_difference,
  NULL AS failed_record_id,
  min(source_id) FILTER (source_bytes <> bytes_decoded + bytes_other_types + bytes_internal + bytes_raw + bytes_damaged + bytes_duplicate + bytes_skipped) AS failed_source_id,
  0 AS failed_offset
FROM source
UNION ALL
SELECT
  'records read = decoded + counted only + damaged',
  sum(records_decoded + records_other_types + records_internal + records_raw + records_damaged + records_duplicate)::BIGINT, sum(records_damaged)::BIGINT, NULL,
  NULL, (SELECT min(source_id) FROM damage), (SELECT arg_min(damage_offset, (source_id, damage_offset)) FROM damage)
FROM source
UNION ALL
SELECT
  'spanned records joined', (SELECT coalesce(sum(spanned_records), 0)::BIGINT FROM record_count),
  coalesce(sum(spans), 0)::BIGINT, NULL, NULL, min(source_id), arg_min(damage_offset, (source_id, damage_offset))
FROM damage
WHERE damage_reason IN ('orphan-segment', 'missing-segment')
UNION ALL
SELECT
  'sections longer than known', coalesce(sum(sections), 0)::BIGINT, coalesce(sum(sections) FILTER (tail_bytes > 0), 0)::BIGINT,
  max(section_bytes - section_bytes_known) FILTER (tail_bytes > 0), NULL, NULL, NULL
FROM section
UNION ALL
SELECT
  'sections shorter than others of the same level', coalesce(sum(s.sections), 0)::BIGINT,
  coalesce(sum(s.sections) FILTER (s.section_bytes < l.section_bytes), 0)::BIGINT, max(l.section_bytes - s.section_bytes), NULL, NULL, NULL
FROM section AS s
JOIN level_length AS l ON l.mq_version = s.mq_version AND l.structure = s.structure
UNION ALL
SELECT
  'unknown (type, subtype, triplet) pairs', (SELECT coalesce(sum(sections), 0)::BIGINT FROM section),
  coalesce(sum(unknown_items) FILTER (unknown_content LIKE 'section %' OR unknown_content LIKE 'records %'), 0)::BIGINT, NULL, NULL, NULL, NULL
FROM quality_unknown
UNION ALL
SELECT
  'pages of page sets = sum of their parts', count(identity_error_pages), count(*) FILTER (identity_error_pages <> 0), max(abs(identity_error_pages)),
  min(record_id) FILTER (identity_error_pages <> 0), NULL, NULL
FROM page_set
UNION ALL
SELECT
  'control intervals written = sum of the log copies', count(log_closure_error), count(*) FILTER (abs(log_closure_error) > 2), max(abs(log_closure_error)),
  min(record_id) FILTER (abs(log_closure_error) > 2), NULL, NULL
FROM log
UNION ALL
SELECT
  'queue blocks of tasks = blocks in the records', coalesce(sum(tasks_checked), 0)::BIGINT, coalesce(sum(tasks_failed), 0)::BIGINT, sum(blocks_missing), min(record_id), NULL, NULL
FROM quality_task_block
UNION ALL
SELECT
  'dispatcher time = busy + idle', count(unaccounted_us), count(*) FILTER (abs(unaccounted_us) > 0.01 * interval_us), max(abs(unaccounted_us)),
  min(record_id) FILTER (abs(unaccounted_us) > 0.01 * interval_us), NULL, NULL
FROM chinit_task
WHERE task_type = 'dispatcher'
UNION ALL
SELECT
  'intervals that overlap', count(*), count(*) FILTER (overlap_seconds > 1), max(overlap_seconds), min(record_id) FILTER (overlap_seconds > 1), NULL, NULL
FROM interval_cut
UNION ALL
SELECT
  'task times longer than the task interval', coalesce(sum(tasks_checked), 0)::BIGINT, coalesce(sum(tasks_over), 0)::BIGINT,
  max(longest_seconds) FILTER (tasks_over > 0), min(record_id) FILTER (tasks_over > 0), NULL, NULL
FROM quality_task_time
UNION ALL
SELECT
  'latch times shifted by 32 bits (corrected)', coalesce(sum(tasks_checked), 0)::BIGINT, coalesce(sum(latch_times_shifted), 0)::BIGINT, NULL,
  NULL, NULL, NULL
FROM quality_task_time
UNION ALL
SELECT
  'pools in accounting that differ from the page set (corrected)', coalesce(sum(queue_blocks_seen), 0)::BIGINT,
  coalesce(sum(queue_blocks_seen) FILTER (pool_differs), 0)::BIGINT, NULL, min(record_id) FILTER (pool_differs), NULL, NULL
FROM quality_queue_pool
UNION ALL
SELECT
  'more free buffers than the pool has', count(*), count(*) FILTER (greatest(lowest_stealable, current_stealable) > buffers),
  max(greatest(lowest_stealable, current_stealable) - buffers) FILTER (greatest(lowest_stealable, current_stealable) > buffers),
  min(record_id) FILTER (greatest(lowest_stealable, current_stealable) > buffers), NULL, NULL
FROM buffer_pool
UNION ALL
SELECT
  'counters below zero', count(lowest_counter), count(*) FILTER (lowest_counter < 0), -min(lowest_counter) FILTER (lowest_counter < 0),
  min(record_id) FILTER (lowest_counter < 0), NULL, NULL
FROM quality_negative
UNION ALL
SELECT
  'duplicate records', (SELECT coalesce(sum(records), 0)::BIGINT FROM record_count), count(*), NULL, min(record_id), NULL, NULL
FROM record_duplicate
