/*---
id          = "CF002"
name        = "admin-structure-full"
title       = "CSQ_ADMIN was full"
severity    = "critical"
weight      = "outage"
grain       = ["lpar", "qmgr", "cf_structure"]
needs       = ["cf_structure.structure_fulls"]
prints      = ["cf_structure.qsg", "cf_structure.entries_high", "cf_structure.elements_high"]
judge       = "any interval"
worst       = "highest"
culprits    = []
caused_by   = ["TA003", "TA002"]
measure     = "structure-full condition[s]"
when        = "observed > structure_fulls_max"
look        = ["DISPLAY CFSTATUS({cf_structure}) TYPE(SUMMARY)", "D XCF,STR,STRNAME={qsg}{cf_structure}", "DISPLAY QMGR MAXUMSGS"]
plans       = ["csq_admin_size"]

[threshold.structure_fulls_max]
value = 0
unit  = "count"
kind  = "documented"
why   = "if a unit of work finds no space in the administration structure, the queue manager may end"
cite  = "MP16, 'CSQ_ADMIN'"

[source]
cite = "MP16, 'CSQ_ADMIN' (size, units of work, CSQE038E) and 'What size CF structures should be defined?'; Z17, 'CFCC level 26 and MQ for z/OS structures'"

[advice]
summary = "The administration structure CSQ_ADMIN was full {observed:.0f} time[s] (limit {structure_fulls_max}); at most {entries_high} entr[ies|y] and {elements_high} element[s] were in use. Message CSQE038E reports it; the queue manager may end with abend 5C6, reason 00C53002."
remedy  = "Look for a unit of work with tens of thousands of messages on shared queues and lower MAXUMSGS. Enlarge CSQ_ADMIN: 20,000 KB for seven queue managers up to CFCC level 24, 10,000 KB more from level 25 (8 MB more by IBM's report on z17), with MINSIZE equal to INITSIZE."
report  = "cf/structure_full"
---*/
SELECT
  lpar, qmgr, cf_structure, interval_start_utc, interval_seconds, record_id, qsg,
  'structure ' || cf_structure AS subject,
  structure_fulls              AS observed,
  entries_high, elements_high
FROM cf_structure
WHERE group_member AND admin_structure
