/*---
id          = "CH014"
name        = "chinit-memlimit-below-2-gb"
title       = "The MEMLIMIT of the channel initiator is low"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["chinit_memlimit.lowest_limit_mib"]
prints      = ["chinit_memlimit.lowest_limit_at_utc", "chinit_memlimit.lowest_limit_record_id", "chinit_memlimit.highest_64_mib"]
judge       = "whole period"
worst       = "lowest"
measure     = "64-bit storage limit"
when        = "observed < memlimit_mb_min"
mq_since    = "9.4.0"
look        = ["DISPLAY CHINIT"]
do          = ["MEMLIMIT=2G or more in the JCL of the channel initiator."]
raises      = ["MEMLIMIT of the channel initiator"]
plans       = ["svrconn_storage_64bit"]

[threshold.memlimit_mb_min]
value = 2048
unit  = "mib"
kind  = "documented"
why   = "the IBM documentation recommends at least 2 GB from 9.4 on"
cite  = "IBM documentation, channel initiator storage"

[source]
cite = "MP16, 'MQ 9.4: Limiting 64-bit memory usage'; IBM documentation, channel initiator storage"

[advice]
summary = "The channel initiator may use {observed:.0f} MB of 64-bit storage ({memlimit_mb_min} MB or more are recommended); its highest use was {highest_64_mib} MB."
remedy  = "Check what lowers MEMLIMIT (IEFUSI, SMFPRMxx, SMFLIMxx). From 9.4 on, the buffers of client channels are in 64-bit storage; without clients the low limit does no harm."
report  = "channel_initiator/summary"
---*/
SELECT
  lpar, qmgr,
  lowest_limit_at_utc       AS interval_start_utc,
  lowest_limit_record_id    AS record_id,
  'channel initiator'       AS subject,
  lowest_limit_mib          AS observed,
  highest_64_mib
FROM chinit_memlimit
WHERE lowest_limit_mib IS NOT NULL
