/*---
id      = "coverage_calls"
title   = "Share of the work that accounting and queue statistics cover"
grain   = "one row per lpar, qmgr and collection that may cover only part of the work"
needs   = ["decoded.qmst", "decoded.qist", "decoded.qqst", "queue_use", "decoded.qcst", "decoded.wtas", "decoded.qcct"]
classes = ["116.1"]
empty_without = false
note    = "Statistics are counted in the intervals that the other collection covers: from the first to the last task interval, and in intervals with queue statistics. Statistics count failed calls, some accounting fields do not."

[columns]
seen_by = { unit = "text", doc = "The collection: task accounting, queue statistics or channel accounting." }
calls_counted = { unit = "count", doc = "Puts and gets (channels: highest number of active channels of each interval) that statistics count in the same time.", over = "add" }
calls_seen = { unit = "count", doc = "Puts and gets (channels: channel instances of each interval) in the collection.", over = "add" }
seen_pct = { unit = "percent", doc = "Share that the collection covers; null if there was nothing to cover.", ratio = { numerator = "calls_seen", denominator = "calls_counted", scale = 100 } }
calls_in_period = { unit = "count", doc = "The same puts and gets, or active channels, of all intervals with statistics, also of those in which the collection was not on.", over = "add" }
seen_of_period_pct = { unit = "percent", doc = "Share of the whole period that the collection covers.", ratio = { numerator = "calls_seen", denominator = "calls_in_period", scale = 100 } }
no_accounting_queues = { unit = "count", doc = "Queues that tasks used with accounting off for the queue; task accounting only.", over = "add" }
unaccounted_queues = { unit = "count", doc = "Queues (without SYSTEM.*) with at least 100 puts and gets in 115.216 of the same time, of which no task has a queue block; task accounting only, null without queue statistics.", over = "add" }
unaccounted_names = { unit = "text", doc = "The first ten of them, the busiest first." }
---*/
WITH
counted AS (
  SELECT m.lpar, m.qmgr, m.interval_start_utc, m.interval_end_utc, m.puts + m.put1s AS puts, m.gets, coalesce(d.dm_gets, 0) AS dm_gets
  FROM decoded.qmst AS m
  LEFT JOIN decoded.qist AS d ON d.record_id = m.record_id
),
span AS (
  SELECT lpar, qmgr, min(task_interval_start_utc) AS first_utc, max(task_interval_end_utc) AS last_utc
  FROM decoded.wtas
  GROUP BY lpar, qmgr
),
period AS (
  SELECT lpar, qmgr, sum(puts)::BIGINT AS puts, sum(gets)::BIGINT AS gets, sum(dm_gets)::BIGINT AS dm_gets
  FROM counted
  GROUP BY lpar, qmgr
),
task_side AS (
  -- Statistics and accounting of one interval are written within a second of each other.
  SELECT c.lpar, c.qmgr, sum(c.puts)::BIGINT AS puts, sum(c.gets)::BIGINT AS gets, sum(c.dm_gets)::BIGINT AS dm_gets
  FROM counted AS c
  JOIN span AS s ON s.lpar = c.lpar AND s.qmgr = c.qmgr
  WHERE c.interval_start_utc >= s.first_utc - to_seconds(1) AND c.interval_end_utc <= s.last_utc + to_seconds(1)
  GROUP BY c.lpar, c.qmgr
),
task_seen AS (
  SELECT
    lpar, qmgr,
    sum(puts + put1s)::BIGINT                         AS puts,
    sum(gets)::BIGINT                                 AS gets,
    count(DISTINCT base_name) FILTER (no_accounting)  AS no_accounting_queues
  FROM queue_use
  GROUP BY lpar, qmgr
),
-- Queues that 115.216 counts and class 3 lacks.
lacking AS (
  SELECT q.lpar, q.qmgr, q.queue, sum(q.puts + q.put1s + q.destructive_gets)::BIGINT AS calls
  FROM decoded.qqst AS q
  JOIN span AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
  WHERE q.interval_start_utc >= s.first_utc - to_seconds(1) AND q.interval_end_utc <= s.last_utc + to_seconds(1) AND q.queue NOT LIKE 'SYSTEM.%'
  GROUP BY q.lpar, q.qmgr, q.queue
),
lacked AS (
  SELECT
    k.lpar, k.qmgr, count(*) FILTER (k.calls >= 100 AND u.base_name IS NULL) AS unaccounted_queues,
    array_to_string((list(k.queue ORDER BY k.calls DESC, k.queue) FILTER (k.calls >= 100 AND u.base_name IS NULL))[:10], ', ') AS unaccounted_names
  FROM lacking AS k
  LEFT JOIN (SELECT DISTINCT lpar, qmgr, base_name FROM queue_use) AS u ON u.lpar = k.lpar AND u.qmgr = k.qmgr AND u.base_name = k.queue
  GROUP BY k.lpar, k.qmgr
),
queue_seen AS (
  SELECT lpar, qmgr, interval_start_utc, sum(puts + put1s)::BIGINT AS puts, sum(destructive_gets)::BIGINT AS gets
  FROM decoded.qqst
  WHERE puts IS NOT NULL
  GROUP BY lpar, qmgr, interval_start_utc
),
queue_side AS (
  SELECT
    c.lpar, c.qmgr, sum(c.puts)::BIGINT AS puts, sum(c.gets)::BIGINT AS gets, sum(c.dm_gets)::BIGINT AS dm_gets,
    sum(q.puts)::BIGINT AS puts_seen, sum(q.gets)::BIGINT AS gets_seen
  FROM counted AS c
  JOIN queue_seen AS q ON q.lpar = c.lpar AND q.qmgr = c.qmgr AND q.interval_start_utc = c.interval_start_utc
  GROUP BY c.lpar, c.qmgr
),
-- 116.10 and 115.231 records of one interval have the same start. Compares all instances that ran in an interval with the most that were active in it, for intervals with channel accounting.
channel_seen AS (
  SELECT lpar, qmgr, interval_start_utc, count(*) AS channels
  FROM (SELECT DISTINCT lpar, qmgr, interval_start_utc, channel_name, connection_name, channel_start_utc FROM decoded.qcst)
  GROUP BY lpar, qmgr, interval_start_utc
),
chinit AS (
  SELECT lpar, qmgr, interval_start_utc, max(active_channels) AS active_channels
  FROM decoded.qcct
  GROUP BY lpar, qmgr, interval_start_utc
),
channel_side AS (
  SELECT c.lpar, c.qmgr, sum(c.active_channels)::BIGINT AS calls_counted, sum(s.channels)::BIGINT AS calls_seen
  FROM chinit AS c
  JOIN channel_seen AS s ON s.lpar = c.lpar AND s.qmgr = c.qmgr AND s.interval_start_utc = c.interval_start_utc
  GROUP BY c.lpar, c.qmgr
),
-- The message manager does not count gets of consumers by callback. The data manager does, and it also counts its own gets and searches: it can
-- confirm gets that were seen, but not that more were made.
each_side AS (
  SELECT
    t.lpar, t.qmgr, 'task accounting' AS seen_by, t.puts + greatest(t.gets, least(t.dm_gets, coalesce(s.gets, 0))) AS calls_counted,
    coalesce(s.puts + s.gets, 0) AS calls_seen, coalesce(s.no_accounting_queues, 0) AS no_accounting_queues,
    k.unaccounted_queues, k.unaccounted_names, p.puts + greatest(p.gets, least(p.dm_gets, coalesce(s.gets, 0))) AS calls_in_period
  FROM task_side AS t
  JOIN period AS p ON p.lpar = t.lpar AND p.qmgr = t.qmgr
  LEFT JOIN task_seen AS s ON s.lpar = t.lpar AND s.qmgr = t.qmgr
  LEFT JOIN lacked AS k ON k.lpar = t.lpar AND k.qmgr = t.qmgr
  UNION ALL
  SELECT
    q.lpar, q.qmgr, 'queue statistics', q.puts + greatest(q.gets, least(q.dm_gets, q.gets_seen)), q.puts_seen + q.gets_seen, NULL, NULL, NULL,
    p.puts + greatest(p.gets, least(p.dm_gets, q.gets_seen))
  FROM queue_side AS q
  JOIN period AS p ON p.lpar = q.lpar AND p.qmgr = q.qmgr
  UNION ALL
  SELECT c.lpar, c.qmgr, 'channel accounting', c.calls_counted, c.calls_seen, NULL, NULL, NULL, p.active_channels
  FROM channel_side AS c
  JOIN (SELECT lpar, qmgr, sum(active_channels)::BIGINT AS active_channels FROM chinit GROUP BY lpar, qmgr) AS p ON p.lpar = c.lpar AND p.qmgr = c.qmgr
)
SELECT
  lpar, qmgr, seen_by, calls_counted, calls_seen, pct(calls_seen, calls_counted) AS seen_pct,
  calls_in_period, pct(calls_seen, calls_in_period) AS seen_of_period_pct, no_accounting_queues, unaccounted_queues, unaccounted_names
FROM each_side
