/*---
id      = "log_site"
title   = "Log figures in relation to site facts"
grain   = "one row per lpar, qmgr and interval"
needs   = ["log", "site_input"]
classes = ["115.1"]

[columns]
busier_copy_mib_per_s = { unit = "mib_per_s", doc = "Log data written per second to the copy that got more.", over_time = "mean", across = "add" }
share_of_log_peak_pct = { unit = "percent", doc = "Log rate of a copy as a share of what the DASD can sustain, from the site file.", ratio = { numerator = "busier_copy_mib_per_s * interval_seconds", denominator = "log_peak_mb_s * interval_seconds", scale = 100 }, label = "of peak %", screen = 1 }
minutes_to_fill_one_log = { unit = "min", doc = "Minutes that one active log lasts at the rate of the interval, with the log size from the site file.", over = "min", label = "min to fill a log", screen = 2 }
zhl_path_busy_pct = { unit = "percent", doc = "Busy time of each zHyperLink function id by log writes alone: a lower bound, because other users of the links are not in the data.", over = "mean" }
---*/
SELECT
  q.lpar, q.qmgr, q.qsg, q.mq_version, q.source_id, q.record_id, q.interval_start_utc, q.interval_end_utc, q.interval_start_local,
  q.interval_seconds, q.fragment, q.startup_interval, q.suspect_first,
  greatest(q.copy1_mib_per_s, q.copy2_mib_per_s)                 AS busier_copy_mib_per_s,
  s.log_peak_mb_s,
  pct(greatest(q.copy1_mib_per_s, q.copy2_mib_per_s), s.log_peak_mb_s) AS share_of_log_peak_pct,
  s.active_log_mb / nullif(60 * q.log_created_mib_per_s, 0)      AS minutes_to_fill_one_log,
  s.zhl_pfids,
  CASE WHEN q.zhl_requests IS NOT NULL THEN q.logger_spin_pct / nullif(s.zhl_pfids, 0) END AS zhl_path_busy_pct,
  q.logger_spin_pct
FROM log AS q
LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
