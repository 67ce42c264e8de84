/*---
id          = "CV010"
name        = "qsg-member-without-data"
title       = "A member of the queue sharing group is absent for part of the period"
severity    = "warning"
grain       = ["lpar", "qmgr"]
needs       = ["coverage_member_hour.covered_seconds"]
prints      = ["coverage_member_hour.members_reporting", "coverage_member_hour.members_in_qsg", "coverage_member_hour.group_covered_seconds"]
judge       = "any interval"
worst       = "lowest"
measure     = "statistics in an hour that other members cover"
when        = "observed <= covered_seconds_min"
text        = "{value} of statistics in an hour that other members cover"
guards      = []
silenced_by = []
mq_since    = "base"
default_on  = true

[threshold.covered_seconds_min]
value = 0
unit  = "s"
why   = "the member must have some statistics in the hour"

[threshold.hour_seconds_min]
value = 3540
unit  = "s"
why   = "an hour counts where another member covers it whole, within the drift of the timer: the first and the last hour of a dump do not"

[source]
cite = "house rule: shared queues and coupling facility totals need all members"
kind = "judgement"

[advice]
summary = "No statistics of this member in hours that others of the group cover whole; in the first of them {members_reporting} of {members_in_qsg} members report."
remedy  = "Collect from every LPAR of the group: shared queues, totals of the coupling facility and the sizing of recovery need all members. A member that was down on purpose explains it."
report  = "overview/coverage"
---*/
SELECT
  lpar, qmgr,
  hour_utc                  AS interval_start_utc,
  'member of ' || coalesce(qsg, 'the expected queue managers') AS subject,
  covered_seconds           AS observed,
  members_reporting, members_in_qsg,
  covered_seconds <= $covered_seconds_min AS breach
FROM coverage_member_hour
WHERE group_covered_seconds >= $hour_seconds_min
ORDER BY lpar, qmgr, hour_utc
