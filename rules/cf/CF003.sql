/*---
id          = "CF003"
name        = "cf-redrives-frequent"
title       = "A large share of CF reads had to be repeated"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "cf_structure"]
needs       = ["cf_structure.single_redrive_pct", "cf_structure.multiple_redrive_pct"]
prints      = ["cf_structure.qsg", "cf_structure.single_calls", "cf_structure.multiple_calls", "cf_structure.single_redrives", "cf_structure.multiple_redrives"]
judge       = "share >= 10 %"
worst       = "highest"
culprits    = ["CF redrives"]
breach_when = "multiple or single"
min_activity = "greatest(single_calls, multiple_calls) >= $calls_min"
caused_by   = ["CF004"]
look        = ["DISPLAY CFSTATUS({cf_structure}) TYPE(SUMMARY)", "D XCF,STR,STRNAME={qsg}{cf_structure}"]
plans       = ["cf_redrive_simulator"]

[threshold.redrive_pct_max]
value = 20.0
unit  = "percent"
kind  = "guidance"
why   = "IBM consultants investigate above this value; occasional redrives are normal"
cite  = "presentations of IBM consultants"

[threshold.calls_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "a healthy CSQ_ADMIN had 65 redrives in 68 calls"

[clause.multiple]
when    = "observed > redrive_pct_max"
counts_when = ["multiple_calls >= calls_min"]
measure = "share of multiple-entry calls that were redrives"
summary = "Of {multiple_calls} multiple-entry call[s] to structure {cf_structure}, {multiple_redrives} ({observed:.1f} %) repeated a request with a larger buffer (limit {redrive_pct_max} %)."

[clause.single]
when    = "single_redrive_pct > redrive_pct_max"
counts_when = ["single_calls >= calls_min"]
measure = "share of single-entry calls that were redrives"
summary = "Of {single_calls} single-entry call[s] to structure {cf_structure}, {single_redrives} ({single_redrive_pct:.1f} %) repeated a request with a larger buffer (limit {redrive_pct_max} %)."

[source]
cite = "MP16, 'Why do I see many re-drives in the statistics report?' and 'Effect of re-drives on performance'; the share from presentations of IBM consultants"

[advice]
summary = "Of {multiple_calls} multiple-entry call[s] to structure {cf_structure}, {multiple_redrives} repeated a request with a larger buffer, as did {single_redrives} of {single_calls} single-entry call[s] (limit {redrive_pct_max} %)."
remedy  = "Messages of one queue should have similar sizes on the same side of a 4 KB boundary, headers included: use separate queues for small and large messages. Gets by an identifier that many messages share are redriven too."
report  = "cf/structures"
---*/
SELECT
  lpar, qmgr, cf_structure, interval_start_utc, interval_seconds, record_id, qsg,
  'structure ' || cf_structure AS subject,
  multiple_redrive_pct         AS observed,
  single_redrive_pct, single_calls, multiple_calls, single_redrives, multiple_redrives
FROM cf_structure
WHERE group_member
