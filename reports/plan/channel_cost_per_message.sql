/*---
id       = "plan/channel_cost_per_message"
title    = "CPU of moving messages"
question = "What does this channel cost, and what would larger batches save?"
subject  = "channel"
needs    = ["channel_period"]
profiles = ["machine_capacity"]
holds    = "z16, within 10 % of IBM's tests: no data conversion, empty queues, both ends together."
source   = "MP16, 'Costs of Moving Messages To and From z/OS Images'"
result   = "cpu_seconds"
note     = "The costs are of the queue managers and channel initiators at both ends. For persistent messages the figure of single batches is taken, as the source advises for planning."

[parameter.messages]
unit     = "per_h"
measured = "messages per hour while the channel ran"
doc      = "Messages that the channel moves in an hour."
remedy   = "collect channel accounting (116.10), or set messages=36000/h"

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

[parameter.batch]
unit     = "number"
measured = "messages for each batch"
doc      = "Batch size that was achieved."
remedy   = "collect channel accounting (116.10), or set batch=20"
least    = 1

[parameter.machine]
unit    = "text"
doc     = "Machine, to which the CPU time is scaled."
choices = "machine_capacity.machine"
default = "z16"
source  = "MP16, 'Costs of Moving Messages To and From z/OS Images': the machine of the tests"

[step.machine_factor]
unit    = "ratio"
label   = "CPU time of this machine against z16"
formula = "capacity of z16 / capacity of this machine"

[step.message_us]
unit    = "us"
label   = "CPU time of a message at both ends"
formula = "machine factor * (nonpersistent: 38.53 + 0.0007 * size in batches below 2, otherwise 22.16 + 0.00058 * size; persistent: 223 + 0.003 * size)"

[step.end_us]
unit    = "us"
label   = "CPU time of a message at one end"
formula = "half of it"

[step.cpu_seconds]
unit    = "s"
label   = "CPU time in an hour at both ends"
formula = "messages * CPU time of a message"

[step.saving_us]
unit    = "us"
label   = "saving for a message in batches of 50"
formula = "CPU time of nonpersistent messages now - that in batches of 50"

[step.saving]
unit    = "percent"
label   = "saving in batches of 50"
formula = "100 * saving / CPU time of a message"

[answer.idle]
text = "The channel moved no messages."

[answer.single]
text = "{messages:,.0f} messages an hour cost about {cpu_seconds:,.2f} CPU seconds at both ends, {message_us:,.1f} µs each, in batches of {batch:,.1f}; batches of 50 would save {saving:,.0f} %."

[answer.cost]
text = "{messages:,.0f} messages an hour cost about {cpu_seconds:,.2f} CPU seconds at both ends, {message_us:,.1f} µs each, in batches of {batch:,.1f}."
---*/
SELECT
  lpar, qmgr, channel_name AS subject,
  channel_messages_per_s * 3600                                   AS messages,
  average_channel_message_bytes                                   AS message_size,
  persistent_channel_pct                                          AS persistent,
  achieved_batch_size                                             AS batch
FROM channel_period
WHERE batches_judged_here;

WITH factored AS (
  SELECT i.*, z16.capacity / m.capacity                           AS machine_factor
  FROM plan_input AS i
  LEFT JOIN machine_capacity AS m ON m.machine = i.machine
  LEFT JOIN machine_capacity AS z16 ON z16.machine = 'z16'
),
priced AS (
  SELECT
    *,
    machine_factor * (22.16 + 0.00058 * message_size)             AS batch_us,
    machine_factor * CASE WHEN batch < 2 THEN 38.53 + 0.0007 * message_size WHEN batch >= 2 THEN 22.16 + 0.00058 * message_size END AS nonpersistent_us,
    machine_factor * (223 + 0.003 * message_size)                 AS persistent_us
  FROM factored
),
mixed AS (
  SELECT
    *,
    persistent / 100 * persistent_us + (1 - persistent / 100) * nonpersistent_us AS message_us,
    (1 - persistent / 100) * (nonpersistent_us - batch_us)        AS saving_us
  FROM priced
)
SELECT
  lpar, qmgr, subject, machine_factor, message_us, message_us / 2 AS end_us, messages * message_us / 1e6 AS cpu_seconds, saving_us, pct(saving_us, message_us) AS saving,
  CASE WHEN messages IS NULL OR message_us IS NULL THEN NULL WHEN messages = 0 THEN 'idle' WHEN saving_us > 0 THEN 'single' ELSE 'cost' END AS answer
FROM mixed;
