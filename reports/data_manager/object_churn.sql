/*---
id       = "data_manager/object_churn"
title    = "Temporary dynamic queue churn"
question = "Are temporary queues created and deleted in storms, and are the deletes asynchronous?"
needs    = ["data_manager", "temporary_queue"]
rules    = ["DM002", "DM003"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
drill_down = ["data_manager/activity"]
note     = "About one delete per create: queues are deleted when they are closed; about two: a background task purges and deletes them, because they were closed with uncommitted messages. Queues, model queues and times are those of tasks with class 3 accounting. The limit of 1.5 is for display only."

[columns]
delete_mode = { unit = "text", label = "mode", screen = 1, doc = "How queues are deleted, by deletes per create; for display only." }
---*/
SELECT
  d.lpar, d.qmgr, d.qsg, d.interval_start_utc, d.interval_seconds, d.interval_end_utc, d.object_creates, d.object_deletes, d.object_puts,
  d.object_creates_per_s, d.delete_create_ratio,
  CASE
    WHEN d.delete_create_ratio >= 1.5 THEN 'asynchronous deletes'
    WHEN d.delete_create_ratio IS NOT NULL THEN 'synchronous deletes'
  END AS delete_mode,
  t.temporary_queues_seen, t.model_queues, t.temporary_open_et_us, t.temporary_open_suspend_us
FROM data_manager AS d
LEFT JOIN temporary_queue AS t ON t.lpar = d.lpar AND t.qmgr = d.qmgr AND t.interval_start_utc = d.interval_start_utc
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
