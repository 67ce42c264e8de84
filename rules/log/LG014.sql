/*---
id          = "LG014"
name        = "log-never-archived"
title       = "Logs were switched, but nothing was offloaded"
severity    = "warning"
weight      = "loss"
grain       = ["lpar", "qmgr"]
needs       = ["log_period.log_switches"]
prints      = ["log_period.cis_offloaded", "log_period.archive_write_allocations", "log_period.offload_off_accepted"]
judge       = "whole period"
worst       = "highest"
breach_when = "switches and none and unopened"
mq_since    = "9.1.2"
look        = ["DISPLAY LOG"]
do          = ["CSQ6LOGP: OFFLOAD=YES; restart the queue manager."]
sets        = ["OFFLOAD"]
plans       = ["archive_volume"]

[threshold.switches_min]
value = 2
unit  = "count"
kind  = "judgement"
why   = "the archive of a single switch may start after the last interval"

[clause.switches]
when    = "observed >= switches_min"
measure = "log switch[es]"

[clause.none]
when    = "cis_offloaded = 0"
measure = "control interval[s] archived"

[clause.unopened]
when    = "archive_write_allocations = 0"
measure = "archive data set[s] opened"

[source]
cite = "MP16, 'How to minimize recovery time'; its sample log report, a performance test, runs without archives"

[advice]
summary = "The active log was switched {log_switches} time[s] (limit {switches_min}), but nothing was archived: page sets and structures can be recovered only from what the active logs hold."
remedy  = "Check for an archive task that hangs. If OFFLOAD=NO is intended, declare offload_off_accepted in the site file."
report  = "log/new_logs"
---*/
SELECT
  lpar, qmgr, record_id,
  'log offload'             AS subject,
  log_switches              AS observed,
  log_switches, cis_offloaded, archive_write_allocations
FROM log_period
WHERE NOT offload_off_accepted
