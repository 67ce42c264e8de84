/*---
id          = "ST007"
name        = "thirty-one-bit-storage-leaking"
title       = "31-bit storage in use grows day after day"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["storage_region_growth.growth_31_bytes_per_day"]
prints      = ["storage_region_growth.free_above_sos_bytes", "storage_region_growth.allocated_31_bytes"]
judge       = "whole period"
worst       = "lowest"
culprits    = ["open handles"]
breach_when = "near and steady"
judged_when = "growth_31_bytes_per_day IS NOT NULL"
min_activity = "complete_days >= $days_min"

[threshold.days_left_min]
value = 14.0
unit  = "days"
kind  = "judgement"
why   = "two weeks are enough for a planned restart and an IBM support case"

[threshold.days_min]
value = 7
unit  = "count"
kind  = "judgement"
why   = "a trend over less than a week cannot distinguish growth from the pattern of the week"

[threshold.fit_r2_min]
value = 0.8
unit  = "ratio"
kind  = "judgement"
why   = "a leak grows evenly; below it, the days differ more than the trend explains"

[clause.near]
when    = "observed < days_left_min"
missing = "fails"
measure = "days until the short-on-storage reserve is reached"
text    = "short on storage in {value}"

[clause.steady]
when    = "daily_fit_r2 >= fit_r2_min"
measure = "fit of a straight line to the daily maxima"

[source]
cite = "MP16, 'Virtual storage usage'; APAR PI09739 (an example of such a leak)"

[advice]
summary = "Allocated 31-bit storage grows by {growth_31_bytes_per_day:.0f} byte[s] a day over {complete_days} day[s] since the last start (fit {daily_fit_r2:.2f}, limit {fit_r2_min}); {free_above_sos_bytes} byte[s] above the short-on-storage reserve are used up in {observed:.1f} days (limit {days_left_min})."
remedy  = "Find the pool or CSECT that grows in storage/pools and storage/getmains. Open an IBM support case; until it is solved, plan a restart before that day. A known case was class 3 accounting for queues with ACCTQ(OFF) that stay open for a long time."
report  = "storage/region"
---*/
SELECT
  lpar, qmgr, record_id,
  '31-bit storage' AS subject,
  days_to_sos      AS observed,
  growth_31_bytes_per_day, complete_days, daily_fit_r2, free_above_sos_bytes, allocated_31_bytes
FROM storage_region_growth
