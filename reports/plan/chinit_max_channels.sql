/*---
id       = "plan/chinit_max_channels"
title    = "Channels that a channel initiator can run"
question = "How many channels fit into the 31-bit storage of this channel initiator?"
subject  = "qmgr"
needs    = ["channel_initiator", "channel"]
profiles = ["chinit_footprints"]
covers   = ["chinit_storage_31bit"]
holds    = "MQ 9.0 and later; the storage of a channel depends on its kind, the largest message and the level."
source   = "MP16, 'What limits the maximum number of channels?' and 'How many SVRCONN channels can a channel initiator support?'; V92, 'How many clients can I connect to my queue manager?'"
result   = "channels_fit"
note     = "SMF has the storage in use, but not what is free: message CSQX004I shows both. A channel of sharecnv_10 has ten conversations; with fewer it takes about a tenth for each. An AT-TLS channel needs no storage for TLS here."

[parameter.storage_total]
unit   = "mib"
fact   = "chin_31bit_total_mb"
doc    = "31-bit storage that the channel initiator can have: in use plus free."
remedy = "add used and free local storage of message CSQX004I, and put the sum into the site file as chin_31bit_total_mb, or set storage_total=1466MiB"
least  = 1

[parameter.storage_used]
unit     = "mib"
measured = "most 31-bit storage in use in an interval"
doc      = "31-bit storage in use."
remedy   = "collect statistics class 4, or set storage_used=120MiB from message CSQX004I"

[parameter.limit]
unit    = "percent"
doc     = "Share of the 31-bit storage that may be in use."
default = 80
source  = "MP16, 'Rule of Thumb for channel initiator storage usage'"
most    = 100

[parameter.channel]
unit    = "text"
doc     = "Kind of the channels to add: a message channel, or a server-connection channel with this SHARECNV."
choices = "chinit_footprints.channel"
default = "sharecnv_10"
source  = "MP16, 'How many SVRCONN channels can a channel initiator support?': the default definition shares conversations"

[parameter.level]
unit     = "text"
measured = "level of the queue manager"
doc      = "MQ level; 9.4 keeps message buffers of clients in 64-bit storage."
choices  = "chinit_footprints.level"
remedy   = "set level=V9.4; before 9.0 no figure is published, level=V9.0 is the nearest"

[parameter.message_size]
unit   = "kib"
doc    = "Largest message of these channels."
remedy = "take it from the application or MAXMSGL, and set message_size=32KiB"
most   = 102400

[parameter.footprint]
unit     = "kib"
doc      = "31-bit storage of one channel, if you know it, instead of the published figure."
optional = true
least    = 1

[parameter.tls]
unit     = "flag"
measured = "any channel uses TLS"
doc      = "Whether the channels use TLS in MQ, which takes 30 KiB more each."
optional = true

[parameter.channels]
unit     = "count"
doc      = "Channels that you plan to add, to see their storage."
optional = true
most     = 9999

[parameter.channels_now]
unit     = "count"
measured = "most current channels in an interval"
doc      = "Channels now."
optional = true

[parameter.maxchl]
unit     = "count"
measured = "MAXCHL in the last interval"
fact     = "maxchl"
doc      = "Most channels that the queue manager allows (MAXCHL)."
optional = true

[parameter.adapters]
unit     = "count"
measured = "adapter tasks in the last interval"
fact     = "chiadaps"
doc      = "Adapter tasks, 150 KiB each."
optional = true

[parameter.dispatchers]
unit     = "count"
measured = "dispatcher tasks in the last interval"
fact     = "chidisps"
doc      = "Dispatcher tasks, 102 KiB each."
optional = true

[parameter.ssl_tasks]
unit     = "count"
measured = "TLS tasks in the last interval"
fact     = "ssltasks"
doc      = "TLS tasks, 1.45 MiB each."
optional = true

[step.limit_mib]
unit    = "mib"
label   = "storage that may be used"
formula = "limit * total storage"

[step.room]
unit    = "mib"
label   = "storage left up to the limit"
formula = "storage that may be used - storage used, at least 0"

[step.channel_kib]
unit    = "kib"
label   = "storage of one channel"
formula = "the published figure for kind, level and message size, between two sizes on a straight line, + 30 KiB with TLS"

[step.channels_fit]
unit    = "count"
label   = "channels that fit in addition"
formula = "storage left / storage of one channel, at most 9,999"

[step.channels_total]
unit    = "count"
label   = "channels that fit with those of now"
formula = "channels now + channels that fit, at most 9,999"

[step.conversations]
unit    = "count"
label   = "conversations on the channels that fit"
formula = "10 * channels that fit, for sharecnv_10"

[step.planned_mib]
unit    = "mib"
label   = "storage of the channels that you plan"
formula = "channels * storage of one channel"

[step.storage_for_most]
unit    = "mib"
label   = "storage of 9,999 such channels"
formula = "9,999 * storage of one channel"

[step.task_mib]
unit    = "mib"
label   = "storage of the tasks, part of what is used"
formula = "150 KiB * adapters + 102 KiB * dispatchers + 1.45 MiB * TLS tasks (9.3 and later)"

[answer.no_figure]
text = "IBM has no published storage of {channel} channels with messages of {message_size:,.0f} KiB at {level}: start some, compare two messages CSQX004I, and set footprint."

[answer.no_room]
text = "No more channels fit: {storage_used:,.0f} of {storage_total:,.0f} MiB are in use, and the limit of {limit:,.0f} % is {limit_mib:,.0f} MiB."
do   = ["Look whether message CSQX068I (storage released) repeats, and move channels to another queue manager."]

[answer.maxchl_high]
text = "{channels_fit} more channels of {channel_kib:,.0f} KiB fit, {channels_total} in all, but MAXCHL allows {maxchl:,.0f}: storage ends before MAXCHL does."
do   = ["ALTER QMGR MAXCHL({channels_total})", "Or set SHARECNV(0) where clients need no shared conversations."]

[answer.maxchl_low]
text = "{channels_fit} more channels of {channel_kib:,.0f} KiB fit, {channels_total} in all; MAXCHL allows {maxchl:,.0f}, which storage can hold."

[answer.too_many]
text = "The {channels:,.0f} channels need {planned_mib:,.0f} MiB and do not fit: {room:,.0f} MiB are left up to {limit:,.0f} %, enough for {channels_fit}."

[answer.planned]
text = "The {channels:,.0f} channels need {planned_mib:,.0f} MiB and fit: {room:,.0f} MiB are left up to {limit:,.0f} %, enough for {channels_fit}."

[answer.fits]
text = "{channels_fit} channels of {channel_kib:,.0f} KiB fit into the {room:,.0f} MiB that are left up to {limit:,.0f} %."
---*/
WITH tls AS (
  SELECT lpar, qmgr, bool_or(uses_tls) AS tls
  FROM channel
  GROUP BY lpar, qmgr
),
initiator AS (
  SELECT
    lpar, qmgr,
    max(chinit_31_mib)                                             AS storage_used,
    at_peak(interval_start_local, chinit_31_mib, interval_start_utc)                   AS storage_used_at,
    max(current_channels)                                          AS channels_now,
    at_peak(interval_start_local, current_channels, interval_start_utc)                AS channels_now_at,
    arg_max(max_channels, interval_start_utc)                      AS maxchl,
    arg_max(adapters, interval_start_utc)                          AS adapters,
    arg_max(dispatchers, interval_start_utc)                       AS dispatchers,
    arg_max(ssl_tasks, interval_start_utc)                         AS ssl_tasks,
    -- Levels are compared by number; those after 9.4 are as 9.4; before 9.0 no figure is published.
    max(100 * try_cast(split_part(mq_version, '.', 1) AS INTEGER) + try_cast(split_part(mq_version, '.', 2) AS INTEGER)) AS vr
  FROM channel_initiator
  GROUP BY lpar, qmgr
)
SELECT
  i.lpar, i.qmgr, NULL AS subject, i.storage_used, i.storage_used_at, i.channels_now, i.channels_now_at, i.maxchl, i.adapters, i.dispatchers, i.ssl_tasks,
  CASE WHEN i.vr >= 904 THEN 'V9.4' WHEN i.vr = 903 THEN 'V9.3' WHEN i.vr = 902 THEN 'V9.2' WHEN i.vr = 901 THEN 'V9.1' WHEN i.vr = 900 THEN 'V9.0' END AS level,
  t.tls
