/*---
id          = "CV006"
name        = "channel-accounting-missing"
title       = "Channels are in use, but there is no channel accounting"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["coverage_qmgr.active_channels_high", "coverage_qmgr.records_116_10"]
judge       = "whole period"
worst       = "highest"
breach_when = "active and none"
unit        = "count"
mq_since    = "8.0.0"
look        = ["DISPLAY TRACE(ACCTG)", "DISPLAY QMGR STATACLS STATCHL"]
do          = ["START TRACE(ACCTG) CLASS(4)", "ALTER QMGR STATCHL(MEDIUM)"]
sets        = ["STATCHL"]
plans       = ["accounting_cost"]

[clause.active]
when    = "observed > 0"
measure = "most active channels"
text    = "up to {value} active channel[s]"

[clause.none]
when    = "records_116_10 = 0"
measure = "channel accounting record[s]"

[source]
cite = "MP16, 'Channel Initiator Trace' (class 4 adds 1 to 2 % of its CPU time)"
kind = "documented"

[advice]
summary = "Up to {observed} channel[s] [were|was] active, but there are no 116.10 records: batches, TLS, compression and network times of channels could not be assessed."
remedy  = "STATACLS is for cluster senders that are defined automatically; STATCHL can be set on the channels that matter instead."
report  = "overview/coverage"
---*/
SELECT
  lpar, qmgr,
  'channel accounting' AS subject,
  active_channels_high AS observed,
  records_116_10
FROM coverage_qmgr
