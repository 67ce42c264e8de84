/*---
id          = "ST007"
like        = "CH017"
name        = "storage-running-out"
title       = "Storage runs out soon if its growth continues"
grain       = ["lpar", "qmgr", "limit_name"]
needs       = ["storage_region.used_31_bytes"]
prints      = ["headroom.days_left", "headroom.used_value", "headroom.growth_per_day"]
culprits    = ["open handles"]
text        = "short on storage in {value}"
silenced_by = ["ST006"]
look        = ["mqstat report --report storage/getmains --qmgr {qmgr}"]

[threshold.days_left_min]
why   = "two weeks are enough for a planned restart and an IBM support case"

[source]
cite = "MP16, 'Virtual storage usage'; APAR PI09739 (an example of such a leak)"

[advice]
summary = "{limit_label}: {used_value:.0f} of {limit_value:.0f} MiB used, growing by {growth_per_day:.0f} MiB a day over {days_used} day[s] since the last start; at this growth it is used up in {observed:.1f} days (limit {days_left_min}), {reach_text}."
remedy  = "Find the pool or CSECT that grows in storage/pools and storage/getmains. Open an IBM support case; until it is solved, plan a restart before that day. A known case was class 3 accounting for queues with ACCTQ(OFF) that stay open for a long time."
report  = "storage/region"
---*/
SELECT
  lpar, qmgr, limit_name,
  split_part(limit_name, ' without', 1) AS subject,
  days_left                             AS observed,
  has_forecast, limit_label, used_value, limit_value, growth_per_day, days_used, reach_text
FROM headroom AS h
SEMI JOIN storage_region AS s ON s.lpar = h.lpar AND s.qmgr = h.qmgr
WHERE limit_area = 'storage'
  AND (headroom_state <> 'reached' OR days_left = 0)
