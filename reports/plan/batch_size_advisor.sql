/*---
id       = "plan/batch_size_advisor"
title    = "Batch settings of a channel"
question = "Which BATCHSZ and BATCHINT suit this channel?"
subject  = "channel"
needs    = ["channel_period"]
covers   = ["effective_batchsz", "batch_bytes_vs_pool"]
holds    = "All levels; channels with NPMSPEED(FAST), the default."
source   = "MP16, 'Tuning channels - BATCHSZ, BATCHINT, and NPMSPEED' and 'Setting BATCHSZ and BATCHINT'; V92, 'Mitigating impact of BATCHSZ on fasp.io gateway'"
result   = "batch_expected"
note     = "SMF has the batch size that both ends agreed on. Nonpersistent messages of a channel with NPMSPEED(FAST) are available at once, whatever the batch; persistent ones at the end of the batch, so only the application decides which delay is allowed."

[parameter.channel_type]
unit     = "text"
measured = "type of the channel"
doc      = "Type of the channel, as the records name it."
choices  = ["Sender", "Server", "ClusSdr", "ClusRcvr", "Receiver", "Requester"]
optional = true

[parameter.rate]
unit     = "per_s"
measured = "messages per second while the channel ran"
doc      = "Messages that the channel moves per second."
remedy   = "collect channel accounting (116.10), or set rate=30/s"

[parameter.message_size]
unit     = "bytes"
measured = "mean bytes of a message"
doc      = "Size of a message."
remedy   = "collect channel accounting (116.10), or set message_size=2000B"

[parameter.persistent]
unit     = "percent"
measured = "share of the messages that were persistent"
doc      = "Share of persistent messages."
remedy   = "collect channel accounting (116.10), or set persistent=100%"
most     = 100

[parameter.batchsz]
unit     = "count"
measured = "batch size that the ends agreed on"
doc      = "BATCHSZ in force."
default  = 50
source   = "MP16, 'Setting BATCHSZ and BATCHINT': the default"
least    = 1
most     = 9999

[parameter.batchint]
unit     = "ms"
measured = "BATCHINT in force"
doc      = "BATCHINT in force."
default  = 0
source   = "MP16, 'Setting BATCHSZ and BATCHINT': the default"

[parameter.batchlim]
unit     = "kib"
measured = "BATCHLIM in force"
doc      = "BATCHLIM in force: data after which a batch ends."
default  = 5000
source   = "MP16, 'Channel option BATCHLIM'"

[parameter.achieved]
unit     = "number"
measured = "messages for each batch"
doc      = "Batch size that was achieved."
optional = true

[parameter.delay_allowed]
unit    = "ms"
doc     = "Delay of persistent messages that the application can tolerate."
default = 0
source  = "MP16, 'Setting BATCHSZ and BATCHINT': the default BATCHINT is 0"
most    = 299999

[parameter.partner_batchsz]
unit     = "count"
doc      = "BATCHSZ in the definition of the other end."
optional = true
least    = 1

[parameter.maxumsgs]
unit     = "count"
fact     = "maxumsgs"
doc      = "Lowest MAXUMSGS of the z/OS queue managers at the ends."
optional = true

[parameter.partner_maxumsgs]
unit     = "count"
doc      = "MAXUMSGS of the other end if it is not on z/OS."
optional = true

[parameter.pool_size]
unit     = "mib"
doc      = "Buffer pool of the queue that receives the messages."
optional = true

[step.batch_by_interval]
unit    = "number"
label   = "batch size that the settings allow"
formula = "messages that arrive within BATCHINT, at least 1 and at most BATCHSZ"

[step.batchsz_advised]
unit    = "count"
label   = "BATCHSZ advised"
formula = "1 for messages of 1 MiB and more, 10 above 100,000 bytes; otherwise as now, between 50 and 100, and more only for nonpersistent messages alone"

[step.batchint_advised]
unit    = "ms"
label   = "BATCHINT advised"
formula = "the time in which BATCHSZ messages arrive, at most the delay allowed for persistent messages, below 300,000 ms"

[step.batch_expected]
unit    = "number"
label   = "batch size to expect then"
formula = "messages that arrive within that BATCHINT, at least what was achieved, at most BATCHSZ"

[step.batchsz_agreed]
unit    = "count"
label   = "batch size that the ends would agree on"
formula = "the least of BATCHSZ advised, BATCHSZ of the partner, MAXUMSGS - 3 on z/OS and MAXUMSGS elsewhere, at least 1"

[step.fewer_batches]
unit    = "percent"
label   = "fewer batches"
formula = "100 * (1 - batch size now / batch size to expect)"

[step.batch_kib]
unit    = "kib"
label   = "most data of a batch"
formula = "BATCHSZ advised * message size, at most BATCHLIM and a message"

[step.pool_share]
unit    = "percent"
label   = "a batch against the receiving buffer pool"
formula = "100 * the larger of the data of a batch and BATCHLIM / buffer pool"

[answer.idle]
text = "The channel moved no messages, so its batch settings do not matter now."

[answer.pool_small]
text = "A batch can fill the receiving buffer pool: up to {batchlim:,.0f} KiB (BATCHLIM) against {pool_size:,.1f} MiB. Set BATCHLIM well below the pool, or enlarge the pool."

[answer.too_large]
text = "BATCHSZ({batchsz_advised}) suits messages of {message_size:,.0f} bytes; it is {batchsz:,.0f}. A larger batch saves little and makes a failed batch expensive."
do   = ["ALTER CHANNEL({subject}) CHLTYPE({channel_type}) BATCHSZ({batchsz_advised})", "Set it at both ends. It applies from the next start of the channel; if a cluster or a queue sharing group owns the definition, alter it there."]

[answer.shorter]
text = "BATCHINT({batchint:,.0f}) keeps a unit of work open for {batchint:,.0f} ms: stay below 300,000. {batchint_advised:,.0f} ms suit {rate:,.2f} messages per second."
do   = ["ALTER CHANNEL({subject}) CHLTYPE({channel_type}) BATCHINT({batchint_advised})", "It applies from the next start of the channel."]

[answer.full]
text = "Its batches are full ({achieved:,.1f} of {batchsz:,.0f} messages): BATCHSZ({batchsz_advised}) makes fewer of them<<; the ends would agree on {batchsz_agreed}>>."
do   = ["ALTER CHANNEL({subject}) CHLTYPE({channel_type}) BATCHSZ({batchsz_advised})", "The lower value of both ends applies: alter the partner too. A batch that fails is sent again in full. It applies from the next start of the channel; if a cluster or a queue sharing group owns the definition, alter it there."]

[answer.wait]
text = "BATCHINT({batchint_advised:,.0f}) would make batches of about {batch_expected:,.1f} messages<< instead of {achieved:,.1f}>>, {fewer_batches:,.0f} % fewer, at {rate:,.2f} messages per second."
do   = ["ALTER CHANNEL({subject}) CHLTYPE({channel_type}) BATCHINT({batchint_advised})", "It applies from the next start of the channel."]

[answer.single]
text = "A batch has {achieved:,.1f} messages on average, at {rate:,.2f} messages per second. If persistent messages may wait, set delay_allowed to see a BATCHINT; if not, BATCHSZ(1) saves the separate end of batch."
do   = ["ALTER CHANNEL({subject}) CHLTYPE({channel_type}) BATCHSZ(1)", "This is for request and reply with one message at a time: otherwise raise BATCHINT instead. It applies from the next start of the channel; if a cluster or a queue sharing group owns the definition, alter it there."]

[answer.good]
text = "BATCHSZ({batchsz:,.0f}) and BATCHINT({batchint:,.0f}) suit the channel<<: it achieves {achieved:,.1f} messages for each batch>> at {rate:,.2f} messages per second."
---*/
SELECT
  lpar, qmgr, channel_name AS subject, channel_type,
  channel_messages_per_s        AS rate,
  average_channel_message_bytes AS message_size,
  persistent_channel_pct        AS persistent,
  batch_size_limit              AS batchsz,
  batch_interval_ms             AS batchint,
  nullif(batch_limit_kib, 0)    AS batchlim,
  achieved_batch_size           AS achieved
