/*---
id          = "CV010"
name        = "qsg-member-without-data"
title       = "A member of the queue sharing group has no statistics for part of the period"
severity    = "warning"
weight      = "collection"
grain       = ["lpar", "qmgr"]
over        = "all"
needs       = ["coverage_member_hour.covered_seconds"]
prints      = ["coverage_member_hour.members_reporting", "coverage_member_hour.members_in_qsg", "coverage_member_hour.group_covered_seconds"]
judge       = "any interval"
worst       = "lowest"
measure     = "statistics in an hour that other members cover"
when        = "observed <= covered_seconds_min"
leaves_out  = "hours that other members cover in part only"
text        = "{value} of statistics in an hour that other members cover"
look        = ["DISPLAY GROUP"]

[threshold.covered_seconds_min]
value = 0
unit  = "s"
kind  = "judgement"
why   = "the member must have some statistics in the hour"

[threshold.hour_seconds_min]
value = 3540
unit  = "s"
kind  = "judgement"
why   = "only hours that another member covers completely are compared, except for timer drift: this excludes the first and the last hour of a dump"

[source]
cite = "Our own rule: shared queues and coupling facility totals need all members"

[advice]
summary = "There are no statistics of this member in hours that other members of the group cover completely; members with statistics in the first of these hours: {members_reporting} of {members_in_qsg}."
remedy  = "Collect SMF data from every LPAR of the group: shared queues, totals of the coupling facility and the sizing of recovery need all members. If the member was down on purpose, that explains it."
report  = "overview/coverage"
---*/
SELECT
  lpar, qmgr,
  hour_utc                  AS interval_start_utc,
  'member of ' || coalesce(qsg, 'the expected queue managers') AS subject,
  covered_seconds           AS observed,
  members_reporting, members_in_qsg
FROM coverage_member_hour
WHERE group_covered_seconds >= $hour_seconds_min
