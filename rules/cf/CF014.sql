/*---
id           = "CF014"
name         = "structure-limit-approaching"
title        = "Structure is full soon if its growth continues"
severity     = "warning"
weight       = "outage"
grain        = ["lpar", "qmgr", "limit_name", "limit_subject"]
needs        = ["site_input.cf_entries_by_structure", "cf_structure.entries_high"]
prints       = ["headroom.days_left", "headroom.used_share_pct", "headroom.growth_per_day", "headroom.days_used"]
judge        = "whole period"
worst        = "lowest"
culprits     = ["bytes kept", "bytes held", "bytes put minus got"]
measure      = "days until the limit is reached"
when         = "observed <= days_left_min"
text         = "reached in {value}"
clear        = "no growth to the limit in {limit}"
missing      = "fails"
judged_when  = "has_forecast"
silenced_by  = ["CF001", "CF007"]
look        = ["DISPLAY CFSTATUS(*) TYPE(SUMMARY)"]
do          = ["SETXCF START,ALTER,STRNAME=structure,SIZE=size enlarges the structure up to SIZE of its CFRM policy."]
plans       = ["cf_structure_size"]

[threshold.days_left_min]
value = 14
unit  = "days"
kind  = "judgement"
margin_pct = 0                            # a date to act by
why   = "two weeks are enough to find the queue that grows, or to plan a larger structure"

[source]
cite = "MP16, 'Increasing the maximum number of messages within a structure'"

[advice]
summary = "{limit_label}: {used_value} of {limit_value} {limit_unit_label} used ({used_share_pct:.1f} %), growing by {growth_per_day} a day over {days_used} day[s] of data; at this growth the limit is reached in {observed:.1f} days (limit {days_left_min}), {reach_text}."
remedy  = "Find the shared queue that grows, and find out why nobody gets its messages. Enlarge the structure, or let messages be offloaded to its shared message data set."
report  = "overview/headroom"
---*/
SELECT
  lpar, qmgr, limit_name, limit_subject,
  coalesce(limit_subject, limit_name) AS subject,
  days_left                           AS observed,
  has_forecast, limit_label, used_value, limit_value, limit_unit_label, used_share_pct, growth_per_day, days_used, reach_text
FROM headroom AS h
SEMI JOIN cf_structure AS c ON c.lpar = h.lpar AND c.qmgr = h.qmgr
SEMI JOIN site_input AS s ON s.lpar = h.lpar AND s.qmgr = h.qmgr
WHERE limit_area = 'cf'
  AND limit_ends_service
  AND (headroom_state <> 'reached' OR days_left = 0)
