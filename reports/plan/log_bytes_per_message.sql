/*---
id       = "plan/log_bytes_per_message"
title    = "Log bytes of a put or a get"
question = "How many log bytes does one put or get of a persistent message cost?"
subject  = "qmgr"
needs    = ["log", "message_manager"]
profiles = ["log_message_bytes"]
holds    = "Persistent messages of up to 4 KiB, measured with MQ 9.3; for longer ones mqstat plan log_data_per_message."
source   = "MP16, 'How much log space does my message use?', 'Local Queues' and 'Shared Queues'"
result   = "bytes_one_per_commit"
note     = "Between the sizes that IBM measured the bytes in addition to the message are interpolated. The document does not state whether log addresses had 6 or 8 bytes: 8 take 7 % more for 1 and 4 KB messages."

[parameter.message_bytes]
unit     = "bytes"
measured = "mean size of the persistent messages put (MQ 9.0.3)"
doc      = "Size of the message."
remedy   = "set message_bytes=1kB"

[parameter.queue]
unit    = "text"
doc     = "Whether the queue is local or shared."
default = "local"
choices = "log_message_bytes.queue"
source  = "MP16, 'Local Queues'"

[parameter.call]
unit    = "text"
doc     = "Whether the message is put or got."
default = "put"
choices = "log_message_bytes.call"
source  = "MP16, 'Local Queues'"

[parameter.own_bytes]
unit     = "bytes"
measured = "new log data divided by persistent messages put"
doc      = "Log bytes of this queue manager for each persistent message put: its gets, commits and all other log data included."
optional = true

[step.bytes_out_of_syncpoint]
unit    = "bytes"
label   = "out of syncpoint"
formula = "message, if it is put, + bytes of the table between the sizes"

[step.bytes_one_per_commit]
unit    = "bytes"
label   = "one message per commit"
formula = "message, if it is put, + bytes of the table between the sizes"

[step.bytes_ten_per_commit]
unit    = "bytes"
label   = "ten messages per commit, each"
formula = "message, if it is put, + bytes of the table between the sizes"

[step.overhead]
unit    = "bytes"
label   = "one message per commit, without the message"
formula = "bytes - message, if it is put"

[step.bytes_of_ten]
unit    = "bytes"
label   = "ten messages and a commit"
formula = "10 * bytes of each"

[answer.longer]
text = "IBM measured messages of up to 4,096 bytes; this one has {message_bytes:,.0f}. mqstat plan log_data_per_message estimates it<<; this queue manager logged {own_bytes:,.0f} bytes for each persistent message put, gets and commits included>>."

[answer.bytes]
text = "A {call} of {message_bytes:,.0f} bytes on a {queue} queue logs about {bytes_one_per_commit:,.0f} bytes with a commit of its own, {bytes_out_of_syncpoint:,.0f} out of syncpoint, and {bytes_ten_per_commit:,.0f} if ten share a commit<<; this queue manager logged {own_bytes:,.0f} bytes for each persistent message put, gets and commits included>>."
---*/
SELECT
  m.lpar, m.qmgr, NULL AS subject,
  sum(m.persistent_put_bytes) / nullif(sum(m.persistent_puts), 0)      AS message_bytes,
  sum(g.cis_created) * 4096 / nullif(sum(m.persistent_puts), 0)        AS own_bytes
FROM message_manager AS m
JOIN log AS g ON g.lpar = m.lpar AND g.qmgr = m.qmgr AND g.interval_start_utc = m.interval_start_utc
GROUP BY m.lpar, m.qmgr;

WITH lines AS (
  SELECT
    queue, call,
    list(message_bytes ORDER BY message_bytes)                         AS sizes,
    list(out_of_syncpoint - if(call = 'put', message_bytes, 0) ORDER BY message_bytes) AS out_of_syncpoint,
    list(one_per_commit - if(call = 'put', message_bytes, 0) ORDER BY message_bytes)   AS one_per_commit,
    list(ten_per_commit - if(call = 'put', message_bytes, 0) ORDER BY message_bytes)   AS ten_per_commit
  FROM log_message_bytes
  GROUP BY queue, call
),
chosen AS (
  SELECT
    i.*, if(i.call = 'put', i.message_bytes, 0)                        AS message,
    CASE WHEN i.message_bytes <= 4096 THEN interpolated(i.message_bytes, l.sizes, l.out_of_syncpoint) END AS out_overhead,
    CASE WHEN i.message_bytes <= 4096 THEN interpolated(i.message_bytes, l.sizes, l.one_per_commit) END   AS overhead,
    CASE WHEN i.message_bytes <= 4096 THEN interpolated(i.message_bytes, l.sizes, l.ten_per_commit) END   AS ten_overhead
  FROM plan_input AS i
  LEFT JOIN lines AS l ON l.queue = i.queue AND l.call = i.call
)
SELECT
  lpar, qmgr, subject,
  message + out_overhead                                               AS bytes_out_of_syncpoint,
  message + overhead                                                   AS bytes_one_per_commit,
  message + ten_overhead                                               AS bytes_ten_per_commit,
  overhead,
  10 * (message + ten_overhead)                                        AS bytes_of_ten,
  CASE
    WHEN message_bytes > 4096 THEN 'longer'
    WHEN overhead IS NOT NULL THEN 'bytes'
  END                                                                  AS answer
FROM chosen;
