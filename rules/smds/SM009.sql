/*---
id           = "SM009"
name         = "smds-limit-approaching"
title        = "Shared message data set is full soon if its growth continues"
severity     = "warning"
weight       = "outage"
grain        = ["lpar", "qmgr", "limit_name", "limit_subject"]
needs        = ["smds.smds_used_blocks_high"]
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
silenced_by  = ["SM002", "SM003"]
look        = ["DISPLAY USAGE TYPE(SMDS)"]
do          = ["ALTER SMDS({qmgr}) CFSTRUCT({structure}) DSEXPAND(YES)"]

[size.structure]
formula = "replace(limit_subject, 'SMDS of ', '')"
cost    = "The volumes of the data set must have space; the space is not released."

[threshold.days_left_min]
value = 14
unit  = "days"
kind  = "judgement"
margin_pct = 0                            # a date to act by
why   = "two weeks are enough to find the queue that grows, or to provide DASD space"

[source]
cite = "MP16, 'Capacity - CFLEVEL(5) Offload - \"Emergency Storage\"'"

[advice]
summary = "{limit_label}: {used_value} of {limit_value} {limit_unit_label} used ({used_share_pct:.1f} %), growing by {growth_per_day} a day over {days_used} day[s] of data; at this growth the limit is reached in {observed:.1f} days (limit {days_left_min}), {reach_text}."
remedy  = "Find the shared queue whose messages nobody gets."
report  = "overview/headroom"
---*/
SELECT
  lpar, qmgr, limit_name, limit_subject,
  replace(limit_subject, 'SMDS of ', 'structure ') AS subject,
  days_left                           AS observed,
  has_forecast, limit_label, used_value, limit_value, limit_unit_label, used_share_pct, growth_per_day, days_used, reach_text
FROM headroom AS h
SEMI JOIN smds AS s ON s.lpar = h.lpar AND s.qmgr = h.qmgr
WHERE limit_area = 'smds'
  AND limit_ends_service
  AND (headroom_state <> 'reached' OR days_left = 0)
