/*---
id       = "topic/activity"
title    = "Publish and subscribe"
question = "How much is published, to how many subscribers, how long does a publish take, and is anything published to nobody?"
needs    = ["topic"]
rules    = ["TP001", "TP002"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
dd       = ["TOPIC"]
wsc      = [16]
drill_down = ["topic/publishers"]
note     = "A publisher waits until its message is on the queue of every subscriber."

[columns]
qsg = { screen = 3 }
subscription_requests_total = { label = "subscribe requests", screen = 2 }
durable_subscription_requests = { label = "durable requests" }
subscriptions_expired = { label = "subscriptions expired" }
messages_to_subscribers = { label = "to subscribers", screen = 1 }
most_subscribers_per_publish = { label = "most per publish", screen = 1 }
publishes_high = { label = "publishes high" }
publishes_low = { label = "publishes low" }
publishes_without_subscriber = { label = "no subscriber", screen = 1 }
publish_longest_us = { label = "longest µs", screen = 1 }
publish_total_us = { label = "total µs" }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, subscription_requests_total, durable_subscription_requests, api_subscriptions_high,
  admin_subscriptions_high, proxy_subscriptions_high, api_subscriptions_low, admin_subscriptions_low, proxy_subscriptions_low,
  subscriptions_expired, messages_to_subscribers, most_subscribers_per_publish, api_publishes, admin_publishes, proxy_publishes,
  publishes_high, publishes_low, publishes_without_subscriber, publish_longest_us, publish_total_us, publishes, fan_out, no_subscriber_pct,
  average_publish_us, publishes_per_s
FROM topic
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
