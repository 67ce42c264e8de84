/*---
id           = "LG035"
like         = "CH017"
name         = "log-rate-limit-approaching"
title        = "Log data rate reaches the peak rate of its disks soon if its growth continues"
needs        = ["log_site.share_of_log_peak_pct", "site_input.log_peak_mb_s"]
culprits     = ["log bytes"]
silenced_by  = ["LG028"]
look         = ["DISPLAY LOG"]

[threshold.days_left_min]
why   = "two weeks are enough to plan faster log disks or another queue manager"

[source]
cite = "MP16, 'Upper bound on persistent message capacity - DASD log data rate'"

[advice]
remedy  = "Find the applications whose log data grows in log/rate and application/cpu. Larger units of work, nonpersistent messages where they suffice, striped logs, or another queue manager raise the limit."
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
