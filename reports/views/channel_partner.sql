/*---
id      = "channel_partner"
title   = "Partners of channels"
grain   = "one row per lpar, qmgr, channel, partner, connection name, product and version"
needs   = ["channel", "qmgr", "site_input"]
classes = ["116.10"]
mq_since = "8.0.0"
note    = "Product and version are written from MQ 10.0."

[columns]
partner_vrm = { unit = "text", doc = "The same as version, release and modification, such as 09.03.05; null if it is not a number.", label = "level", screen = 1 }
partner_level = { unit = "number", doc = "The same as a number VVRRMM.", over = "same" }
own_level = { unit = "number", doc = "Highest level of this queue manager as a number VVRRMM.", over = "same" }
below_minimum = { unit = "flag", doc = "The partner is below it; null if the site file does not give it or the level is not known.", label = "below minimum", screen = 2 }
channel_instances = { unit = "count", doc = "Instances of the channel by start time.", over_time = "max", across = "add" }
first_seen_utc = { unit = "ts_utc", doc = "Earliest start of an instance.", label = "first start", screen = 2 }
last_seen_utc = { unit = "ts_utc", doc = "Latest end, or last collection, of an instance.", label = "last seen", screen = 2 }
---*/
WITH
partner AS (
  SELECT
    lpar, qmgr, channel_name, partner_name, connection_name, partner_product, partner_version,
    min(record_id)                                              AS record_id,
    max(channel_type)                                           AS channel_type,
    count(DISTINCT channel_start_utc)                           AS channel_instances,
    sum(channel_messages)::BIGINT                               AS channel_messages,
    min(channel_start_utc)                                      AS first_seen_utc,
    max(coalesce(channel_stop_utc, collected_utc))              AS last_seen_utc
  FROM channel
  WHERE channel_name IS NOT NULL
  GROUP BY lpar, qmgr, channel_name, partner_name, connection_name, partner_product, partner_version
),
levelled AS (
  SELECT
    *,
    CASE WHEN regexp_matches(partner_version, '^[0-9]{6}') THEN partner_version[1:6]::BIGINT END AS partner_level
  FROM partner
)
SELECT
  p.lpar, p.qmgr, p.record_id, p.channel_name, p.channel_type, p.partner_name, p.connection_name, p.partner_product, p.partner_version,
  CASE WHEN p.partner_level IS NOT NULL
    THEN p.partner_version[1:2] || '.' || p.partner_version[3:4] || '.' || p.partner_version[5:6] END AS partner_vrm,
  p.partner_level, q.highest_mq_level AS own_level, s.min_partner_version,
  p.partner_level < try_cast(split_part(s.min_partner_version, '.', 1) AS BIGINT) * 10000
    + coalesce(try_cast(split_part(s.min_partner_version, '.', 2) AS BIGINT), 0) * 100
    + coalesce(try_cast(split_part(s.min_partner_version, '.', 3) AS BIGINT), 0) AS below_minimum,
  p.channel_instances, p.channel_messages, p.first_seen_utc, p.last_seen_utc
FROM levelled AS p
LEFT JOIN qmgr AS q ON q.lpar = p.lpar AND q.qmgr = p.qmgr
LEFT JOIN site_input AS s ON s.lpar = p.lpar AND s.qmgr = p.qmgr
