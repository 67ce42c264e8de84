/*---
id          = "TA001"
name        = "large-units-of-work"
title       = "Many messages per commit on average"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "application", "connection_type_name"]
needs       = ["application_period.judged_units", "application_period.unit_messages"]
prints      = ["application_period.unit_messages", "application_period.judged_units", "application_period.largest_unit_utc", "application_period.largest_unit_record_id"]
judge       = "whole period"
worst       = "highest"
measure     = "messages per unit of work"
when        = "observed > messages_max"
min_activity = "judged_units >= $units_min"
look        = ["DISPLAY QMGR MAXUMSGS", "mqstat report --report task/units_of_work --qmgr {qmgr}"]

[threshold.messages_max]
value = 200
unit  = "ratio"
kind  = "documented"
why   = "IBM recommends a commit after at most 200 messages (the utilities section recommends 100); the cost per call is flat up to 10,000, so this is about locks, storage and restart time"
cite  = "MP16, 'Application level performance considerations'"

[threshold.units_min]
value = 10
unit  = "count"
kind  = "judgement"
why   = "one large load is not how an application works"

[source]
cite = "MP16, 'Application level performance considerations', 'Use of MQ Utilities' and 'Number of pages in use for internal locks'"

[advice]
summary = "{application} moves {observed:.0f} message[s] per unit of work on average (limit {messages_max}): {unit_messages} message[s] in {judged_units} unit[s] of work. Its locks last long, a backout takes as long as the work, and getters skip the messages until the commit."
remedy  = "Commit every 100 to 200 messages; for channels, reduce BATCHSZ or set BATCHLIM. MAXUMSGS stops a unit of work that grows too large. Messages put and got out of syncpoint count too, but need no commit: check whether the application works in syncpoint."
report  = "task/units_of_work"
---*/
-- Records without a unit of work or with missing queue blocks have no share in both sums.
SELECT
  lpar, qmgr, application, connection_type_name,
  largest_unit_utc                             AS interval_start_utc,
  largest_unit_record_id                       AS record_id,
  coalesce(application || ' (' || connection_type_name || ')', 'unknown application') AS subject,
  unit_messages / nullif(judged_units, 0)      AS observed,
  unit_messages, judged_units
FROM application_period
