/*---
id      = "headroom_limit"
title   = "Limits of a queue manager"
grain   = "one row per kind of limit"
needs   = []
note    = "Helper of view headroom. A limit that refuses or delays work is ranked by the date at which it is reached; two others are thresholds: a pool below 15 % free, and active logs that hold less than a day. Weekly maxima for rates, because the days of the week differ; no date for shares of time, which change with every burst."

[columns]
limit_name = { unit = "text", kind = "key", doc = "Kind of limit.", label = "limit", screen = 1 }
limit_area = { unit = "text", doc = "Area whose rule judges the date at which the limit is reached; null if there is no date." }
limit_unit = { unit = "text", doc = "Unit of the use and of the limit.", label = "unit", screen = 2 }
limit_unit_label = { unit = "text", doc = "The unit as text." }
planning_share_pct = { unit = "percent", doc = "Share of the limit that should not be exceeded at the peak: 50 for the log data rate, 80 for the others.", over = "same", label = "plan %", screen = 3 }
trend_step_days = { unit = "days", doc = "Days whose maximum is one value of the trend: 1, or 7 for rates; null if there is no trend.", over = "same" }
trend_steps_min = { unit = "count", doc = "Complete steps of the trend that a date needs.", over = "same" }
cut_at_restart = { unit = "flag", doc = "The trend begins at the last restart of the queue manager, which frees the storage." }
missing_class = { unit = "text", doc = "Record class without which the limit is reported as not collected; null where its absence has no meaning." }
days_needed = { unit = "days", over = "max", doc = "Complete days of data that a date needs, before and after the last restart.", label = "days needed" }
---*/
SELECT
  limit_number::BIGINT AS limit_number, limit_name, limit_area, limit_unit,
  CASE limit_unit
    WHEN 'mib' THEN 'MiB'
    WHEN 'mib_per_s' THEN 'MiB/s'
    WHEN 'percent' THEN '%'
    WHEN 'count' THEN split_part(limit_name, ' ', 2)
    ELSE limit_unit
  END AS limit_unit_label,
  planning_share_pct::DOUBLE AS planning_share_pct,
  trend_step_days::BIGINT AS trend_step_days, trend_steps_min::BIGINT AS trend_steps_min, cut_at_restart, missing_class,
  greatest(14, trend_steps_min * trend_step_days)::BIGINT AS days_needed
FROM (
  VALUES
    (1, 'page set, present size', 'page_set', 'pages', 80, 1, 14, false, '115.201'),
    (2, 'page set, largest size', 'page_set', 'pages', 80, 1, 14, false, NULL),
    (3, '31-bit storage without its reserve', 'storage', 'mib', 80, 1, 7, true, '115.7'),
    (4, '64-bit storage without its cushion', 'storage', 'mib', 80, 1, 7, true, '115.7'),
    (5, 'channel initiator 31-bit storage', 'channel_initiator', 'mib', 80, 1, 7, true, '115.231'),
    (6, 'channel initiator 64-bit storage', 'channel_initiator', 'mib', 80, 1, 7, true, NULL),
    (7, 'current channels', 'channel_initiator', 'count', 80, 1, 14, false, '115.231'),
    (8, 'active channels', 'channel_initiator', 'count', 80, 1, 14, false, '115.231'),
    (9, 'adapters', NULL, 'percent', 80, NULL, NULL, false, '115.231'),
    (10, 'busiest dispatcher', NULL, 'percent', 80, NULL, NULL, false, '115.231'),
    (11, 'busiest TLS task', NULL, 'percent', 80, NULL, NULL, false, NULL),
    (12, 'logger task', NULL, 'percent', 80, NULL, NULL, false, '115.1'),
    (13, 'buffer pool, 15 % free', 'buffer_pool', 'percent', 80, 1, 14, false, NULL),
    (14, 'buffer pool, 5 % free', 'buffer_pool', 'percent', 80, 1, 14, false, '115.215'),
    (15, 'log data rate', 'log', 'mib_per_s', 50, 7, 4, false, '115.1'),
    (16, 'active logs', 'log', 'mib', 80, 7, 4, false, '115.1'),
    (17, 'SMDS, present size', 'smds', 'blocks', 80, 1, 14, false, NULL),
    (18, 'SMDS, largest size', 'smds', 'mib', 80, 1, 14, false, NULL),
    (19, 'structure, entries', 'cf', 'count', 80, 1, 14, false, NULL),
    (20, 'structure, elements', 'cf', 'count', 80, 1, 14, false, NULL)
) AS limits (
  limit_number, limit_name, limit_area, limit_unit, planning_share_pct, trend_step_days, trend_steps_min, cut_at_restart,
  missing_class
)
