/*---
id       = "plan/checkpoint_write_time"
title    = "Writes at a checkpoint"
question = "How long may the deferred write process be busy at a checkpoint?"
subject  = "qmgr"
needs    = ["log", "log_period", "message_manager"]
holds    = "MQ 8.0 and later: 16 pages in each of 64 I/Os at once; for each buffer pool with a process of its own."
source   = "MP16, 'What changed in IBM MQ version 8.0.0?', 'How much data could DWP write at checkpoint?' and 'What impact is there when DWP writes large amounts of data?'"
result   = "seconds"
note     = "An upper bound: all messages that one log holds stay in the buffer pool until the log switches. Messages that are got before that are not written."

[parameter.log_size]
unit     = "mib"
fact     = "active_log_mb"
measured = "log data archived divided by archives written, 4 KiB for each control interval"
doc      = "Size of one active log."
default  = 4096
source   = "MP16, 'How much data could DWP write at checkpoint?'"
most     = 4096

[parameter.log_bytes]
unit     = "bytes"
measured = "new log data divided by persistent messages put"
doc      = "Log bytes of each persistent message."
default  = 1057
others   = [751]
source   = "MP16, 'Local Queues': the least, a put of 0 bytes; 751 if ten share a commit"
least    = 1

[parameter.pages_per_message]
unit    = "pages"
doc     = "Pages of each message in a page set."
default = 1
source  = "MP16, 'How much data could DWP write at checkpoint?'"

[parameter.write_rate]
unit    = "mib_per_s"
doc     = "Rate of the deferred writes."
default = 300
others  = [100, 600]
source  = "MP16, 'What impact is there when DWP writes large amounts of data?'"

[parameter.pages_per_io]
unit    = "pages"
doc     = "Pages of a deferred write."
default = 16
source  = "MP16, 'What changed in IBM MQ version 8.0.0?'"

[parameter.ios_at_once]
unit    = "count"
doc     = "Deferred writes at once."
default = 64
source  = "MP16, 'What changed in IBM MQ version 8.0.0?'"

[step.messages_per_log_page]
unit    = "count"
label   = "messages for each page of log"
formula = "4096 / log bytes of a message, rounded down"

[step.data]
unit    = "gib"
label   = "data in the buffer pools"
formula = "log size * 4096 * pages of a message / log bytes of a message"

[step.data_rounded]
unit    = "gib"
label   = "the same with whole messages for each page of log"
formula = "log size * messages for each page of log * pages of a message"

[step.pages_at_once]
unit    = "pages"
label   = "pages written at once"
formula = "pages of a write * writes at once"

[step.mib_at_once]
unit    = "mib"
label   = "the same"
formula = "pages of 4 KiB"

[step.seconds]
unit    = "s"
label   = "time of the writes"
formula = "data / rate"

[answer.time]
text = "A checkpoint at a log switch may write up to {data:,.1f} GiB, which takes up to {seconds:,.1f} s at {write_rate:,.0f} MiB/s: the log of {log_size:,.0f} MiB holds that many messages at {log_bytes:,.0f} log bytes each."
---*/
WITH written AS (
  SELECT
    lpar, qmgr,
    sum(cis_offloaded) * 4096 / 1048576 / nullif(sum(archive_write_allocations), 0) AS log_size,
    sum(cis_created) * 4096                                AS log_bytes
  FROM log
  GROUP BY lpar, qmgr
),
put AS (
  SELECT lpar, qmgr, sum(persistent_puts) AS puts
  FROM message_manager
  GROUP BY lpar, qmgr
)
SELECT p.lpar, p.qmgr, NULL AS subject, w.log_size, w.log_bytes / nullif(m.puts, 0) AS log_bytes
FROM log_period AS p
LEFT JOIN written AS w ON w.lpar = p.lpar AND w.qmgr = p.qmgr
LEFT JOIN put AS m ON m.lpar = p.lpar AND m.qmgr = p.qmgr;

WITH held AS (
  SELECT
    *,
    floor(4096 / nullif(log_bytes, 0))                     AS messages_per_log_page,
    log_size / 1024 * 4096 * pages_per_message / nullif(log_bytes, 0) AS data
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, messages_per_log_page, data,
  log_size / 1024 * messages_per_log_page * pages_per_message AS data_rounded,
  pages_per_io * ios_at_once                               AS pages_at_once,
  pages_mib(pages_per_io * ios_at_once)                    AS mib_at_once,
  data * 1024 / nullif(write_rate, 0)                      AS seconds,
  CASE WHEN data * 1024 / nullif(write_rate, 0) IS NOT NULL THEN 'time' END AS answer
FROM held;
