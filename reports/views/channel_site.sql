/*---
id      = "channel_site"
title   = "What the site file gives for a channel"
grain   = "one row per lpar, qmgr, channel and connection name"
needs   = ["decoded.qcst", "site_input"]
classes = ["116.10"]
mq_since = "8.0.0"
note    = "Names of the site file may be patterns with * and ?. The narrowest one gives the latency: a name before a pattern, a long pattern before a short one. A key of latency_us is a channel, a connection name or its address without the port."

[columns]
stopped_on_purpose = { unit = "flag", doc = "The site file lists the channel as stopped on purpose (stopped_channels)." }
latency_us = { unit = "us", kind = "setting", doc = "One-way latency of the link, from the site file." }
---*/
WITH
known AS (
  SELECT DISTINCT lpar, qmgr, channel_name, connection_name
  FROM decoded.qcst
  WHERE channel_name IS NOT NULL
),
stopped AS (
  SELECT lpar, qmgr, unnest(stopped_channels) AS pattern FROM site_input
),
latency AS (
  SELECT lpar, qmgr, unnest(map_entries(latency_us_by_channel)) AS entry FROM site_input
),
latency_pattern AS (
  SELECT
    lpar, qmgr, replace(entry.key, '[', '[[]') AS pattern, entry.value AS latency_us,
    (CASE WHEN regexp_matches(entry.key, '[*?]') THEN 0 ELSE 1000 END) + length(entry.key) AS narrowness
  FROM latency
),
named_stopped AS (
  SELECT k.lpar, k.qmgr, k.channel_name, true AS stopped_on_purpose
  FROM known AS k
  JOIN stopped AS s ON s.lpar = k.lpar AND s.qmgr = k.qmgr AND k.channel_name GLOB replace(s.pattern, '[', '[[]')
  GROUP BY k.lpar, k.qmgr, k.channel_name
),
named_latency AS (
  SELECT k.lpar, k.qmgr, k.channel_name, k.connection_name, arg_max(p.latency_us, (p.narrowness, p.pattern)) AS latency_us
  FROM known AS k
  JOIN latency_pattern AS p ON p.lpar = k.lpar AND p.qmgr = k.qmgr
    AND (k.channel_name GLOB p.pattern OR k.connection_name GLOB p.pattern OR split_part(k.connection_name, '(', 1) GLOB p.pattern)
  GROUP BY k.lpar, k.qmgr, k.channel_name, k.connection_name
)
SELECT
  k.lpar, k.qmgr, k.channel_name, k.connection_name,
  coalesce(s.stopped_on_purpose, false) AS stopped_on_purpose,
  l.latency_us
FROM known AS k
LEFT JOIN named_stopped AS s ON s.lpar = k.lpar AND s.qmgr = k.qmgr AND s.channel_name = k.channel_name
LEFT JOIN named_latency AS l ON l.lpar = k.lpar AND l.qmgr = k.qmgr AND l.channel_name = k.channel_name
  AND l.connection_name IS NOT DISTINCT FROM k.connection_name
