/*---
id      = "queue_sync"
title   = "SYSTEM.CHANNEL.SYNCQ and the channels of the period"
grain   = "one row per lpar and qmgr whose queue statistics have SYSTEM.CHANNEL.SYNCQ"
needs   = ["queue_depth", "channel"]
classes = ["115.216"]
note    = "Helper of rule QU021. Channels are those with channel accounting (116.10) in the period; without it their number is null."

[columns]
queue = { doc = "SYSTEM.CHANNEL.SYNCQ." }
active_channels = { unit = "count", doc = "Channels with accounting in the period.", over_time = "max", across = "add" }
depth_per_channel = { unit = "ratio", doc = "Highest depth per channel with accounting.", over = "max" }
---*/
WITH active AS (
  SELECT lpar, qmgr, count(DISTINCT channel_name) AS active_channels
  FROM channel
  GROUP BY lpar, qmgr
)
SELECT
  q.lpar, q.qmgr, q.queue, q.depth_high, a.active_channels,
  q.depth_high / nullif(a.active_channels, 0) AS depth_per_channel,
  q.index_type
FROM queue_depth AS q
LEFT JOIN active AS a ON a.lpar = q.lpar AND a.qmgr = q.qmgr
WHERE q.queue_kind = 'channel sync'
