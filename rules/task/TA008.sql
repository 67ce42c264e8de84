/*---
id          = "TA008"
name        = "task-with-many-open-objects"
title       = "A task uses many objects in an accounting interval"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr", "application", "connection_type_name"]
needs       = ["application_period.most_queue_blocks"]
prints      = ["application_period.most_queue_blocks_utc", "application_period.most_queue_blocks_record_id"]
judge       = "whole period"
worst       = "highest"
measure     = "queues and topics used by one task"
when        = "observed > objects_max"
default_on  = false
look        = ["DISPLAY QMGR MAXHANDS", "mqstat report --report task/units_of_work --qmgr {qmgr}"]

[threshold.objects_max]
value = 32
unit  = "count"
kind  = "documented"
why   = "the storage for a connection in IBM's planning table covers 32 open objects"

[source]
cite = "V92, 'How much storage does a connection use?'"

[advice]
summary = "A task of {application} used {observed:.0f} object[s] (queues and topics) in one accounting interval (limit {objects_max}). If they are open at the same time, its connection needs more storage than the planning table has."
remedy  = "Close handles that are not used. Only of interest if storage is short (ST005)."
report  = "task/units_of_work"
---*/
SELECT
  lpar, qmgr, application, connection_type_name,
  most_queue_blocks_utc       AS interval_start_utc,
  most_queue_blocks_record_id AS record_id,
  coalesce(application || ' (' || connection_type_name || ')', 'unknown application') AS subject,
  most_queue_blocks           AS observed
FROM application_period
WHERE connection_type_name <> 'channel initiator'
