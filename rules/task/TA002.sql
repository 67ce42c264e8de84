/*---
id          = "TA002"
name        = "unit-of-work-beyond-maxumsgs-default"
title       = "A unit of work exceeds the default of MAXUMSGS"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "application", "connection_type_name"]
needs       = ["application_period.largest_unit"]
prints      = ["application_period.units_of_work", "application_period.task_messages", "application_period.largest_unit_utc", "application_period.largest_unit_record_id"]
judge       = "whole period"
worst       = "highest"
measure     = "messages per unit of work of one task"
when        = "observed > messages_max"
look        = ["DISPLAY QMGR MAXUMSGS", "mqstat report --report task/units_of_work --qmgr {qmgr}"]
do          = ["ALTER QMGR MAXUMSGS(10000)", "Units of work with more messages fail from then on with reason code 2024: split them first."]
lowers      = ["MAXUMSGS"]

[threshold.messages_max]
value = 10000
unit  = "ratio"
kind  = "documented"
why   = "the default of MAXUMSGS: a larger unit of work is only possible if somebody raised it"
cite  = "MP16, 'Large Units of Work'"

[source]
cite = "MP16, 'Large units of work' and 'CSQ ADMIN'"

[advice]
summary = "A task of {application} put and got {observed:.0f} message[s] per unit of work in one accounting record (limit {messages_max}, the default of MAXUMSGS). The queue manager keeps each of these messages in its storage until the commit; shared ones are in CSQ_ADMIN."
remedy  = "Split the unit of work, then restore the default of MAXUMSGS. Work out of syncpoint counts too, but needs no commit."
report  = "task/units_of_work"
---*/
SELECT
  lpar, qmgr, application, connection_type_name,
  largest_unit_utc                             AS interval_start_utc,
  largest_unit_record_id                       AS record_id,
  coalesce(application || ' (' || connection_type_name || ')', 'unknown application') AS subject,
  largest_unit                                 AS observed,
  units_of_work, task_messages
FROM application_period
