/*---
id      = "chinit_compression"
title   = "Channels with compression by channel initiator interval"
grain   = "one row per 115.231 record with channel accounting of the same statistics interval"
needs   = ["decoded.qcst", "channel_interval", "chinit_interval"]
classes = ["116.10"]
mq_since = "8.0.0"
note    = "Helper of rule CH011. An interval without channel accounting has no row."

[columns]
channels_seen = { unit = "count", doc = "Channel instances in the accounting of the interval.", over = "add" }
compressing_channels = { unit = "count", doc = "Channel instances that report a compression rate above 0.", over = "add" }
most_compressing_channel = { unit = "text", doc = "Name of the channel with the highest compression rate; null if no channel compresses." }
compression_rate_most_pct = { unit = "percent", doc = "Highest compression rate that a channel reports.", over = "max" }
---*/
WITH channel_of_interval AS (
  SELECT
    m.lpar, m.qmgr, m.cut_start_utc,
    count(*)                                                AS channels_seen,
    count(*) FILTER (q.compression_rate_pct > 0)            AS compressing_channels,
    max(q.compression_rate_pct)                             AS compression_rate_most_pct,
    max({'rate': q.compression_rate_pct, 'name': q.channel_name}) FILTER (q.compression_rate_pct > 0 AND q.channel_name IS NOT NULL) AS most
  FROM decoded.qcst AS q
  JOIN channel_interval AS m ON m.record_id = q.record_id
  GROUP BY m.lpar, m.qmgr, m.cut_start_utc
)
SELECT
  i.record_id, i.lpar, i.qmgr, c.channels_seen, c.compressing_channels, c.most['name'] AS most_compressing_channel, c.compression_rate_most_pct
FROM channel_of_interval AS c
JOIN chinit_interval AS i ON i.lpar = c.lpar AND i.qmgr = c.qmgr AND i.cut_start_utc = c.cut_start_utc
