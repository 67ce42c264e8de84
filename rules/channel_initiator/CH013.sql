/*---
id          = "CH013"
name        = "chinit-31-bit-storage-mostly-used"
title       = "The channel initiator used most of its 31-bit storage"
severity    = "warning"
grain       = ["lpar", "qmgr"]
needs       = ["channel_initiator.chinit_31_mib"]
prints      = ["channel_initiator.chinit_31_total_mib", "channel_initiator.chinit_31_total_assumed", "channel_initiator.current_channels"]
judge       = "any interval"
worst       = "highest"
breach_when = "over or scavenging"
guards      = []
silenced_by = []
mq_since    = "8.0.0"
default_on  = true

[threshold.pct_max]
value = 80.0
unit  = "percent"
why   = "IBM advises not to exceed 80 % of the storage that is available"

[threshold.scavenger_pct]
value = 75.0
unit  = "percent"
why   = "from 75 % on the channel initiator itself starts to reclaim storage; reported as info"

[threshold.total_mb_default]
value = 1466
unit  = "mib"
why   = "assumed when the site file does not say how much there is; the documents show 1375 to 1600"

[clause.over]
when    = "observed > pct_max"
measure = "share of the 31-bit storage in use"
summary = "The channel initiator used {observed:.1f} % of its 31-bit storage (limit {pct_max} %): {chinit_31_mib} of {total_mb:.0f} MB ({total_from}), with {current_channels} channels."

[clause.scavenging]
when    = "observed >= scavenger_pct"
measure = "share of the 31-bit storage in use"
summary = "The channel initiator used {observed:.1f} % of its 31-bit storage; from {scavenger_pct} % on storage is reclaimed: {chinit_31_mib} of {total_mb:.0f} MB ({total_from}), with {current_channels} channels."

[source]
cite = "MP16, 'Rule of Thumb for channel initiator storage usage' and 'Channel Initiator Scavenger Task'; V92, 'How many clients can I run?'"
kind = "documented"

[advice]
summary = "The channel initiator used {observed:.1f} % of its 31-bit storage (limit {pct_max} %, from {scavenger_pct} % on storage is reclaimed): {chinit_31_mib} of {total_mb:.0f} MB ({total_from}), with {current_channels} channels."
remedy  = "Read message CSQX004I and put used plus free into the site file as chin_31bit_total_mb. Lower SHARECNV or the size of messages; 9.4 moves buffers of clients above the bar; else start part of the channels on a second queue manager. Dispatchers fail with CSQX112E when nothing is left."
report  = "channel_initiator/summary"
---*/
WITH storage AS (
  SELECT
    lpar, qmgr, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
    chinit_31_mib, current_channels,
    CASE WHEN chinit_31_total_assumed THEN $total_mb_default ELSE chinit_31_total_mib END AS total_mb,
    CASE WHEN chinit_31_total_assumed THEN 'assumed' ELSE 'site' END AS total_from
  FROM channel_initiator
),
used AS (
  SELECT *, 100 * chinit_31_mib / nullif(total_mb, 0) AS used_pct
  FROM storage
)
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
  'channel initiator'       AS subject,
  used_pct                  AS observed,
  CASE WHEN used_pct > $pct_max THEN 'warning' ELSE 'info' END AS severity,
  chinit_31_mib, total_mb, total_from, current_channels,
used_pct > $pct_max OR used_pct >= $scavenger_pct AS breach
FROM used
ORDER BY lpar, qmgr, interval_start_utc
