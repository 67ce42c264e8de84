/*---
id           = "LG035"
name         = "log-rate-limit-approaching"
title        = "Log data rate reaches the peak rate of its disks soon if its growth continues"
severity     = "warning"
weight       = "outage"
grain        = ["lpar", "qmgr", "limit_name", "limit_subject"]
needs        = ["log_site.share_of_log_peak_pct", "site_input.log_peak_mb_s"]
prints       = ["headroom.days_left", "headroom.used_share_pct", "headroom.growth_per_day", "headroom.days_used"]
judge        = "whole period"
worst        = "lowest"
culprits     = ["log bytes"]
measure      = "days until the limit is reached"
when         = "observed <= days_left_min"
text         = "reached in {value}"
clear        = "no growth to the limit in {limit}"
missing      = "fails"
judged_when  = "has_forecast"
silenced_by  = ["LG028"]
look        = ["DISPLAY LOG"]

[threshold.days_left_min]
value = 14
unit  = "days"
kind  = "judgement"
margin_pct = 0                            # a date to act by
why   = "two weeks are enough to plan faster log disks or another queue manager"

[source]
cite = "MP16, 'Upper bound on persistent message capacity - DASD log data rate'"

[advice]
summary = "{limit_label}: {used_value} of {limit_value} {limit_unit_label} used ({used_share_pct:.1f} %), growing by {growth_per_day} a day over {days_used} day[s] of data; at this growth the limit is reached in {observed:.1f} days (limit {days_left_min}), {reach_text}."
remedy  = "Find the applications whose log data grows in log/rate and application/cpu. Larger units of work, nonpersistent messages where they suffice, striped logs, or another queue manager raise the limit."
report  = "overview/headroom"
---*/
SELECT
  lpar, qmgr, limit_name, limit_subject,
  'log rate' AS subject,
  days_left                           AS observed,
  has_forecast, limit_label, used_value, limit_value, limit_unit_label, used_share_pct, growth_per_day, days_used, reach_text
FROM headroom AS h
SEMI JOIN log_site AS l ON l.lpar = h.lpar AND l.qmgr = h.qmgr
SEMI JOIN site_input AS s ON s.lpar = h.lpar AND s.qmgr = h.qmgr
WHERE limit_area = 'log'
  AND limit_ends_service
  AND (headroom_state <> 'reached' OR days_left = 0)
