/*---
id      = "chinit_channel_use"
title   = "Messages of channels by channel initiator interval"
grain   = "one row per 115.231 record with channel accounting of the same statistics interval"
needs   = ["channel", "channel_interval", "chinit_interval", "site_input"]
keep    = true                           # expensive, and read more than once
classes = ["116.10"]
mq_since = "8.0.0"
note    = "Helper of report channel_initiator/adapter_wait."

[columns]
intercepted_channels = { unit = "count", doc = "Channels that moved messages and that the site file lists with AMS interception.", over = "add", label = "AMS channels", screen = 3 }
---*/
WITH moved AS (
  SELECT
    m.lpar, m.qmgr, m.cut_start_utc,
    sum(q.persistent_channel_messages)::BIGINT AS persistent_channel_messages, sum(q.channel_messages)::BIGINT AS channel_messages,
    pct(sum(q.persistent_channel_messages), sum(q.channel_messages)) AS persistent_channel_pct,
    CASE WHEN bool_or(s.ams_channels IS NOT NULL)
      THEN count(DISTINCT q.channel_name) FILTER (q.channel_messages > 0 AND len(list_filter(s.ams_channels, lambda pattern: q.channel_name GLOB replace(pattern, '[', '[[]'))) > 0) END AS intercepted_channels
  FROM channel AS q
  JOIN channel_interval AS m ON m.record_id = q.record_id
  LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
  GROUP BY m.lpar, m.qmgr, m.cut_start_utc
)
SELECT i.record_id, i.lpar, i.qmgr, v.persistent_channel_messages, v.channel_messages, v.persistent_channel_pct, v.intercepted_channels
FROM moved AS v
JOIN chinit_interval AS i ON i.lpar = v.lpar AND i.qmgr = v.qmgr AND i.cut_start_utc = v.cut_start_utc
