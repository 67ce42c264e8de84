/*---
id          = "CF001"
name        = "cf-structure-full"
title       = "An application structure was full"
severity    = "critical"
weight      = "outage"
grain       = ["lpar", "qmgr", "cf_structure"]
needs       = ["cf_structure.structure_fulls"]
prints      = ["cf_structure.qsg", "cf_structure.entries_high", "cf_structure.elements_high", "cf_structure.elements_per_entry", "cf_structure.runs_out_first"]
judge       = "any interval"
worst       = "highest"
culprits    = ["bytes kept", "bytes held", "bytes put minus got"]
caused_by   = ["QU005", "QU006", "QU004", "QU022"]
measure     = "structure-full condition[s]"
when        = "observed > structure_fulls_max"
look        = ["DISPLAY CFSTATUS({cf_structure}) TYPE(SUMMARY)", "D XCF,STR,STRNAME={qsg}{cf_structure}"]
do          = ["If D XCF shows an ACTUAL SIZE below POLICY SIZE: SETXCF START,ALTER,STRNAME={qsg}{cf_structure},SIZE=n, n in KB, up to that. Otherwise raise SIZE in the CFRM policy, activate it and rebuild the structure."]
raises      = ["SIZE of the structure"]
plans       = ["cf_structure_capacity", "cf_structure_size"]

[threshold.structure_fulls_max]
value = 0
unit  = "count"
kind  = "documented"
why   = "each one is a request that the structure refused, usually a put with reason code 2192"

[source]
cite = "MP16, 'How many CF structures should be defined?', 'Increasing the maximum number of messages within a structure', 'Use of system initiated alter processing' and 'Batch delete of messages with small structures - CFLEVEL(4) and lower'; Z17, 'CFCC level 26 and MQ for z/OS structures'"

[advice]
summary = "Structure {cf_structure} was full {observed:.0f} time[s] (limit {structure_fulls_max}); at most {entries_high} entr[ies|y] and {elements_high} element[s] were in use. Assuming the initial ratio of 6 elements per entry, this ran out first: {runs_out_first}. Puts to every queue of the structure fail with reason code 2192."
remedy  = "Find the queue that grows, and find out why nobody gets its messages. Enlarge the structure, and let the system alter it (ALLOWAUTOALT(YES), a lower FULLTHRESHOLD), which takes minutes; use CFLEVEL(5) with OFFLOAD(SMDS); move queues that can grow to another structure. Up to CFLEVEL(4) each member keeps up to 340 messages that are got but not yet deleted. From CFCC level 25 on, a structure needs 8 MB more for the same number of messages."
report  = "cf/structure_full"
---*/
SELECT
  lpar, qmgr, cf_structure, interval_start_utc, interval_seconds, record_id, qsg,
  'structure ' || cf_structure      AS subject,
  structure_fulls                   AS observed,
  entries_high, elements_high, elements_per_entry,
  coalesce(runs_out_first, 'unknown') AS runs_out_first
FROM cf_structure
WHERE group_member AND NOT admin_structure
