/*---
id       = "topic"
title    = "Publish and subscribe"
grain    = "one row per lpar, qmgr and interval"
needs    = ["decoded.qtst", "decoded.qmst", "interval_cut", "queue_sharing_group"]
classes  = ["115.2"]

[columns]
api_subscriptions_high = { doc = "Highest number of subscriptions made by applications.", label = "API subscriptions high", screen = 2 }
admin_subscriptions_high = { doc = "Highest number of administrative subscriptions.", label = "admin subscriptions high", screen = 2 }
proxy_subscriptions_high = { doc = "Highest number of proxy subscriptions of other queue managers.", label = "proxy subscriptions high", screen = 2 }
api_subscriptions_low = { doc = "Lowest number of subscriptions made by applications.", label = "API subscriptions low" }
admin_subscriptions_low = { doc = "Lowest number of administrative subscriptions.", label = "admin subscriptions low" }
proxy_subscriptions_low = { doc = "Lowest number of proxy subscriptions of other queue managers.", label = "proxy subscriptions low" }
api_publishes = { doc = "Publish requests of applications.", label = "API publishes" }
admin_publishes = { doc = "Administrative publish requests.", label = "admin publishes" }
proxy_publishes = { doc = "Publish requests from other queue managers.", label = "proxy publishes" }
publishes = { unit = "count", doc = "Publish requests of all kinds.", over = "add", label = "publishes", screen = 1 }
publishes_judged = { unit = "count", doc = "Base of no_subscriber_pct: the largest of three counts: publish requests, publications of the message manager, and publishes without a subscriber. Publishes without a subscriber may not be among the publish requests.", over = "add" }
fan_out = { unit = "ratio", doc = "Messages put to subscribers per publish.", ratio = { numerator = "messages_to_subscribers", denominator = "publishes" }, label = "fan-out", screen = 2 }
no_subscriber_pct = { unit = "percent", doc = "Publishes with no subscriber as a share of publishes_judged.", ratio = { numerator = "publishes_without_subscriber", denominator = "publishes_judged", scale = 100 }, label = "no subscriber %", screen = 2 }
average_publish_us = { unit = "us", doc = "Mean elapsed time of a publish.", ratio = { numerator = "publish_total_us", denominator = "publishes" }, label = "avg µs", screen = 1 }
publishes_per_s = { unit = "per_s", doc = "Publish requests per second.", over_time = "mean", across = "add", label = "publishes/s", screen = 1 }
---*/
WITH counted AS (
  SELECT
    q.*,
    lag(q.publish_longest_us) OVER (PARTITION BY q.lpar, q.qmgr ORDER BY q.interval_start_utc, q.record_id) AS previous_us,
    q.api_publishes + q.admin_publishes + q.proxy_publishes AS publishes,
    m.publications
  FROM decoded.qtst AS q
  LEFT JOIN decoded.qmst AS m ON m.record_id = q.record_id
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  q.subscription_requests_total, q.durable_subscription_requests,
  q.api_subscriptions_high, q.admin_subscriptions_high, q.proxy_subscriptions_high,
  q.api_subscriptions_low, q.admin_subscriptions_low, q.proxy_subscriptions_low,
  q.subscriptions_expired, q.messages_to_subscribers, q.most_subscribers_per_publish,
  q.api_publishes, q.admin_publishes, q.proxy_publishes, q.publishes_high, q.publishes_low,
  q.publishes_without_subscriber, believed(q.publish_longest_us, q.publish_total_us, q.previous_us) AS publish_longest_us, q.publish_total_us,
  q.publishes,
  greatest(q.publishes, q.publications, q.publishes_without_subscriber)       AS publishes_judged,
  q.messages_to_subscribers / nullif(q.publishes, 0)                          AS fan_out,
  100 * q.publishes_without_subscriber
    / nullif(greatest(q.publishes, q.publications, q.publishes_without_subscriber), 0) AS no_subscriber_pct,
  q.publish_total_us / nullif(q.publishes, 0)                                 AS average_publish_us,
  per_s(q.publishes, q.interval_us / 1e6)                                     AS publishes_per_s
FROM counted AS q
LEFT JOIN interval_cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
