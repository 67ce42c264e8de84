/*---
id      = "cf_structure_queues"
title   = "Queues and persistence of a CF structure over the period"
grain   = "one row per lpar, qmgr and CF structure with queue statistics"
needs   = ["queue_statistics"]
classes = ["115.216"]
note    = "Helper of rules CF009 and CF010. Only queues with STATQ on are counted; the queues of a structure are counted over all members of the group."

[columns]
cf_structure = { doc = "CF structure name." }
persistent_structure_puts = { unit = "count", doc = "Persistent messages put to its queues by this queue manager.", over = "add" }
nonpersistent_structure_puts = { unit = "count", doc = "Nonpersistent messages put to its queues by this queue manager.", over = "add" }
structure_puts = { unit = "count", doc = "Messages put to its queues by this queue manager.", over = "add" }
minority_share = { unit = "ratio", doc = "The smaller of the two numbers as a share of their sum.", over = "max" }
structure_queues = { unit = "count", doc = "Different queues of the structure in the statistics of all members of the group.", over = "same" }
structure_queues_pct = { unit = "percent", doc = "These queues as a share of the 512 that a structure can have.", over = "same" }
---*/
WITH
seen AS (
  SELECT lpar, qmgr, qsg, cf_structure, queue, persistent_mqputs, persistent_mqput1s, nonpersistent_mqputs, nonpersistent_mqput1s
  FROM queue_statistics
  WHERE cf_structure <> ''
),
total AS (
  SELECT
    lpar, qmgr, qsg, cf_structure,
    sum(persistent_mqputs + persistent_mqput1s)::BIGINT       AS persistent_structure_puts,
    sum(nonpersistent_mqputs + nonpersistent_mqput1s)::BIGINT AS nonpersistent_structure_puts
  FROM seen
  GROUP BY lpar, qmgr, qsg, cf_structure
),
defined AS (
  SELECT coalesce(qsg, lpar || '/' || qmgr) AS group_key, cf_structure, count(DISTINCT queue) AS structure_queues
  FROM seen
  GROUP BY group_key, cf_structure
)
SELECT
  t.lpar, t.qmgr, t.qsg, t.cf_structure, t.persistent_structure_puts, t.nonpersistent_structure_puts,
  t.persistent_structure_puts + t.nonpersistent_structure_puts AS structure_puts,
  least(t.persistent_structure_puts, t.nonpersistent_structure_puts)
    / nullif(t.persistent_structure_puts + t.nonpersistent_structure_puts, 0) AS minority_share,
  d.structure_queues,
  100 * d.structure_queues / 512 AS structure_queues_pct
FROM total AS t
JOIN defined AS d ON d.group_key = coalesce(t.qsg, t.lpar || '/' || t.qmgr) AND d.cf_structure = t.cf_structure
