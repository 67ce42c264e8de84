/*---
id          = "LG019"
name        = "logload-below-four-million"
title       = "LOGLOAD is below the recommended range"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["log_period.logload_in_force"]
prints      = ["log_period.logload_declared", "log_period.plain_checkpoints", "log_period.logload_basis", "log_period.low_logload_accepted"]
judge       = "whole period"
worst       = "lowest"
measure     = "LOGLOAD, declared or estimated"
when        = "observed < logload_min"
leaves_out  = "periods with fewer than min_checkpoints checkpoints, unless LOGLOAD is declared"
text        = "LOGLOAD {value}"

look        = ["DISPLAY SYSTEM", "DISPLAY LOG"]
raises      = ["LOGLOAD"]
do_of_plan  = "logload_advice"
plans       = ["logload_advice"]

[threshold.logload_min]
value = 4000000
unit  = "count"
kind  = "documented"
why   = "IBM measured the best cost and throughput at 4 to 16 million"
cite  = "MP16, 'Impact of LOGLOAD on workload'"

[threshold.min_checkpoints]
value = 3
unit  = "count"
kind  = "judgement"
why   = "two checkpoints give one interval, which an operator may have caused"

[source]
cite = "MP16, 'What is an appropriate value for LOGLOAD?', 'Impact of LOGLOAD on workload' and 'What impact is there when DWP writes large amounts of data?'"

[advice]
summary = "LOGLOAD is {observed:.0f} (limit {logload_min}) {logload_basis}; checkpoints at log switches do not count."
remedy  = "IBM recommends 4 to 16 million, especially if queue depths are high or vary. If you keep it lower because of an agreed restart time, or for data replication over several channels, declare low_logload_accepted in the site file. With more, a checkpoint writes more pages at once: 4 GB to one page set took 7 to 13 s in IBM's tests."
report  = "log/checkpoints"
---*/
SELECT
  lpar, qmgr, record_id,
  'LOGLOAD'                 AS subject,
  logload_in_force          AS observed,
  logload_basis, logload_declared, plain_checkpoints
FROM log_period
WHERE NOT low_logload_accepted AND (plain_checkpoints IS NULL OR plain_checkpoints >= $min_checkpoints OR logload_declared)
