/*---
id          = "QU035"
name        = "gets-skip-empty-pages"
title       = "Gets walk through empty pages of a queue"
severity    = "warning"
weight      = "waste"
grain       = ["lpar", "qmgr", "queue"]
needs       = ["queue_cost.pages_skipped_per_get", "queue_cost.get_share_of_cpu_pct"]
prints      = ["queue_cost.index_type", "queue_cost.top_application"]
judge       = "whole period"
worst       = "highest"
breach_when = "skipping and expensive"
min_activity = "gets >= $gets_min"
look        = ["DISPLAY QSTATUS({queue}) CURDEPTH", "mqstat report --report queue/index_advisor --qmgr {qmgr}"]

[threshold.pages_per_get_max]
value = 100.0
unit  = "ratio"
kind  = "judgement"
why   = "healthy queues have at most 0.01 empty pages a get in the records that we have seen"

[threshold.gets_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "fewer gets are administration"

[threshold.cpu_pct_max]
value = 10.0
unit  = "percent"
kind  = "judgement"
why   = "less is too little to act on"

[clause.skipping]
when    = "observed > pages_per_get_max"
measure = "empty pages skipped per get"

[clause.expensive]
when    = "cpu_pct > cpu_pct_max"
measure = "CPU time of the gets as a share of that of all MQ calls"

[source]
cite = "IBM Support, APARs PI63036 and PI68957; MP16, 'How do I know if I am using a good message selector?' (pages and messages skipped in the task record)"

[advice]
summary = "{gets} get[s] from queue {queue} skipped {pages_skipped} empty page[s], {observed:.0f} each (limit {pages_per_get_max}). A get took {average_get_cpu_us:.0f} µs of CPU time: {cpu_pct:.1f} % of that of all MQ calls in class 3 (limit {cpu_pct_max} %); its index is {index_type}, and {application} used most."
remedy  = "Messages were got from these pages, but gets still read them: a queue that was deep once. Check that the fix of APAR PI63036 or PI68957 is applied, if mqstat explain names your level; at a later one open an IBM support case with these figures."
report  = "queue/index_advisor"
---*/
SELECT
  lpar, qmgr, base_name         AS queue,
  'queue ' || base_name         AS subject,
  pages_skipped_per_get         AS observed,
  gets, pages_skipped,
  get_share_of_cpu_pct          AS cpu_pct,
  get_cpu_us / nullif(gets, 0)  AS average_get_cpu_us,
  index_type,
  top_application               AS application
FROM queue_cost
