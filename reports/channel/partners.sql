/*---
id         = "channel/partners"
title      = "Partners and their MQ levels"
question   = "Who connects to us, and with which MQ level?"
needs      = ["channel_partner"]
rules      = ["CN015"]
grain      = ["lpar", "qmgr", "channel_name", "partner_name", "partner_product", "partner_version"]
unmarked   = "A row is a partner at one level; the rule judges all partners of a channel."
drill_down = ["channel/activity"]
site_input = ["min_partner_version"]
mq_since   = "8.0.0"
note       = "Product and version are written from MQ 10.0. Clients that are not from IBM report numbers of their own."

[columns]
channel_type_name = { unit = "text", label = "type", screen = 2, doc = "Channel type." }
partner_name = { screen = 1 }
partner_product = { label = "product", screen = 2 }
addresses = { unit = "count", label = "addresses", screen = 1, doc = "Connection names of the partner.", over_time = "max", across = "add" }
instances = { unit = "count", label = "instances", screen = 1, doc = "Instances of the channel by connection name and start time.", over = "add" }
back_level = { unit = "flag", label = "below ours", screen = 1, doc = "The partner has a lower level than this queue manager." }
---*/
SELECT
  lpar, qmgr, channel_name,
  max(channel_type)              AS channel_type_name,
  partner_name, partner_product, partner_version,
  count(DISTINCT connection_name) AS addresses,
  sum(channel_instances)::BIGINT AS instances,
  sum(channel_messages)::BIGINT  AS channel_messages,
  min(first_seen_utc)            AS first_seen_utc,
  max(last_seen_utc)             AS last_seen_utc,
  max(partner_vrm)               AS partner_vrm,
  bool_or(partner_level < own_level) AS back_level,
  bool_or(below_minimum)         AS below_minimum
FROM channel_partner
GROUP BY lpar, qmgr, channel_name, partner_name, partner_product, partner_version
ORDER BY partner_vrm NULLS LAST, instances DESC, lpar, qmgr, channel_name, partner_name
