/*---
id         = "overview/data_quality"
title      = "Data quality"
question   = "Was every byte decoded, and are the records consistent?"
needs      = ["quality_check", "record", "source"]
rules      = ["CV011", "DQ001", "DQ002", "DQ003", "DQ004", "DQ007", "DQ008", "DQ009", "DQ010", "DQ011", "DQ012", "DQ014", "DQ015", "DQ016"]
grain      = ["check_name"]
unmarked   = "A row is a check over all inputs; its rules judge one input, one queue manager or one interval."
drill_down = ["overview/contents"]
note       = "Normally, up to two log writes are in progress when a record is written, and the times of a task may differ by 1 % of an interval. All counters in these records start at 0 in each interval, so no counter can be lower than its previous value."

[columns]
page_set_identity = { unit = "pages", label = "page set difference", over = "max", doc = "Largest difference between the pages of a page set and their parts." }
log_closure = { unit = "count", label = "log copy difference", over = "max", doc = "Largest difference between control intervals written and those of the copies." }
queue_block_closure = { unit = "count", label = "missing queue blocks", over = "add", doc = "Missing queue blocks of tasks." }
chinit_time_closure_us = { unit = "us", label = "dispatcher time difference", over = "max", doc = "Largest time of a dispatcher that is neither busy nor idle." }
first_failure = { unit = "text", label = "first failure", screen = 1, doc = "Input and byte offset of the first failed item; null if nothing failed or the item has no offset." }
---*/
WITH failed AS (
  SELECT r.record_id, r.source_id, r.source_offset
  FROM record AS r
  SEMI JOIN quality_check AS q ON q.failed_record_id = r.record_id AND q.items_failed > 0
)
SELECT
  c.check_name, c.items_checked, c.items_failed, c.worst_difference,
  CASE WHEN c.check_name = 'pages of page sets = sum of their parts' THEN c.worst_difference::BIGINT END    AS page_set_identity,
  CASE WHEN c.check_name = 'control intervals written = sum of the log copies' THEN c.worst_difference::BIGINT END          AS log_closure,
  CASE WHEN c.check_name = 'queue blocks of tasks = blocks in the records' THEN c.worst_difference::BIGINT END AS queue_block_closure,
  CASE WHEN c.check_name = 'dispatcher time = busy + idle' THEN c.worst_difference::BIGINT END    AS chinit_time_closure_us,
  CASE WHEN c.items_failed > 0
    THEN s.source_name || ' offset ' || coalesce(f.source_offset, c.failed_offset) END AS first_failure
FROM quality_check AS c
LEFT JOIN failed AS f ON f.record_id = c.failed_record_id
LEFT JOIN source AS s ON s.source_id = coalesce(f.source_id, c.failed_source_id)
ORDER BY items_failed DESC, check_name
