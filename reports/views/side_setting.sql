/*---
id      = "side_setting"
title   = "What was there on the two sides of a comparison, and how it was set"
grain   = "one row per side, lpar, qmgr, subject, setting and value"
needs   = ["decoded.side_setting"]
note    = "What view measured_setting gave for each side; empty unless two sides are compared."

[columns]
lpar = {}
qmgr = {}
side_name = { unit = "text", doc = "before or after." }
subject_kind = { unit = "text", doc = "queue manager, records, buffer pool, page set, structure, SMDS, channel initiator, Db2, storage or channel." }
subject = { unit = "text", doc = "What it is about: a pool, page set, structure, application, queue or channel; empty for the queue manager itself." }
setting = { unit = "text", doc = "What is set, or 'there'." }
setting_unit = { unit = "text", doc = "Unit of the setting." }
setting_value = { unit = "text", doc = "Value of the setting." }
setting_number = { unit = "number", doc = "Value of the setting where it is a number." }
first_seen_local = { unit = "ts_local", doc = "Start of the first interval with this value." }
last_seen_local = { unit = "ts_local", doc = "Start of the last interval with this value." }
---*/
SELECT
  lpar, qmgr, side_name, subject_kind, subject, setting, setting_unit, setting_value, setting_number, first_seen_local, last_seen_local
FROM decoded.side_setting
