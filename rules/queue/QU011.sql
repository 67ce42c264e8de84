/*---
id          = "QU011"
name        = "idle-wakeups-on-shared-queue"
title       = "Several members wake for each message of a shared queue"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr", "queue"]
over        = "group"
needs       = ["queue_interval.failed_redrives_per_get", "queue_interval.members_waiting"]
prints      = ["queue_interval.group_redrives", "queue_interval.group_gets"]
judge       = "share >= 25 %"
worst       = "highest"
breach_when = "redriven and shared"
min_activity = "failed_redrives >= $redrives_min"
mq_since    = "9.3.3"
look        = ["DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL"]

[threshold.redrives_per_get_max]
value = 1.0
unit  = "ratio"
kind  = "judgement"
why   = "the get that receives a message is redriven too and is not counted; one more getter is the price of availability"

[threshold.redrives_min]
value = 10000
unit  = "count"
kind  = "judgement"
why   = "fewer redrives of about 1 µs cost too little to act on"

[threshold.members_min]
value = 2
unit  = "count"
kind  = "documented"
why   = "the getters of one member are not woken by another one"

[clause.redriven]
when    = "observed > redrives_per_get_max"
measure = "redrives that found no message, per message got"

[clause.shared]
when    = "members_waiting >= members_min"
measure = "members with the queue open for input"
text    = "{value} members"

[source]
cite = "MP16, 'The impact on MQ requests of the CURDEPTH 0 to 1 transition' and 'Coupling Facility Resource Management (CFRM) attributes' (KEYRNOTIFYDELAY)"

[advice]
summary = "{failed_redrives} redrive[s] of waiting gets on shared queue {queue} found no message, {observed:.1f} for each of the {group_gets} message[s] got (limit {redrives_per_get_max}), on {members_waiting} member[s]."
remedy  = "When a message arrives on an empty shared queue, every member with a waiting getter is signalled and only one gets the message. At low rates use fewer members with getters, or KEYRNOTIFYDELAY in the CFRM policy (z/OS 2.3 and later), which gives one member a head start."
report  = "queue/get_waste"
---*/
SELECT
  lpar, qmgr, queue, interval_start_utc, interval_seconds, record_id,
  'queue ' || queue         AS subject,
  failed_redrives_per_get   AS observed,
  failed_redrives, group_gets, members_waiting
FROM queue_interval
WHERE shared_queue AND group_reporter
