/*---
id          = "LG028"
name        = "log-rate-over-half-of-dasd-peak"
title       = "The sustained log rate is close to what the DASD can sustain"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["log_site.share_of_log_peak_pct", "site_input.log_peak_mb_s"]
prints      = ["log_site.busier_copy_mib_per_s"]
judge       = "share >= 10 %"
weighted_by = "interval_seconds"
weighted_min = 14400
worst       = "highest"
culprits    = ["log bytes"]
measure     = "log rate as a share of what the DASD can sustain"
when        = "observed > peak_pct_max"
guards      = ["G1", "G2"]
default_on  = false                       # on if the site declares the peak of its DASD
look        = ["DISPLAY LOG"]
plans       = ["log_ceiling"]

[threshold.peak_pct_max]
value = 50.0
unit  = "percent"
kind  = "documented"
why   = "IBM recommends planning for at most half of the attainable rate if response time matters"

[source]
cite = "MP16, 'Upper bound on persistent message capacity - DASD log data rate'"

[advice]
summary = "The busier log copy got {busier_copy_mib_per_s:.1f} MiB/s, {observed:.1f} % (limit {peak_pct_max} %) of the {log_peak_mb_s} MiB/s that the site file declares as the peak of the DASD."
remedy  = "Spread the load over more queue managers, stripe the logs for large messages, or use zHPF or faster DASD. In a bulk window without response time goals this may be intentional."
report  = "log/rate"
---*/
SELECT
  q.lpar, q.qmgr, q.interval_start_utc, q.interval_seconds, q.record_id, q.fragment, q.startup_interval, q.suspect_first,
  'log rate'                AS subject,
  q.share_of_log_peak_pct   AS observed,
  q.busier_copy_mib_per_s, s.log_peak_mb_s
FROM log_site AS q
LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
