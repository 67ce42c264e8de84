/*---
id      = "side_setting"
title   = "Subjects and settings of the two sides of a comparison"
grain   = "one row per side, lpar, qmgr, subject, setting and value"
needs   = ["decoded.side_setting"]
note    = "The rows of view measured_setting for each side; empty unless two periods are compared."

[columns]
side_name = { unit = "text", doc = "before or after." }
subject_kind = { unit = "text", doc = "queue manager, records, buffer pool, page set, structure, SMDS, channel initiator, Db2, storage or channel." }
subject = { unit = "text", doc = "Subject of the figure: a pool, page set, structure, application, queue or channel; empty for the queue manager itself." }
setting = { unit = "text", doc = "Name of the setting; 'there' means that the subject exists.", label = "setting", screen = 1 }
setting_unit = { unit = "text", doc = "Unit of the setting." }
setting_value = { unit = "text", doc = "Value of the setting." }
setting_number = { unit = "number", doc = "Value of a numeric setting.", over = "none", why = "Each row is another setting." }
first_seen_local = { unit = "ts_local", doc = "Start of the first interval with this value." }
last_seen_local = { unit = "ts_local", doc = "Start of the last interval with this value." }
---*/
SELECT
  lpar, qmgr, side_name, subject_kind, subject, setting, setting_unit, setting_value, setting_number, first_seen_local, last_seen_local
FROM decoded.side_setting
