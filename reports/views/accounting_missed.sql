/*---
id      = "accounting_missed"
title   = "Calls that statistics count and class 3 accounting does not show"
grain   = "one row per lpar and qmgr with class 3 accounting"
needs   = ["message_manager", "decoded.wq", "decoded.wtas"]
classes = ["116.1"]
note    = "Statistics are those of the intervals between the first and the last task interval. Accounting counts gets of consumers by callback, which these statistics do not count: the gets that are missing can be more. Tasks that are still running have no record yet."

[columns]
opens = { kind = "derived", doc = "MQOPEN calls that accounting does not show." }
closes = { kind = "derived", doc = "MQCLOSE calls that accounting does not show." }
gets = { kind = "derived", doc = "MQGET calls that accounting does not show." }
puts = { kind = "derived", doc = "MQPUT calls that accounting does not show." }
put1s = { kind = "derived", doc = "MQPUT1 calls that accounting does not show." }
inquires = { kind = "derived", doc = "MQINQ calls that accounting does not show." }
sets = { kind = "derived", doc = "MQSET calls that accounting does not show." }
counted_puts = { unit = "count", doc = "MQPUT and MQPUT1 calls that statistics count.", over = "add" }
accounted_puts = { unit = "count", doc = "MQPUT and MQPUT1 calls in accounting.", over = "add" }
put_coverage_pct = { unit = "percent", doc = "Puts in accounting as a share of those in statistics; null if statistics count none.", ratio = { numerator = "accounted_puts", denominator = "counted_puts", scale = 100 }, label = "accounted puts %", screen = 3 }
---*/
WITH
span AS (
  SELECT lpar, qmgr, min(task_interval_start_utc) AS first_utc, max(task_interval_end_utc) AS last_utc
  FROM decoded.wtas
  GROUP BY lpar, qmgr
),
counted AS (
  -- Statistics and accounting of one interval are written within a second of each other; a shorter interval that ends before the first task or begins after the last is not theirs.
  SELECT
    m.lpar, m.qmgr, max(m.qsg) AS qsg, sum(m.opens)::BIGINT AS opens, sum(m.closes)::BIGINT AS closes,
    sum(m.gets)::BIGINT AS gets, sum(m.puts)::BIGINT AS puts, sum(m.put1s)::BIGINT AS put1s, sum(m.inquires)::BIGINT AS inquires, sum(m.sets)::BIGINT AS sets
  FROM message_manager AS m
  JOIN span AS s ON s.lpar = m.lpar AND s.qmgr = m.qmgr
  WHERE m.interval_start_utc >= s.first_utc - to_seconds(1) AND m.interval_end_utc <= s.last_utc + to_seconds(1)
    AND m.interval_end_utc > s.first_utc AND m.interval_start_utc < s.last_utc
  GROUP BY m.lpar, m.qmgr
),
seen AS (
  SELECT
    lpar, qmgr, sum(opens)::BIGINT AS opens, sum(closes)::BIGINT AS closes, sum(gets)::BIGINT AS gets, sum(puts)::BIGINT AS puts,
    sum(put1s)::BIGINT AS put1s, sum(inquires)::BIGINT AS inquires, sum(sets)::BIGINT AS sets
  FROM decoded.wq
  GROUP BY lpar, qmgr
)
SELECT
  c.lpar, c.qmgr, c.qsg,
  greatest(0, c.opens - coalesce(s.opens, 0))       AS opens,
  greatest(0, c.closes - coalesce(s.closes, 0))     AS closes,
  greatest(0, c.gets - coalesce(s.gets, 0))         AS gets,
  greatest(0, c.puts - coalesce(s.puts, 0))         AS puts,
  greatest(0, c.put1s - coalesce(s.put1s, 0))       AS put1s,
  greatest(0, c.inquires - coalesce(s.inquires, 0)) AS inquires,
  greatest(0, c.sets - coalesce(s.sets, 0))         AS sets,
  c.puts + c.put1s                                  AS counted_puts,
  coalesce(s.puts + s.put1s, 0)                     AS accounted_puts,
  pct(coalesce(s.puts + s.put1s, 0), c.puts + c.put1s) AS put_coverage_pct
FROM counted AS c
LEFT JOIN seen AS s ON s.lpar = c.lpar AND s.qmgr = c.qmgr
