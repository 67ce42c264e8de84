/*---
id          = "LG026"
name        = "zhyperlink-paths-busy"
title       = "zHyperLink function ids are busier than recommended"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["log_site.zhl_path_busy_pct", "site_input.zhl_pfids"]
prints      = ["log_site.logger_spin_pct"]
judge       = "any interval"
worst       = "highest"
measure     = "busy time of each zHyperLink function id"
when        = "observed > path_busy_pct_max"
guards      = ["G1"]
mq_since    = "9.4.0"
default_on  = false                       # on if the site declares its function ids
look        = ["D IOS,ZHYPERLINK", "D PCIE"]
plans       = ["zhyperlink_paths"]

[threshold.path_busy_pct_max]
value = 25.0
unit  = "percent"
kind  = "documented"
why   = "IBM's rule of thumb; above it, more writes become asynchronous"

[source]
cite = "MP16, 'Are there sufficient zHyperLink paths to the DASD?' and its rule of thumb"

[advice]
summary = "Log writes alone kept each of the {zhl_pfids} zHyperLink function id[s] {observed:.1f} % busy (limit {path_busy_pct_max} %), {logger_spin_pct:.1f} % together; other users of the links add to this."
remedy  = "Add function ids (a second adapter), shorten the cable, or move the logs of Db2 to other links."
report  = "log/zhyperlink"
---*/
SELECT
  q.lpar, q.qmgr, q.interval_start_utc, q.interval_seconds, q.record_id, q.fragment,
  'zHyperLink paths'        AS subject,
  q.zhl_path_busy_pct       AS observed,
  s.zhl_pfids, q.logger_spin_pct
FROM log_site AS q
LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
