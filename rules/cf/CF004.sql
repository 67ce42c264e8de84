/*---
id          = "CF004"
name        = "common-key-gets-on-deep-shared-queue"
title       = "Gets by a key shared by many messages"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "cf_structure"]
needs       = ["cf_structure_gets.structure_redrives_per_get"]
prints      = ["cf_structure_gets.structure_redrives", "cf_structure_gets.structure_gets", "cf_structure_gets.structure_gets_from"]
judge       = "whole period"
worst       = "highest"
culprits    = ["CF lists read"]
measure     = "redrives of multiple-entry calls per message got"
when        = "observed > redrives_per_get_max"
min_activity = "structure_gets >= $gets_min"
look        = ["DISPLAY QLOCAL(*) CFSTRUCT({cf_structure}) CURDEPTH INDXTYPE"]
plans       = ["cf_redrive_simulator"]

[threshold.redrives_per_get_max]
value = 1.0
unit  = "ratio"
kind  = "judgement"
why   = "a get by a unique key needs none; up to six occur with more than 5,200 messages of one key"

[threshold.gets_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "a ratio over fewer gets is not reliable"

[source]
cite = "MP16, 'Common MSGID or CORRELID with deep shared queues' and 'Why is cost of MQGET higher when more than 5,200 messages have common identifier?'"

[advice]
summary = "Structure {cf_structure} needed {structure_redrives} redrive[s] of multiple-entry calls for {structure_gets} message[s] got ({structure_gets_from}), {observed:.1f} per get (limit {redrives_per_get_max}). Gets search among many messages with the same identifier; such a get costs more than nine times a get by a unique key."
remedy  = "Give each message its own MSGID or CORRELID, or keep fewer than 50 messages per key; drain the queue; give such queues a structure of their own. Browses are redriven too, and gets from queues without statistics or accounting are not counted."
report  = "cf/shared_scan"
---*/
SELECT
  lpar, qmgr, cf_structure,
  'structure ' || cf_structure AS subject,
  structure_redrives_per_get   AS observed,
  structure_redrives, structure_gets, structure_gets_from
FROM cf_structure_gets
WHERE group_member AND NOT admin_structure AND structure_multiple_calls > 0
