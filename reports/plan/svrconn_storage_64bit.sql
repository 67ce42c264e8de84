/*---
id       = "plan/svrconn_storage_64bit"
title    = "64-bit storage for client channels"
question = "What MEMLIMIT does the channel initiator need for its clients from 9.4 on?"
subject  = "qmgr"
needs    = ["channel_initiator", "channel_activity", "channel"]
holds    = "MQ 9.4 and later; before, message buffers of clients are in 31-bit storage."
source   = "MP16, 'Rule of Thumb for sizing MQ 9.4 64-bit private storage for SVRCONN channels' and 'MQ 9.4: Limiting 64-bit memory usage'"
result   = "memlimit_needed"
note     = "Statistics class 4 and channel accounting use 64-bit storage, too: what is in use now is part of the answer where it is more than the channels need. The largest message that a channel has seen counts, not the mean."

[parameter.channels]
unit     = "count"
measured = "most client channels that ran in an interval"
doc      = "Client (SVRCONN) channels that run at once."
remedy   = "collect channel accounting (116.10), or set channels=2000"
most     = 9999

[parameter.message_size]
unit   = "bytes"
doc    = "Largest message of these channels."
remedy = "take it from the application or MAXMSGL, and set message_size=32KiB"
most   = 104857600

[parameter.conversations]
unit     = "count"
measured = "mean conversations of a client channel"
doc      = "Conversations that share a channel."
default  = 10
source   = "MP16, 'How many SVRCONN channels can a channel initiator support?': the default definition shares conversations"
least    = 0

[parameter.sharing]
unit    = "flag"
doc     = "Whether SHARECNV is above 0; with SHARECNV(0) a channel has one buffer."
default = true
source  = "MP16, 'How many SVRCONN channels can a channel initiator support?': the default definition shares conversations"

[parameter.used]
unit     = "mib"
measured = "most 64-bit storage in use in an interval"
doc      = "64-bit storage in use now."
optional = true

[parameter.memlimit]
unit     = "mib"
measured = "MEMLIMIT in the last interval"
doc      = "MEMLIMIT of the channel initiator now."
optional = true

[parameter.no_limit]
unit     = "flag"
measured = "no MEMLIMIT in the last interval"
doc      = "Whether the channel initiator runs without a limit."
optional = true

[parameter.limit]
unit    = "percent"
doc     = "Share of MEMLIMIT that may be in use."
default = 80
source  = "MP16, 'Rule of Thumb for channel initiator storage usage'"
most    = 100
least   = 1

[step.buffer_bytes]
unit    = "bytes"
label   = "buffer for a message"
formula = "message size + 500 bytes, rounded up to a power of two from 4 KiB to 1 MiB, above that to whole MiB"

[step.channel_bytes]
unit    = "bytes"
label   = "buffers of a channel"
formula = "one buffer with SHARECNV(0), two with one conversation, 1.1 for each of several conversations"

[step.times_message]
unit    = "ratio"
label   = "storage of a channel against its message"
formula = "buffers of a channel / message size"

[step.channels_mib]
unit    = "mib"
label   = "buffers of all channels"
formula = "channels * buffers of a channel"

[step.memlimit_needed]
unit    = "mib"
label   = "MEMLIMIT needed"
formula = "the larger of the buffers of all channels and what is in use, / limit, at least 2048 MiB, in whole GiB"

[step.memlimit_gib]
unit    = "gib"
label   = "the same in GiB"
formula = "MEMLIMIT needed / 1024"

[answer.no_limit]
text = "MEMLIMIT={memlimit_gib}G would do for {channels:,.0f} client channel[s], which [need|needs] {channels_mib:,.0f} MiB<<, and {used:,.0f} MiB are in use>>; there is no limit now, so a fault could fill the storage of the LPAR."
do   = ["Set MEMLIMIT={memlimit_gib}G on the EXEC statement of the channel initiator procedure, and restart it."]

[answer.too_low]
text = "MEMLIMIT={memlimit_gib}G is needed for {channels:,.0f} client channel[s], which [need|needs] {channels_mib:,.0f} MiB<<, and {used:,.0f} MiB are in use>>; it is {memlimit:,.0f} MiB now."
do   = ["Set MEMLIMIT={memlimit_gib}G on the EXEC statement of the channel initiator procedure, and restart it."]

[answer.enough]
text = "MEMLIMIT of {memlimit:,.0f} MiB is enough: {channels:,.0f} client channel[s] [need|needs] {channels_mib:,.0f} MiB<<, and {used:,.0f} MiB are in use>>."

[answer.needed]
text = "MEMLIMIT={memlimit_gib}G is needed for {channels:,.0f} client channel[s], which [need|needs] {channels_mib:,.0f} MiB."
---*/
WITH running AS (
  SELECT lpar, qmgr, interval_start_utc, sum(instances_running) AS channels
  FROM channel_activity
  WHERE is_client
  GROUP BY lpar, qmgr, interval_start_utc
),
most AS (
  SELECT lpar, qmgr, max(channels) AS channels
  FROM running
  GROUP BY lpar, qmgr
),
shared AS (
  SELECT lpar, qmgr, avg(nullif(shared_conversations, 0)) AS conversations
  FROM channel
  WHERE is_client AND running
  GROUP BY lpar, qmgr
),
initiator AS (
  SELECT
    lpar, qmgr,
    max(chinit_64_mib)                                     AS used,
    at_peak(interval_start_local, chinit_64_mib, interval_start_utc)           AS used_at,
    arg_max(chinit_64_limit_mib, interval_start_utc)       AS memlimit,
    arg_max(chinit_64_no_limit, interval_start_utc)        AS no_limit
  FROM channel_initiator
  GROUP BY lpar, qmgr
)
SELECT
  i.lpar, i.qmgr, NULL AS subject, m.channels, s.conversations, i.used, i.used_at, i.memlimit, i.no_limit
