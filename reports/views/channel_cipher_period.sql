/*---
id       = "channel_cipher_period"
title    = "Data that channels encrypt in software"
grain    = "one row per lpar, qmgr and channel"
needs    = ["channel_cipher"]
classes  = ["116.10"]
mq_since = "9.2.0"

[columns]
chacha_gib = { unit = "gib", doc = "Data sent and received with the cipher TLS_CHACHA20_POLY1305_SHA256 in the period.", over = "add" }
period_days = { unit = "days", doc = "Days of channel accounting of the queue manager; at least 1.", over = "max" }
chacha_gib_per_day = { unit = "gib", doc = "Data sent and received with this cipher per day.", across = "add", ratio = { numerator = "chacha_gib", denominator = "period_days" } }
---*/
WITH period AS (
  -- The intervals with channel accounting: a gap in the data is no time without traffic.
  SELECT lpar, qmgr, greatest(1, sum(interval_seconds) / 86400) AS period_days
  FROM (SELECT DISTINCT lpar, qmgr, interval_start_utc, interval_seconds FROM channel_cipher)
  GROUP BY lpar, qmgr
),
summed AS (
  SELECT lpar, qmgr, channel_name, sum(chacha_bytes) / 1073741824 AS chacha_gib
  FROM channel_cipher
  GROUP BY lpar, qmgr, channel_name
)
SELECT
  s.lpar, s.qmgr, s.channel_name, s.chacha_gib, p.period_days,
  s.chacha_gib / p.period_days AS chacha_gib_per_day
FROM summed AS s
JOIN period AS p ON p.lpar = s.lpar AND p.qmgr = s.qmgr
