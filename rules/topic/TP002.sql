/*---
id          = "TP002"
name        = "publishes-without-subscriber"
title       = "Most publishes reach nobody"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr"]
needs       = ["topic.no_subscriber_pct", "topic.publishes_judged"]
prints      = ["topic.publishes_without_subscriber"]
judge       = "share >= 25 %"
worst       = "highest"
measure     = "publishes without a subscriber"
when        = "observed > pct_max"
min_activity = "publishes_judged >= $publishes_min"
look        = ["DISPLAY SUB(*) DURABLE(YES) DEST EXPIRY TOPICSTR"]

[threshold.pct_max]
value = 50.0
unit  = "percent"
kind  = "judgement"
why   = "topics that only sometimes have subscribers are usual, but not that most publishes reach nobody"

[threshold.publishes_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "fewer publishes cost too little to act on"

[source]
cite = "Field definitions of the topic manager data (QTSTPNOS)"

[advice]
summary = "{publishes_without_subscriber} of {publishes_judged} publish[es] in the interval ({observed:.0f} %, limit {pct_max} %) had no subscriber: they cost CPU time, and nobody receives them."
remedy  = "Check whether a durable subscription was lost or expired; otherwise stop publishing to topics that nobody needs."
report  = "topic/activity"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'publishes'         AS subject,
  no_subscriber_pct   AS observed,
  publishes_without_subscriber, publishes_judged
FROM topic
