/*---
id          = "CH013"
name        = "chinit-31-bit-storage-mostly-used"
title       = "The channel initiator used most of its 31-bit storage"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["channel_initiator.chinit_31_mib"]
prints      = ["channel_initiator.chinit_31_total_mib", "channel_initiator.chinit_31_total_assumed", "channel_initiator.current_channels"]
judge       = "any interval"
worst       = "highest"
culprits    = ["conversations"]
breach_when = "over or scavenging"
mq_since    = "8.0.0"
look        = ["DISPLAY CHINIT"]
plans       = ["chinit_max_channels"]

[threshold.pct_max]
value = 80.0
unit  = "percent"
kind  = "documented"
why   = "IBM recommends using at most 80 % of the available storage"
cite  = "MP16, 'Rule of Thumb for channel initiator storage usage'"

[threshold.scavenger_pct]
value = 75.0
unit  = "percent"
kind  = "documented"
why   = "from 75 % on, the channel initiator starts to reclaim storage; reported as info"
cite  = "MP16, 'Channel Initiator Scavenger Task'"

[threshold.total_mb_default]
value = 1466
unit  = "mib"
kind  = "documented"
why   = "assumed if the site file does not give the total; the documents show 1375 to 1600"
cite  = "V92, 'How many clients can I connect to my queue manager?'"

[clause.over]
when    = "observed > pct_max"
measure = "share of the 31-bit storage in use"
summary = "The channel initiator used {observed:.1f} % of its 31-bit storage (limit {pct_max} %): {chinit_31_mib} of {total_mb:.0f} MB ({total_from}), with {current_channels} channel[s]."

[clause.scavenging]
when    = "observed >= scavenger_pct"
measure = "share of the 31-bit storage in use"
summary = "The channel initiator used {observed:.1f} % of its 31-bit storage; from {scavenger_pct} % on, storage is reclaimed: {chinit_31_mib} of {total_mb:.0f} MB ({total_from}), with {current_channels} channel[s]."

[source]
cite = "MP16, 'Rule of Thumb for channel initiator storage usage' and 'Channel Initiator Scavenger Task'; V92, 'How many clients can I connect to my queue manager?'"

[advice]
summary = "The channel initiator used {observed:.1f} % of its 31-bit storage (limit {pct_max} %; from {scavenger_pct} % on, storage is reclaimed): {chinit_31_mib} of {total_mb:.0f} MB ({total_from}), with {current_channels} channel[s]."
remedy  = "Add the used and free storage in message CSQX004I and put the sum into the site file as chin_31bit_total_mb. Lower SHARECNV or the message sizes, migrate to 9.4, which moves client buffers above the bar, or start some of the channels on a second queue manager. When no storage is left, dispatchers fail with CSQX112E."
report  = "channel_initiator/summary"
---*/
WITH address_space AS (
  SELECT
    lpar, qmgr, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
    chinit_31_mib, current_channels,
    CASE WHEN chinit_31_total_assumed THEN $total_mb_default ELSE chinit_31_total_mib END AS total_mb,
    CASE WHEN chinit_31_total_assumed THEN 'assumed' ELSE 'site' END AS total_from
  FROM channel_initiator
),
used AS (
  SELECT *, 100 * chinit_31_mib / nullif(total_mb, 0) AS used_pct
  FROM address_space
)
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
  'channel initiator'       AS subject,
  used_pct                  AS observed,
  CASE WHEN used_pct > $pct_max THEN 'warning' ELSE 'info' END AS severity,
  chinit_31_mib, total_mb, total_from, current_channels
FROM used
