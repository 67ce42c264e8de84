/*---
id          = "DQ010"
name        = "partial-queue-records"
title       = "Queue statistics were taken without access to the queue"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["quality_partial_queue.partial_record"]
prints      = ["quality_partial_queue.queue", "quality_partial_queue.cf_structure"]
judge       = "any interval"
worst       = "highest"
measure     = "record[s] without access to the queue"
when        = "observed > 0"
unit        = "count"
mq_since    = "9.3.0"
look        = ["DISPLAY QLOCAL({queue_name}) CFSTRUCT", "DISPLAY CFSTATUS({structure_name}) TYPE(SUMMARY)"]

[source]
cite = "IBM MQ documentation, 'Queue data records'"
kind = "documented"

[advice]
summary = "Statistics of queue {queue_name} (structure {structure_name}) were taken without access to it: its depth, the age of its messages and the uncommitted flag are unknown (not 0)."
remedy  = "Check the CF structure of the queue. Rules ignore these rows."
report  = "overview/data_quality"
---*/
SELECT
  lpar, qmgr, interval_start_utc, record_id,
  coalesce('queue ' || queue, 'queue statistics') AS subject,
  CASE WHEN partial_record THEN 1 ELSE 0 END AS observed,
  queue                                   AS queue_name,
  coalesce(cf_structure, 'none')          AS structure_name
FROM quality_partial_queue