FROM channel_period
WHERE batches_judged_here;

WITH advised AS (
  SELECT
    *,
    CASE WHEN rate IS NOT NULL THEN least(batchsz, greatest(1, rate * batchint / 1000)) END AS batch_by_interval,
    CASE
      WHEN message_size >= 1048576 THEN 1
      WHEN message_size > 100000 THEN least(10, batchsz)
      WHEN persistent = 0 THEN greatest(batchsz, CASE WHEN achieved >= 0.95 * batchsz THEN least(9999, 2 * batchsz) ELSE 50 END)
      WHEN achieved >= 0.95 * batchsz THEN 100
      ELSE greatest(least(batchsz, 100), 50)
    END                                                AS batchsz_wanted
  FROM plan_input
),
timed AS (
  SELECT
    *,
    CASE WHEN rate > 0 THEN floor(least(299999, batchsz_wanted / rate * 1000, CASE WHEN persistent > 0 THEN delay_allowed END)) END AS batchint_advised
  FROM advised
),
expected AS (
  SELECT
    *,
    CASE WHEN rate IS NOT NULL AND batchint_advised IS NOT NULL
      THEN least(batchsz_wanted, greatest(1, rate * batchint_advised / 1000, achieved)) END AS batch_expected
  FROM timed
),
weighed AS (
  SELECT
    *,
    CASE WHEN achieved > 0 THEN achieved ELSE batch_by_interval END AS batch_now,
    CASE WHEN message_size IS NOT NULL AND batchsz_wanted IS NOT NULL THEN least(batchsz_wanted * message_size / 1024, batchlim + message_size / 1024) END AS batch_kib
  FROM expected
)
SELECT
  lpar, qmgr, subject, batch_by_interval,
  batchsz_wanted::BIGINT                               AS batchsz_advised,
  batchint_advised::BIGINT AS batchint_advised, batch_expected,
  CASE WHEN partner_batchsz IS NOT NULL OR maxumsgs IS NOT NULL OR partner_maxumsgs IS NOT NULL
    THEN least(batchsz_wanted, partner_batchsz, CASE WHEN maxumsgs IS NOT NULL THEN greatest(1, maxumsgs - 3) END, CASE WHEN partner_maxumsgs IS NOT NULL THEN greatest(1, partner_maxumsgs) END) END::BIGINT AS batchsz_agreed,
  CASE WHEN batch_now IS NOT NULL AND batch_expected > 0 THEN greatest(0, 100 * (1 - batch_now / batch_expected)) END AS fewer_batches,
  batch_kib,
  CASE WHEN batch_kib IS NOT NULL THEN pct(greatest(batch_kib, batchlim) / 1024, pool_size) END AS pool_share,
  CASE
    WHEN rate IS NULL OR message_size IS NULL OR persistent IS NULL THEN NULL
    WHEN rate = 0 THEN 'idle'
    WHEN greatest(batch_kib, batchlim) / 1024 > pool_size THEN 'pool_small'
    WHEN batchsz > batchsz_wanted THEN 'too_large'
    WHEN batchint >= 300000 AND persistent > 0 THEN 'shorter'
    WHEN achieved >= 0.95 * batchsz AND batchsz_wanted > batchsz THEN 'full'
    WHEN batch_expected >= 2 * batch_now AND batchint_advised > batchint THEN 'wait'
    WHEN persistent > 0 AND achieved < 2 AND batchsz > 1 THEN 'single'
    ELSE 'good'
  END                                                  AS answer
FROM weighed;