FROM initiator AS i
LEFT JOIN tls AS t ON t.lpar = i.lpar AND t.qmgr = i.qmgr;

WITH sought AS (
  SELECT *, CASE WHEN message_size IS NOT NULL THEN greatest(message_size, 1) END AS size_sought
  FROM plan_input
),
found AS (
  SELECT
    i.subject,
    max(p.size_kib) FILTER (p.size_kib <= i.size_sought)                   AS below_size,
    arg_max(p.storage_kib, p.size_kib) FILTER (p.size_kib <= i.size_sought) AS below_kib,
    min(p.size_kib) FILTER (p.size_kib >= i.size_sought)                   AS above_size,
    arg_min(p.storage_kib, p.size_kib) FILTER (p.size_kib >= i.size_sought) AS above_kib
  FROM sought AS i
  JOIN chinit_footprints AS p ON p.channel = i.channel AND p.level = i.level
  GROUP BY i.subject
),
priced AS (
  SELECT
    i.*,
    CASE
      WHEN i.footprint > 0 THEN i.footprint
      WHEN f.above_size = f.below_size THEN f.above_kib
      ELSE f.below_kib + (f.above_kib - f.below_kib) * (i.size_sought - f.below_size) / (f.above_size - f.below_size)
    END + CASE WHEN i.tls AND i.footprint IS NULL THEN 30 ELSE 0 END       AS channel_kib,
    i.limit / 100 * i.storage_total                                        AS limit_mib
  FROM sought AS i
  LEFT JOIN found AS f ON f.subject = i.subject
),
roomy AS (
  SELECT *, CASE WHEN storage_used IS NOT NULL AND limit_mib IS NOT NULL THEN greatest(0, limit_mib - storage_used) END AS room
  FROM priced
),
fitted AS (
  SELECT *, CASE WHEN room IS NOT NULL AND channel_kib > 0 THEN least(9999, floor(round(room * 1024 / channel_kib, 6))) END AS fit
  FROM roomy
)
SELECT
  lpar, qmgr, subject, limit_mib, room, channel_kib,
  fit::BIGINT                                                              AS channels_fit,
  CASE WHEN fit IS NOT NULL AND channels_now IS NOT NULL THEN least(9999, channels_now + fit) END::BIGINT AS channels_total,
  CASE WHEN channel = 'sharecnv_10' THEN 10 * fit END::BIGINT              AS conversations,
  channels * channel_kib / 1024                                            AS planned_mib,
  9999 * channel_kib / 1024                                                AS storage_for_most,
  (150 * adapters + 102 * dispatchers) / 1024 + 1.45 * ssl_tasks           AS task_mib,
  CASE
    WHEN room IS NULL THEN NULL
    WHEN room = 0 THEN 'no_room'
    WHEN channel_kib IS NULL AND (message_size IS NULL OR level IS NULL) THEN NULL
    WHEN channel_kib IS NULL THEN 'no_figure'
    WHEN channels > fit THEN 'too_many'
    WHEN channels <= fit THEN 'planned'
    WHEN maxchl > least(9999, channels_now + fit) THEN 'maxchl_high'
    WHEN maxchl <= least(9999, channels_now + fit) THEN 'maxchl_low'
    ELSE 'fits'
  END                                                                      AS answer
FROM fitted;
