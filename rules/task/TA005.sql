/*---
id          = "TA005"
name        = "connect-churn"
title       = "An application connects for a few calls at a time"
severity    = "warning"
weight      = "waste"
grain       = ["lpar", "qmgr", "application", "connection_type_name"]
needs       = ["application_connect.connects_per_s", "application_connect.calls_per_connect"]
prints      = ["application_connect.connects", "application_connect.connect_calls", "application_connect.period_seconds", "application_connect.connect_source"]
judge       = "whole period"
worst       = "highest"
breach_when = "rate and short"
look        = ["mqstat report --report application/class1 --qmgr {qmgr}"]

[threshold.connects_per_s_max]
value = 1
unit  = "per_s"
kind  = "judgement"
why   = "a job step that connects now and then is normal"

[threshold.calls_per_connect_min]
value = 10
unit  = "ratio"
kind  = "judgement"
why   = "a connection costs more than several calls"

[clause.rate]
when    = "observed > connects_per_s_max"
measure = "connections"

[clause.short]
when    = "calls_per_connect < calls_per_connect_min"
measure = "calls per connection"

[source]
cite = "MP16, 'Frequent use of MQCONN/MQDISC - for example WLM Stored Procedures' (300 against 17 transactions per second with and without LLA) and 'Use of LLA to minimize program load caused throughput effects'; Z17, 'Client Channel start rate'"

[advice]
summary = "{application} connected {connects} time[s] in {period_seconds:.0f} s, {observed:.1f} per second (limit {connects_per_s_max}), for {calls_per_connect:.1f} calls each (limit {calls_per_connect_min}); counted in {connect_source}. Each MQCONN loads a module and conversion tables."
remedy  = "Stay connected for many calls. Put SCSQAUTH and the STEPLIB concatenation in the LLA lists LIBRARIES and FREEZE, and preload the MQ modules: a program that loads them for each connection ran 17 instead of 300 transactions per second in IBM's test."
report  = "application/class1"
---*/
SELECT
  lpar, qmgr, application, connection_type_name,
  coalesce(application || ' (' || connection_type_name || ')', 'unknown application') AS subject,
  connects_per_s             AS observed,
  connects, connect_calls, period_seconds, connect_source, calls_per_connect
FROM application_connect
-- CN012 judges client channels.
WHERE NOT stays_connected
