/*---
id          = "LG008"
name        = "single-copy-logging"
title       = "Only one copy of the active log is written"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["log_period.copy2_cis"]
prints      = ["log_period.copy1_cis", "log_period.single_logging_accepted"]
judge       = "whole period"
worst       = "highest"
measure     = "control intervals written"
when        = "single_logging is true"
text        = "{observed} control interval[s] written, single logging"
clear       = "both log copies written"
unit        = "count"
look        = ["DISPLAY LOG"]
do          = ["CSQ6LOGP: TWOACTV=YES, with active log data sets for copy 2; restart the queue manager."]
sets        = ["TWOACTV"]

[source]
cite = "MP16, 'Should your installation use single or dual logging?'; V92, 'Summary of zHyperWrite benefits'"
kind = "documented"

[advice]
summary = "All {copy1_cis} log control interval[s] [were|was] written to copy 1 and none to copy 2: if one data set is lost or deleted, messages are lost."
remedy  = "Use dual logging and a dual BSDS. If you rely on RAID and prefer the throughput, declare single_logging_accepted in the site file."
report  = "log/io"
---*/
SELECT
  lpar, qmgr, record_id,
  'log copies'              AS subject,
  copy1_cis                 AS observed,
  copy1_cis,
  copy2_cis = 0             AS single_logging
FROM log_period
WHERE NOT single_logging_accepted AND (copy1_cis > 0 OR copy1_cis IS NULL)
