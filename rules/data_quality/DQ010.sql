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
look        = ["DISPLAY QLOCAL({queue_name}) CFSTRUCT", "DISPLAY CFSTATUS(*) TYPE(SUMMARY)"]

[source]
cite = "IBM MQ documentation, 'Queue data records'"
kind = "documented"

[advice]
summary = "Statistics of queue {queue_name}{structure_text} were taken without access to it: {unknown_text} (not 0)."
remedy  = "Check the CF structure of a shared queue. Rules ignore what is unknown."
report  = "overview/data_quality"
---*/
SELECT
  lpar, qmgr, interval_start_utc, record_id,
  coalesce('queue ' || queue, 'queue statistics') AS subject,
  CASE WHEN partial_record THEN 1 ELSE 0 END AS observed,
  queue                                   AS queue_name,
  coalesce(' (structure ' || cf_structure || ')', '') AS structure_text,
  CASE
    WHEN depth_unknown THEN 'its depth, the age of its messages and the uncommitted flag are unknown'
    ELSE 'the age of its messages is unknown'
  END                                     AS unknown_text
FROM quality_partial_queue
