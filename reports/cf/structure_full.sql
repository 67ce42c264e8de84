/*---
id       = "cf/structure_full"
title    = "Structure full"
question = "Was any structure full, when, and were entries or elements used up?"
unseen   = true
needs    = ["cf_structure", "queue_statistics"]
rules    = ["CF001", "CF002"]
grain    = ["lpar", "qmgr", "interval_start_utc", "cf_structure"]
wsc      = [10]
drill_down = ["cf/structures"]
site_input = ["cf_entries", "cf_elements"]
note     = "What runs out first is estimated from the initial ratio of 6 elements per entry, which the system may have altered. Queues are those of queue statistics (115.216). Up to CFLEVEL(4) each member keeps up to 340 messages that are got but not yet deleted."

[columns]
cf_structure = { from = "cf_structure" }
deepest_queue = { unit = "text", label = "deepest queue", screen = 1, doc = "Queue of the structure with the highest depth in the interval." }
deepest_queue_depth = { unit = "count", label = "its depth", screen = 1, doc = "Highest depth of this queue.", over = "max" }
put_failures = { label = "failed puts", screen = 2 }
---*/
WITH queued AS (
  SELECT
    lpar, qmgr, interval_start_utc, cf_structure,
    -- If several queues have the same depth, the first one by name.
    min({'depth': -depth_high, 'name': queue}) FILTER (depth_high IS NOT NULL) AS deepest,
    sum(put_failures + put1_failures)::BIGINT AS put_failures
  FROM queue_statistics
  WHERE cf_structure <> ''
  GROUP BY lpar, qmgr, interval_start_utc, cf_structure
)
SELECT
  c.lpar, c.qmgr, c.qsg, c.interval_start_utc, c.interval_seconds, c.interval_end_utc, c.mq_version, c.cf_structure, c.structure_number, c.structure_fulls,
  c.entries_high, c.elements_high, c.elements_per_entry, c.runs_out_first, c.capacity_used_pct,
  q.deepest['name']   AS deepest_queue,
  -q.deepest['depth'] AS deepest_queue_depth,
  q.put_failures
FROM cf_structure AS c
LEFT JOIN queued AS q
  ON q.lpar = c.lpar AND q.qmgr = c.qmgr AND q.interval_start_utc = c.interval_start_utc AND q.cf_structure = c.cf_structure
WHERE c.group_member AND c.structure_fulls > 0
ORDER BY structure_fulls DESC, lpar, qmgr, interval_start_utc, interval_end_utc, cf_structure
