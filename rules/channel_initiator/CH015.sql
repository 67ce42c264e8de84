/*---
id          = "CH015"
name        = "chinit-memlimit-unlimited"
title       = "The channel initiator has no MEMLIMIT"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr"]
needs       = ["chinit_memlimit.unlimited_intervals"]
prints      = ["chinit_memlimit.unlimited_at_utc", "chinit_memlimit.unlimited_record_id", "chinit_memlimit.intervals_seen", "chinit_memlimit.highest_64_mib"]
judge       = "whole period"
worst       = "highest"
measure     = "intervals without a MEMLIMIT"
when        = "observed > 0"
text        = "no MEMLIMIT in {value} interval[s]"
unit        = "count"
mq_since    = "9.4.0"
look        = ["DISPLAY CHINIT"]
do          = ["MEMLIMIT in the JCL of the channel initiator: set one, 2G or more."]
sets        = ["MEMLIMIT of the channel initiator"]
plans       = ["svrconn_storage_64bit"]

[source]
cite = "MP16, 'MQ 9.4: How many SVRCONN channels can be run with unlimited 64-bit storage?'"
kind = "documented"

[advice]
summary = "The channel initiator ran without a 64-bit storage limit in {observed:.0f} of {intervals_seen} interval[s]; its highest use was {highest_64_mib} MB."
remedy  = "Without a MEMLIMIT, a runaway client load can use up the storage of the whole LPAR without any warning. If an exit (IEFUSI) limits it, switch this rule off in the site file."
report  = "channel_initiator/summary"
---*/
SELECT
  lpar, qmgr,
  unlimited_at_utc          AS interval_start_utc,
  unlimited_record_id       AS record_id,
  'channel initiator'       AS subject,
  unlimited_intervals       AS observed,
  intervals_seen, highest_64_mib
FROM chinit_memlimit
