/*---
id          = "LG012"
name        = "fewer-than-four-active-logs"
title       = "There are too few active logs"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["log_period.intervals", "site_input.active_logs"]
prints      = ["log_period.active_logs_seen"]
judge       = "whole period"
worst       = "lowest"
measure     = "active log[s] per copy"
when        = "observed < logs_min"
default_on  = false                       # on if the site declares its active logs
look        = ["DISPLAY LOG"]
raises      = ["size and number of active logs"]
plans       = ["log_size_and_count"]

[threshold.logs_min]
value = 4
unit  = "count"
kind  = "documented"
why   = "IBM recommends at least four active log data sets in practice"

[source]
cite = "MP16, 'How many active log data sets do you need?'"

[advice]
summary = "The queue manager has {observed:.0f} active log[s] per copy (limit {logs_min}; {active_logs_seen} seen in these records): one delayed archive can stop it."
remedy  = "Add data sets with DEFINE LOG or with NEWLOG of CSQJU003."
report  = "log/volume_by_hour"
---*/
SELECT
  p.lpar, p.qmgr, p.record_id,
  'active logs'             AS subject,
  s.active_logs             AS observed,
  p.active_logs_seen
FROM log_period AS p
LEFT JOIN site_input AS s ON s.lpar = p.lpar AND s.qmgr = p.qmgr
