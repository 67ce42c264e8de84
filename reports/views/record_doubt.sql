/*---
id      = "record_doubt"
title   = "Records next to damaged bytes whose content nothing confirms"
grain   = "one row per record_id"
needs   = ["decoded.record", "decoded.damage"]
keep    = true                            # empty without damage, and read by several views
note    = "Bytes that were inserted or lost shift the fields after them, so that numbers, times and names of a record next to them may be others. A record is confirmed by an undamaged one of its level with the number before or after its own."
---*/
WITH
touching AS (
  SELECT r.record_id, r.lpar, r.qmgr, r.resource_manager, r.instrumentation_id, r.instrumentation_sequence, r.mq_version
  FROM decoded.record AS r
  JOIN decoded.damage AS d ON d.source_id = r.source_id AND d.damage_offset = r.source_offset + r.input_bytes
  WHERE r.damage IS NULL
  UNION
  SELECT r.record_id, r.lpar, r.qmgr, r.resource_manager, r.instrumentation_id, r.instrumentation_sequence, r.mq_version
  FROM decoded.record AS r
  JOIN decoded.damage AS d ON d.source_id = r.source_id AND d.damage_offset + d.damage_bytes = r.source_offset
  WHERE r.damage IS NULL
),
beside AS (
  SELECT *, instrumentation_sequence + unnest([-1, 1]) AS number FROM touching
),
confirmed AS (
  SELECT b.record_id
  FROM beside AS b
  JOIN decoded.record AS r
    ON r.lpar = b.lpar AND r.qmgr = b.qmgr AND r.resource_manager = b.resource_manager AND r.instrumentation_id = b.instrumentation_id
    AND r.instrumentation_sequence = b.number AND r.mq_version IS NOT DISTINCT FROM b.mq_version
  WHERE r.damage IS NULL AND b.number > 0
)
SELECT record_id
FROM touching
WHERE record_id NOT IN (SELECT record_id FROM confirmed)
