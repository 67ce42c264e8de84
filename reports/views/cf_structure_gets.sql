/*---
id      = "cf_structure_gets"
title   = "Redrives and gets of a CF structure over the period"
grain   = "one row per lpar, qmgr and CF structure"
needs   = ["cf_structure", "queue_statistics", "queue_use"]
classes = ["115.2"]
note    = "Helper of rule CF004. Gets come from queue statistics (115.216) where the structure has any, otherwise from class 3 accounting (116.1): queues without either are not counted."

[columns]
cf_structure = { from = "cf_structure" }
structure_multiple_calls = { unit = "count", doc = "Multiple-entry calls of the period.", over = "add" }
structure_redrives = { unit = "count", doc = "Redrives of these calls.", over = "add" }
structure_gets = { unit = "count", doc = "Messages got from the queues of the structure; null without queue statistics and class 3 accounting.", over = "add" }
structure_gets_from = { unit = "text", doc = "What counts the gets: queue statistics or accounting." }
structure_redrives_per_get = { unit = "ratio", doc = "Redrives per message got.", ratio = { numerator = "structure_redrives", denominator = "structure_gets" } }
---*/
WITH
called AS (
  SELECT
    lpar, qmgr, cf_structure, group_member, admin_structure,
    sum(multiple_calls)::BIGINT    AS structure_multiple_calls,
    sum(multiple_redrives)::BIGINT AS structure_redrives
  FROM cf_structure
  GROUP BY lpar, qmgr, cf_structure, group_member, admin_structure
),
counted AS (
  SELECT lpar, qmgr, cf_structure, sum(destructive_gets)::BIGINT AS gets
  FROM queue_statistics
  WHERE cf_structure <> ''
  GROUP BY lpar, qmgr, cf_structure
),
accounted AS (
  SELECT lpar, qmgr, cf_structure, sum(coalesce(valid_destructive_gets, valid_gets))::BIGINT AS gets
  FROM queue_use
  WHERE cf_structure <> ''
  GROUP BY lpar, qmgr, cf_structure
)
SELECT
  c.lpar, c.qmgr, c.cf_structure, c.group_member, c.admin_structure, c.structure_multiple_calls, c.structure_redrives,
  coalesce(n.gets, a.gets) AS structure_gets,
  CASE WHEN n.gets IS NOT NULL THEN 'queue statistics' WHEN a.gets IS NOT NULL THEN 'accounting' END AS structure_gets_from,
  c.structure_redrives / nullif(coalesce(n.gets, a.gets), 0) AS structure_redrives_per_get
FROM called AS c
LEFT JOIN counted AS n ON n.lpar = c.lpar AND n.qmgr = c.qmgr AND n.cf_structure = c.cf_structure
LEFT JOIN accounted AS a ON a.lpar = c.lpar AND a.qmgr = c.qmgr AND a.cf_structure = c.cf_structure