FROM initiator AS i
LEFT JOIN most AS m ON m.lpar = i.lpar AND m.qmgr = i.qmgr
LEFT JOIN shared AS s ON s.lpar = i.lpar AND s.qmgr = i.qmgr;

WITH buffered AS (
  SELECT
    *,
    CASE
      WHEN message_size + 500 > 1048576 THEN ceil((message_size + 500) / 1048576) * 1048576
      WHEN message_size IS NOT NULL THEN greatest(4096, 2 ** ceil(round(log2(message_size + 500), 12)))
    END::BIGINT                                            AS buffer_bytes
  FROM plan_input
),
sized AS (
  SELECT
    *,
    CASE WHEN NOT sharing THEN buffer_bytes WHEN conversations <= 1 THEN 2 * buffer_bytes WHEN conversations > 1 THEN 1.1 * conversations * buffer_bytes END AS channel_bytes
  FROM buffered
),
summed AS (
  SELECT *, channels * channel_bytes / 1048576             AS channels_mib
  FROM sized
),
limited AS (
  SELECT
    *,
    -- What is in use may not be known: greatest skips it.
    CASE WHEN channels_mib IS NOT NULL THEN greatest(2, ceil(round(greatest(channels_mib, used) / nullif("limit" / 100, 0) / 1024, 6))) END::BIGINT AS memlimit_gib
  FROM summed
)
SELECT
  lpar, qmgr, subject, buffer_bytes, channel_bytes, channel_bytes / nullif(message_size, 0) AS times_message, channels_mib, memlimit_gib,
  memlimit_gib * 1024                                      AS memlimit_needed,
  CASE
    WHEN memlimit_gib IS NULL THEN NULL
    WHEN no_limit THEN 'no_limit'
    WHEN memlimit < memlimit_gib * 1024 THEN 'too_low'
    WHEN memlimit >= memlimit_gib * 1024 THEN 'enough'
    ELSE 'needed'
  END                                                      AS answer
FROM limited;
