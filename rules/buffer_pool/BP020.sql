/*---
id           = "BP020"
name         = "buffer-pool-limit-approaching"
title        = "Buffer pool is nearly full soon if its growth continues"
severity     = "warning"
weight       = "outage"
grain        = ["lpar", "qmgr", "limit_name", "limit_subject"]
needs        = ["buffer_pool.lowest_free_pct"]
prints       = ["headroom.days_left", "headroom.used_share_pct", "headroom.growth_per_day", "headroom.days_used"]
judge        = "whole period"
worst        = "lowest"
culprits     = ["pages kept", "pages held", "pages put minus got", "pages put"]
measure      = "days until the limit is reached"
when         = "observed <= days_left_min"
text         = "reached in {value}"
clear        = "no growth to the limit in {limit}"
missing      = "fails"
judged_when  = "has_forecast"
silenced_by  = ["BP001", "BP002", "BP003"]
look        = ["DISPLAY USAGE TYPE(PAGESET)"]

[threshold.days_left_min]
value = 14
unit  = "days"
kind  = "judgement"
margin_pct = 0                            # a date to act by
why   = "two weeks are enough to find the queue that grows, or to plan a larger pool"

[source]
cite = "MP16, 'Buffer pool usage'"

[advice]
summary = "{limit_label}: {used_value} of {limit_value} {limit_unit_label} used ({used_share_pct:.1f} %), growing by {growth_per_day} a day over {days_used} day[s] of data; at this growth the limit is reached in {observed:.1f} days (limit {days_left_min}), {reach_text}."
remedy  = "Find the queues whose depth grows (page_set/growth, queue/flow_balance): a pool rarely grows every day without them."
report  = "overview/headroom"
---*/
SELECT
  lpar, qmgr, limit_name, limit_subject,
  coalesce(limit_subject, limit_name) AS subject,
  days_left                           AS observed,
  has_forecast, limit_label, used_value, limit_value, limit_unit_label, used_share_pct, growth_per_day, days_used, reach_text
FROM headroom AS h
SEMI JOIN buffer_pool AS b ON b.lpar = h.lpar AND b.qmgr = h.qmgr
WHERE limit_area = 'buffer_pool'
  AND limit_ends_service
  AND (headroom_state <> 'reached' OR days_left = 0)
