/*---
id          = "SM005"
name        = "smds-buffers-oversized"
title       = "Far more SMDS buffers than are ever used"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr", "cf_structure"]
needs       = ["smds_period.smds_buffers", "smds_period.buffers_used_share"]
prints      = ["smds_period.buffers_used_high", "smds_period.smds_buffer_mib"]
judge       = "whole period"
worst       = "highest"
breach_when = "many and unused"
leaves_out  = "structures whose buffers save more than reads_saved_pct_max % of the reads"
mq_since    = "7.1.0"
look        = ["DISPLAY USAGE TYPE(SMDS)", "DISPLAY SMDS({qmgr}) CFSTRUCT({cf_structure}) ALL"]
lowers      = ["DSBUFS"]
do_of_plan  = "smds_dsbufs_needed"
plans       = ["smds_buffer_storage", "smds_dsbufs_needed"]

[threshold.buffers_max]
value = 200
unit  = "buffers"
kind  = "documented"
why   = "IBM measured the same cost of puts and gets with 10 to 200 buffers, and a clearly higher cost with 3000, because the oldest free buffer must be found"
cite  = "V92, 'MQGET - When the messages are read from SMDS buffers'"

[threshold.used_share_min]
value = 0.5
unit  = "ratio"
kind  = "judgement"
why   = "only a surplus is reported: fewer than half of the buffers were ever in use at once"

[threshold.reads_saved_pct_max]
value = 50.0
unit  = "percent"
kind  = "judgement"
why   = "if the buffers save most reads, random gets benefit from them: free buffers still hold messages"

[clause.many]
when    = "observed > buffers_max"
measure = "SMDS buffer[s]"

[clause.unused]
when    = "buffers_used_share < used_share_min"
measure = "share of the buffers in use at once"

[source]
cite = "V92, 'MQGET - When the messages are read from SMDS buffers'; MP16, 'MQGET - When the messages are read from SMDS buffers'; Z17, 'Non-Sequential gets from deep shared queue' (more buffers for random gets)"

[advice]
summary = "Structure {cf_structure} has {observed:.0f} SMDS buffer[s] (limit {buffers_max}), {smds_buffer_mib:,.0f} MiB of 64-bit storage; at most {buffers_used_high} were in use at once."
remedy  = "Reduce the buffers, if the storage is needed elsewhere. Deep queues with random gets benefit from more buffers."
report  = "smds/buffers"
---*/
SELECT
  lpar, qmgr, cf_structure, interval_start_utc, record_id,
  'structure ' || cf_structure AS subject,
  smds_buffers                 AS observed,
  buffers_used_high, buffers_used_share, smds_buffer_mib
FROM smds_period
WHERE smds_buffers > 0 AND reads_saved_period_pct <= $reads_saved_pct_max
