/*---
id          = "QU009"
name        = "gets-failing-truncated"
title       = "Gets fail because the buffer is too small"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr", "queue"]
needs       = ["queue_statistics.truncated_get_pct"]
prints      = ["queue_statistics.destructive_gets", "queue_statistics.message_bytes_high"]
judge       = "share >= 10 %"
worst       = "highest"
measure     = "gets that failed with a truncated message"
when        = "observed > truncated_pct_max"
min_activity = "gets_truncated >= $truncated_min"
mq_since    = "9.3.3"
look        = ["DISPLAY QLOCAL({queue}) MAXMSGL"]

[threshold.truncated_pct_max]
value = 5.0
unit  = "percent"
kind  = "judgement"
why   = "a buffer for the usual message fails for few others"

[threshold.truncated_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "fewer repeated gets cost too little to act on"

[source]
cite = "MP1J, 'Tuning for AMS: Use the right sized MQGET buffer' (an AMS queue needs a buffer of the data and 4 KB)"

[advice]
summary = "{gets_truncated} get[s] from queue {queue} failed because the buffer was too small, {observed:.1f} % (limit {truncated_pct_max} %); the longest message had {message_bytes_high} byte[s]."
remedy  = "Each of these messages is got twice, and on a queue with an AMS policy each failure costs a further decryption. Raise BufferLength to the longest message, for AMS queues plus 4 KB. Clients that ask for the length with a short first get are wasteful on purpose."
report  = "queue_statistics/gets"
---*/
SELECT
  lpar, qmgr, queue, interval_start_utc, interval_seconds, record_id,
  'queue ' || queue         AS subject,
  truncated_get_pct         AS observed,
  gets_truncated, message_bytes_high
FROM queue_statistics
