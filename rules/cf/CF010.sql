/*---
id          = "CF010"
name        = "structure-near-512-queues"
title       = "The number of queues in one structure approaches the limit"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "cf_structure"]
over        = "group"
needs       = ["cf_structure_queues.structure_queues_pct"]
prints      = ["cf_structure_queues.structure_queues"]
judge       = "whole period"
worst       = "highest"
measure     = "queues in the structure as a share of 512"
when        = "observed >= queues_pct_min"
mq_since    = "9.3.0"
look        = ["DISPLAY QLOCAL(*) CFSTRUCT({cf_structure}) CURDEPTH"]

[threshold.queues_pct_min]
value = 90.0
unit  = "percent"
kind  = "judgement"
why   = "at most 512 queues can be defined in a structure; the last tenth leaves time to act"

[source]
cite = "MP16, 'How many CF structures should be defined?' (512 queues)"

[advice]
summary = "The data of the members shows {structure_queues} different queue[s] in structure {cf_structure}, {observed:.1f} % of the 512 that it can have (limit {queues_pct_min} %). Only queues whose statistics are collected are counted, so there may be more."
remedy  = "Define another structure for new queues, and delete queues that nobody uses."
report  = "cf/structure_sums"
---*/
SELECT
  lpar, qmgr, cf_structure,
  'structure ' || cf_structure AS subject,
  structure_queues_pct         AS observed,
  structure_queues
FROM cf_structure_queues
