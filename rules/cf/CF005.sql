/*---
id          = "CF005"
name        = "cf-response-slow"
title       = "CF calls take long on average"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "cf_structure"]
needs       = ["cf_structure.average_single_us", "cf_structure.average_multiple_us"]
prints      = ["cf_structure.qsg", "cf_structure.single_calls", "cf_structure.multiple_calls"]
judge       = "share >= 25 %"
worst       = "highest"
key_figure  = "average_single_us"
victims     = ["CF time"]
breach_when = "single or multiple"
min_activity = "greatest(single_calls, multiple_calls) >= $calls_min"
caused_by   = ["CF011"]
look        = ["DISPLAY CFSTATUS({cf_structure}) TYPE(SUMMARY)", "D XCF,STR,STRNAME={qsg}{cf_structure}"]
plans       = ["cf_cpu_load"]

[threshold.single_us_max]
value = 200
unit  = "us"
kind  = "judgement"
why   = "IBM measured 4 to 10 µs at a short distance; a real queue manager runs at 146 µs without problems. Our own limit is far above both"

[threshold.multiple_us_max]
value = 500
unit  = "us"
kind  = "judgement"
why   = "these calls return many messages each; asynchronous calls took 600 µs on a busy coupling facility"

[threshold.calls_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "an average over fewer calls is not reliable"

[clause.single]
when    = "observed > single_us_max"
counts_when = ["single_calls >= calls_min"]
measure = "average single-entry call"

[clause.multiple]
when    = "average_multiple_us > multiple_us_max"
counts_when = ["multiple_calls >= calls_min"]
measure = "average multiple-entry call"
summary = "Multiple-entry calls to structure {cf_structure} took {average_multiple_us:.0f} µs on average (limit {multiple_us_max} µs) over {multiple_calls} call[s]."

[source]
cite = "MP16, 'What is the impact of having insufficient CPU in the Coupling Facility?' and 'How does use of duplexed CF structures affect performance of MQ?'"

[advice]
summary = "Single-entry calls to structure {cf_structure} took {observed:.0f} µs on average (limit {single_us_max} µs) over {single_calls} call[s]."
remedy  = "Check the RMF report on coupling facility activity: processors above 60 % busy (30 % with one engine), busy paths, duplexing. Distance adds 200 to 250 µs for each 10 km: move the structure to the nearest coupling facility. Duplexed and remote structures may be intended."
report  = "cf/structures"
---*/
SELECT
  lpar, qmgr, cf_structure, interval_start_utc, interval_seconds, record_id, qsg,
  'structure ' || cf_structure AS subject,
  average_single_us            AS observed,
  average_multiple_us, single_calls, multiple_calls
FROM cf_structure
WHERE group_member
