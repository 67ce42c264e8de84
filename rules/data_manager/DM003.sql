/*---
id           = "DM003"
name         = "dynamic-queues-deleted-asynchronously"
title        = "Dynamic queues are closed with uncommitted messages"
severity     = "warning"
weight       = "delay"
grain        = ["lpar", "qmgr"]
needs        = ["data_manager.delete_create_ratio"]
prints       = ["data_manager.object_creates", "data_manager.object_deletes"]
judge        = "any interval"
worst        = "highest"
measure      = "deletes per create"
when         = "observed > ratio_max"
min_activity = "object_creates >= $creates_min"
look        = ["mqstat report --report data_manager/object_churn --qmgr {qmgr}"]

[threshold.ratio_max]
value = 1.5
unit  = "ratio"
kind  = "judgement"
why   = "about 1 when queues are deleted as they are closed, about 2 when a background task purges them; 1.5 is the middle"

[threshold.creates_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "with few creates, the deletes may be of older queues"

[source]
cite = "MP16, 'TEMPDYN queues - MQCLOSE'"

[advice]
summary = "{object_deletes} object[s] [were|was] deleted and {object_creates} created ({observed:.2f} deletes per create, limit {ratio_max}): temporary dynamic queues were closed with uncommitted messages, and one background task purges and deletes them."
remedy  = "Commit before the MQCLOSE (MQCMIT, EXEC CICS SYNCPOINT). If that task does not keep up, its backlog fills the buffer pool of the queues."
report  = "data_manager/object_churn"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'objects'                 AS subject,
  delete_create_ratio       AS observed,
  object_creates, object_deletes
FROM data_manager
