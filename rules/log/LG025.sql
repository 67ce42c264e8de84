/*---
id           = "LG025"
name         = "small-active-logs-with-zhyperlink"
title        = "Log switches interrupt zHyperLink more often than needed"
severity     = "info"
weight       = "delay"
grain        = ["lpar", "qmgr"]
needs        = ["log_period.zhl_used"]
prints       = ["log_period.log_size_at_most_mib", "log_period.log_switches", "log_period.log_mib_created"]
judge        = "whole period"
worst        = "lowest"
measure     = "largest possible size of an active log"
when        = "observed < log_size_mib_min"
judged_when  = "zhl_used"
min_activity = "log_switches >= $switches_min"
mq_since     = "9.4.0"
look        = ["DISPLAY LOG"]
raises       = ["size and number of active logs"]
plans       = ["log_size_and_count"]

[threshold.log_size_mib_min]
value = 3584
unit  = "mib"
kind  = "judgement"
why   = "IBM advises logs of the largest size, 4 GB; 3.5 GiB allows for space that is not written"

[threshold.switches_min]
value = 3
unit  = "count"
kind  = "judgement"
why   = "the size is derived from the data between switches, and one of them may be an ARCHIVE LOG command"

[source]
cite = "MP16, 'MQ Statistics' (notes on the sample log report)"

[advice]
summary = "The queue manager switched logs {log_switches} time[s] in {log_mib_created:.0f} MiB of new log data: an active log has at most {observed:.0f} MiB (limit {log_size_mib_min} MiB). At each switch the write tokens are released and a burst of writes uses ordinary I/O."
remedy  = "Define active logs of 4 GB. ARCHIVE LOG commands make the logs look smaller than they are."
report  = "log/new_logs"
---*/
SELECT
  lpar, qmgr, record_id,
  'active logs'             AS subject,
  log_size_at_most_mib      AS observed,
  log_switches, log_mib_created, zhl_used
FROM log_period
