/*---
id          = "TA003"
name        = "unit-of-work-can-fill-admin-structure"
title       = "A unit of work on shared queues can fill CSQ_ADMIN"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "application", "connection_type_name"]
needs       = ["application_period.largest_shared_unit"]
prints      = ["application_period.shared_messages", "application_period.units_of_work", "application_period.largest_shared_unit_utc", "application_period.largest_shared_unit_record_id"]
judge       = "whole period"
worst       = "highest"
measure     = "messages on shared queues per unit of work of one task"
when        = "observed > messages_max"
look        = ["DISPLAY QMGR MAXUMSGS", "DISPLAY CFSTATUS(CSQ_ADMIN) TYPE(SUMMARY)"]
do          = ["ALTER QMGR MAXUMSGS(10000)", "Units of work with more messages fail from then on with reason code 2024: split them first."]
lowers      = ["MAXUMSGS"]

[threshold.messages_max]
value = 40000
unit  = "ratio"
kind  = "documented"
why   = "the smallest CSQ_ADMIN structure is enough for units of work of about 40,000 messages"

[source]
cite = "MP16, 'CSQ ADMIN'"

[advice]
summary = "A task of {application} put and got {observed:.0f} message[s] on shared queues per unit of work in one accounting record (limit {messages_max}). If CSQ_ADMIN is full (CSQE038E), the queue manager ends with abend 5C6-00C53002."
remedy  = "Split the unit of work, then restore the default of MAXUMSGS, and check the size of CSQ_ADMIN (CF002)."
report  = "task/units_of_work"
---*/
SELECT
  lpar, qmgr, application, connection_type_name,
  largest_shared_unit_utc                      AS interval_start_utc,
  largest_shared_unit_record_id                AS record_id,
  coalesce(application || ' (' || connection_type_name || ')', 'unknown application') AS subject,
  largest_shared_unit                          AS observed,
  shared_messages, units_of_work
FROM application_period
