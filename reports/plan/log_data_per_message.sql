/*---
id       = "plan/log_data_per_message"
title    = "Log bytes of a message of any size"
question = "How many log bytes does one persistent message cost when it is put and got, sent or received?"
subject  = "qmgr"
needs    = ["message_manager", "channel_period"]
holds    = "All levels; within 1 % of the printed table for local queues."
source   = "MP16, 'How can we estimate the required log data rate for a system?'"
result   = "bytes_per_message"
note     = "For small messages the measured tables have about 11 % more: mqstat plan log_bytes_per_message. Batches of nonpersistent messages on a fast channel log nothing."

[parameter.message_bytes]
unit     = "bytes"
measured = "mean size of the persistent messages put (MQ 9.0.3)"
doc      = "Size of the message."
remedy   = "set message_bytes=10kB"

[parameter.header_bytes]
unit    = "bytes"
doc     = "Size of all its headers."
default = 300
others  = [200]
source  = "MP16, 'How can we estimate the required log data rate for a system?': 300 fits all rows but that of 500 bytes"

[parameter.batch_size]
unit     = "count"
measured = "messages per batch of all message channels"
doc      = "Messages per batch of a channel."
default  = 1
source   = "MP16, 'How can we estimate the required log data rate for a system?': the most log data"
least    = 1

[parameter.send_batch]
unit    = "kib"
doc     = "Log data for each batch sent with one message."
default = 2.5
source  = "MP16, 'How can we estimate the required log data rate for a system?'"

[parameter.send_batch_50]
unit    = "kib"
doc     = "Log data for each batch sent with 50 messages."
default = 3.7
source  = "MP16, 'How can we estimate the required log data rate for a system?'"

[parameter.receive_batch]
unit    = "kib"
doc     = "Log data for each batch received."
default = 1.3
others  = [1.4]
source  = "MP16, 'How can we estimate the required log data rate for a system?'; 1.4 in MP16, 'How often should a page set be backed up?'"

[step.pages]
unit    = "pages"
label   = "pages of the message"
formula = "message and headers in a page set"

[step.bytes_per_message]
unit    = "bytes"
label   = "put and get"
formula = "message + headers + 1000, and 150 for each page from 5000 bytes on"

[step.get_bytes]
unit    = "bytes"
label   = "the get of it"
formula = "500 up to 10 KiB, then rising to 1300 at 100 KiB"

[step.put_bytes]
unit    = "bytes"
label   = "the put of it"
formula = "put and get - get"

[step.send_extra]
unit    = "bytes"
label   = "in addition if it is sent"
formula = "log data of a batch sent, by its size, / messages per batch"

[step.receive_extra]
unit    = "bytes"
label   = "in addition if it is received"
formula = "log data of a batch received / messages per batch"

[step.sent_bytes]
unit    = "bytes"
label   = "put and sent"
formula = "put and get + that of a batch sent"

[step.received_bytes]
unit    = "bytes"
label   = "received and got"
formula = "put and get + that of a batch received"

[answer.bytes]
text = "A persistent message of {message_bytes:,.0f} bytes logs about {bytes_per_message:,.0f} bytes if it is put and got here ({put_bytes:,.0f} put, {get_bytes:,.0f} get), {sent_bytes:,.0f} if it is put and sent and {received_bytes:,.0f} if it is received and got, with {batch_size:,.0f} message[s] per batch."
---*/
WITH batches AS (
  SELECT lpar, qmgr, sum(channel_messages) / nullif(sum(batches), 0) AS batch_size
  FROM channel_period
  WHERE batches > 0
  GROUP BY lpar, qmgr
),
put AS (
  SELECT lpar, qmgr, sum(persistent_put_bytes) / nullif(sum(persistent_puts), 0) AS message_bytes
  FROM message_manager
  GROUP BY lpar, qmgr
)
SELECT p.lpar, p.qmgr, NULL AS subject, p.message_bytes, b.batch_size
FROM put AS p
LEFT JOIN batches AS b ON b.lpar = p.lpar AND b.qmgr = p.qmgr;

WITH counted AS (
  SELECT
    *,
    pages_per_message(message_bytes + header_bytes)             AS pages,
    log_bytes_per_message(message_bytes, header_bytes)          AS bytes_per_message,
    interpolated(message_bytes, [10240, 102400], [500, 1300])   AS get_bytes,
    interpolated(batch_size, [1, 50], [send_batch, send_batch_50]) * 1024 / nullif(batch_size, 0) AS send_extra,
    receive_batch * 1024 / nullif(batch_size, 0)                AS receive_extra
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, pages, bytes_per_message, get_bytes,
  bytes_per_message - get_bytes                                 AS put_bytes,
  send_extra, receive_extra,
  bytes_per_message + send_extra                                AS sent_bytes,
  bytes_per_message + receive_extra                             AS received_bytes,
  CASE WHEN bytes_per_message IS NOT NULL AND send_extra IS NOT NULL AND receive_extra IS NOT NULL THEN 'bytes' END AS answer
FROM counted;
