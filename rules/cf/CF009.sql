/*---
id          = "CF009"
name        = "persistence-mixed-in-one-structure"
title       = "A structure holds many persistent and many nonpersistent messages"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr", "cf_structure"]
over        = "group"
needs       = ["cf_structure_queues.minority_share"]
prints      = ["cf_structure_queues.persistent_structure_puts", "cf_structure_queues.nonpersistent_structure_puts", "cf_structure_queues.structure_puts"]
judge       = "whole period"
worst       = "highest"
measure     = "smaller share of the messages, persistent or nonpersistent"
when        = "observed > minority_pct_max"
min_activity = "structure_puts >= $puts_min"
mq_since    = "9.3.3"
look        = ["DISPLAY CFSTRUCT({cf_structure}) ALL"]

[threshold.minority_pct_max]
value = 20.0
unit  = "percent"
kind  = "judgement"
why   = "below one in five, a second structure costs more than it saves"

[threshold.puts_min]
value = 10000
unit  = "count"
kind  = "judgement"
why   = "for few messages, a small number of structures matters more than their cost"

[source]
cite = "MP16, 'What is a good configuration for my shared queues?' and 'How many CF structures should be defined?'"

[advice]
summary = "This queue manager put {persistent_structure_puts} persistent and {nonpersistent_structure_puts} nonpersistent message[s] to structure {cf_structure}; the smaller share is {observed:.0f} % of all messages (limit {minority_pct_max} %). Nonpersistent messages pay for backup, recovery and duplexing that they do not need."
remedy  = "Define two application structures: DEFINE CFSTRUCT ... CFLEVEL(5) RECOVER(NO) for nonpersistent messages, RECOVER(YES) with BACKUP CFSTRUCT for persistent ones. Units of work that use both structures cost 6 to 12 % more."
report  = "cf/structures"
---*/
SELECT
  lpar, qmgr, cf_structure,
  'structure ' || cf_structure AS subject,
  100 * minority_share         AS observed,
  persistent_structure_puts, nonpersistent_structure_puts, structure_puts
FROM cf_structure_queues
WHERE cf_structure <> 'CSQSYSAPPL'
