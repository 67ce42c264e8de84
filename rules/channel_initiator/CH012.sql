/*---
id          = "CH012"
name        = "chinit-64-bit-storage-mostly-used"
title       = "The channel initiator used most of its 64-bit storage"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["channel_initiator.chinit_64_pct"]
prints      = ["channel_initiator.chinit_64_mib", "channel_initiator.chinit_64_limit_mib", "channel_initiator.chinit_64_limit_set", "channel_initiator.current_channels"]
judge       = "any interval"
worst       = "highest"
culprits    = ["conversations"]
measure     = "share of the 64-bit storage in use"
when        = "observed > pct_max"
mq_since    = "9.3.5"
look        = ["DISPLAY CHINIT"]
do          = ["MEMLIMIT in the JCL of the channel initiator: raise it."]
raises      = ["MEMLIMIT of the channel initiator"]
plans       = ["svrconn_storage_64bit"]

[threshold.pct_max]
value = 80.0
unit  = "percent"
kind  = "documented"
why   = "IBM recommends using at most 80 % of the available storage"
cite  = "MP16, 'Rule of Thumb for channel initiator storage usage'"

[source]
cite = "MP16, 'Rule of Thumb for channel initiator storage usage'; V92, 'How many clients can I connect to my queue manager?'"

[advice]
summary = "The channel initiator used {observed:.1f} % of its 64-bit storage (limit {pct_max} %): {chinit_64_mib} of {chinit_64_limit_mib} MB, with {current_channels} channel[s]."
remedy  = "There is little left for an unexpected load, and storage is reclaimed more often. From 9.4 on it holds the buffers of client channels: shorter messages and fewer conversations need less."
report  = "channel_initiator/summary"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
  'channel initiator'       AS subject,
  chinit_64_pct             AS observed,
  chinit_64_mib, chinit_64_limit_mib, current_channels
FROM channel_initiator
WHERE chinit_64_limit_set IS DISTINCT FROM false AND chinit_64_limit_mib IS DISTINCT FROM 0
