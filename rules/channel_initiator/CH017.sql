/*---
id           = "CH017"
name         = "channel-initiator-limit-approaching"
title        = "Channel initiator reaches a limit soon if its growth continues"
severity     = "warning"
weight       = "outage"
grain        = ["lpar", "qmgr", "limit_name", "limit_subject"]
over         = "all"
needs        = ["channel_initiator.current_channels"]
prints       = ["headroom.days_left", "headroom.used_share_pct", "headroom.growth_per_day", "headroom.days_used"]
judge        = "whole period"
worst        = "lowest"
measure      = "days until the limit is reached"
when         = "observed <= days_left_min"
text         = "reached in {value}"
clear        = "no growth to the limit in {limit}"
missing      = "fails"
judged_when  = "has_forecast"
look        = ["DISPLAY CHINIT"]

[threshold.days_left_min]
value = 14
unit  = "days"
kind  = "judgement"
margin_pct = 0                            # a date to act by
why   = "two weeks are enough to find the clients that connect more often, or to plan a restart with a higher limit"

[source]
cite = "MP16, 'CHIDISPS and MAXCHL' and 'Rule of Thumb for channel initiator storage usage'"

[advice]
summary = "{limit_label}: {used_value} of {limit_value} {limit_unit_label} used ({used_share_pct:.1f} %), growing by {growth_per_day} a day over {days_used} day[s] of data; at this growth the limit is reached in {observed:.1f} days (limit {days_left_min}), {reach_text}."
remedy  = "Find the channels with more and more instances in channel_initiator/summary and channel/clients. Divide the clients between queue managers; MAXCHL and ACTCHL can be raised up to 9,999 if the channel initiator has the storage."
report  = "overview/headroom"
---*/
SELECT
  lpar, qmgr, limit_name, limit_subject,
  coalesce(limit_subject, limit_name) AS subject,
  days_left                           AS observed,
  has_forecast, limit_label, used_value, limit_value, limit_unit_label, used_share_pct, growth_per_day, days_used, reach_text
FROM headroom AS h
SEMI JOIN channel_initiator AS c ON c.lpar = h.lpar AND c.qmgr = h.qmgr
WHERE limit_area = 'channel_initiator'
  AND limit_ends_service
  AND (headroom_state <> 'reached' OR days_left = 0)
