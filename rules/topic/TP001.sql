/*---
id          = "TP001"
name        = "publishes-slow"
title       = "A publish took very long, or publishes take long on average"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["topic.publish_longest_us", "topic.publishes"]
prints      = ["topic.average_publish_us", "topic.most_subscribers_per_publish", "topic.messages_to_subscribers"]
judge       = "any interval"
worst       = "highest"
breach_when = "longest or average"
min_activity = "publishes > 0"
caused_by   = ["LG001", "LG004", "BP002"]
look        = ["DISPLAY PUBSUB ALL", "DISPLAY SUB(*) DEST TOPICSTR"]

[threshold.longest_us_max]
value = 1000000
unit  = "us"
kind  = "judgement"
why   = "a publish to a few subscribers takes less than a millisecond"

[threshold.average_us_max]
value = 10000
unit  = "us"
kind  = "judgement"
why   = "a publisher that waits longer can make at most 100 publishes a second"

[threshold.publishes_min]
value = 100
unit  = "count"
kind  = "judgement"
why   = "an average over fewer publishes is not reliable"

[clause.longest]
when    = "observed > longest_us_max"
measure = "longest publish"
summary = "The longest publish took {publish_longest_us} µs (limit {longest_us_max} µs); one publish reached up to {most_subscribers_per_publish} subscriber[s]."

[clause.average]
when    = "average_publish_us > average_us_max"
counts_when = ["publishes >= publishes_min"]
measure = "average publish"
summary = "{publishes} publish[es] took {average_publish_us:.0f} µs on average (limit {average_us_max} µs); {messages_to_subscribers} message[s] went to subscribers, up to {most_subscribers_per_publish} for one publish."

[source]
cite = "Field definitions of the topic manager data (QTSTETHW, QTSTETTO)"

[advice]
summary = "Publishes are slow."
remedy  = "A publisher waits until its message is on the queue of every subscriber. Check the number of subscribers of the topic, subscriber queues that are full or opened and closed for each message, and log waits of persistent publishes to durable subscribers."
report  = "topic/activity"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'publishes'        AS subject,
  publish_longest_us AS observed,
  publish_longest_us, average_publish_us, publishes, most_subscribers_per_publish, messages_to_subscribers
FROM topic
