/*---
id       = "data_manager/activity"
title    = "Data manager objects and messages"
question = "What did the data manager do, and where did gets find their messages?"
needs    = ["data_manager"]
rules    = ["DM001"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
dd       = ["DATA"]
wsc      = [17]
drill_down = ["data_manager/message_balance", "data_manager/object_churn"]
note     = "gets_from_pool counts only part of the gets that needed no read, so the share is based on all gets."

[columns]
object_gets = { label = "object gets", screen = 2 }
object_locates = { label = "locates", screen = 1 }
storage_class_changes = { label = "storage class changes" }
dm_puts = { label = "message puts", screen = 1 }
dm_gets = { label = "message gets", screen = 1 }
browse_locks = { label = "browse locks", screen = 2 }
message_counts = { label = "message counts", screen = 3 }
marked_locks = { label = "marked locks", screen = 3 }
marked_deletes = { label = "marked deletes" }
enumerates = { label = "enumerates", screen = 3 }
gets_from_disk = { label = "from disk", screen = 1 }
gets_from_pool = { label = "from pool", screen = 1 }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, object_creates, object_puts, object_deletes, object_gets,
  object_locates, storage_class_changes, dm_puts, dm_gets, browse_locks, message_counts, marked_locks, marked_deletes,
  enumerates, gets_from_disk, gets_from_pool, gets_from_disk_pct
FROM data_manager
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
