/*---
id          = "CV003"
name        = "channel-initiator-statistics-missing"
title       = "Channels are in use, but there are no class 4 statistics records"
severity    = "warning"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["coverage_qmgr.channel_work", "coverage_qmgr.records_115_231"]
judge       = "whole period"
worst       = "highest"
breach_when = "work and none"
unit        = "count"
mq_since    = "8.0.0"
look        = ["DISPLAY TRACE(STAT)", "DISPLAY CHINIT"]
do          = ["START TRACE(STAT) CLASS(4)"]

[clause.work]
when    = "observed > 0"
measure = "accounting record[s] of channels"

[clause.none]
when    = "records_115_231 = 0"
measure = "channel initiator statistics record[s]"

[source]
cite = "MP16, 'Rule of Thumb for channel initiator storage usage' and 'Channel Initiator Trace' (class 4 adds 1 to 2 % of its CPU time)"
kind = "documented"

[advice]
summary = "Accounting shows {observed} record[s] of the channel initiator and its channels, but there are no 115.231 records: adapters, dispatchers, TLS, DNS and storage of the channel initiator could not be assessed."
remedy  = "The classes started with SMFSTAT do not include class 4. Both class 4 traces together cost 1 to 2 % of the channel initiator's CPU."
report  = "overview/coverage"
---*/
SELECT
  lpar, qmgr,
  'channel initiator statistics' AS subject,
  channel_work AS observed,
  records_115_231
FROM coverage_qmgr
