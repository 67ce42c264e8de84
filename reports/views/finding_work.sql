/*---
id      = "finding_work"
title   = "Applications, queues and channels whose work explains findings"
grain   = "one row per finding and rank: the first three, and one for all others"
needs   = ["finding", "finding_measure", "interval_work", "accounting_missed"]
note    = "The work of all intervals from the first to the last in breach. Shares of a finding add up to 100 %. Only what accounting and queue statistics show: below 95 % coverage, the work of others may be more."

[columns]
lpar = {}
qmgr = {}
rule_id = { unit = "text", doc = "Id of the rule." }
rule_name = { unit = "text", doc = "Name of the rule." }
severity = { unit = "text", doc = "Severity of the finding." }
subject = { unit = "text", doc = "Subject of the finding." }
first_seen_utc = { unit = "ts_utc", doc = "Start of the first interval in breach." }
last_seen_utc = { unit = "ts_utc", doc = "Start of the last interval in breach." }
work_rank = { unit = "count", doc = "1 to 3 for the most work, 4 for all others together." }
base_name = { unit = "text", kind = "key", doc = "Name of the queue; the generated part of the name of dynamic queues is *; null for work of tasks and for others." }
application = { unit = "text", kind = "key", doc = "Application, where all addresses of a channel are one; null for figures of queue statistics and for others." }
channel_name = { unit = "text", kind = "key", doc = "Channel, if the application is one." }
work_others = { unit = "count", doc = "Number of pairs of queue and application in the row of the others." }
work_measure = { unit = "text", doc = "Kind of work: pages put, pages read, pages held (most at a time), pages kept (put and not got), log bytes, log waits or backout time." }
work_value = { unit = "number", doc = "Value in work_unit." }
work_unit = { unit = "text", doc = "Unit of work_value." }
work_share_pct = { unit = "percent", doc = "Share of the work that accounting or queue statistics show." }
put_coverage_pct = { unit = "percent", doc = "Puts in accounting as a share of those in statistics, for the whole queue manager; null for figures of queue statistics." }
---*/
WITH
counted AS (
  SELECT DISTINCT lpar, qmgr FROM interval_work WHERE work_measure = 'pages held'
),
wanted AS (
  SELECT
    f.lpar, f.qmgr, f.rule_id, f.rule_name, f.severity, f.subject, f.first_seen_utc, f.last_seen_utc,
    CASE WHEN m.work_measure = 'pages held' AND c.qmgr IS NULL THEN 'pages kept' ELSE m.work_measure END AS work_measure,
    m.work_unit,
    try_cast(nullif(regexp_extract(f.subject, '^buffer pool (\d+)$', 1), '') AS BIGINT) AS pool_id,
    try_cast(nullif(regexp_extract(f.subject, '^page set (\d+)$', 1), '') AS BIGINT)    AS page_set_id
  FROM finding AS f
  JOIN finding_measure AS m ON m.rule_id = f.rule_id
  LEFT JOIN counted AS c ON c.lpar = f.lpar AND c.qmgr = f.qmgr
  WHERE f.state = 'breach' AND f.first_seen_utc IS NOT NULL
),
worked AS (
  SELECT
    n.lpar, n.qmgr, n.rule_id, n.rule_name, n.severity, n.subject, n.first_seen_utc, n.last_seen_utc, n.work_measure, n.work_unit,
    w.queue_group, w.application_group, max(w.channel_name) AS channel_name,
    CASE WHEN n.work_measure = 'pages held' THEN max(w.work_value) ELSE sum(w.work_value) END AS work_value
  FROM wanted AS n
  JOIN interval_work AS w
    ON w.lpar = n.lpar AND w.qmgr = n.qmgr AND w.work_measure = n.work_measure
      AND w.interval_start_utc BETWEEN n.first_seen_utc AND n.last_seen_utc
  WHERE (n.pool_id IS NULL OR w.pool_id = n.pool_id) AND (n.page_set_id IS NULL OR w.page_set_id = n.page_set_id)
  GROUP BY
    n.lpar, n.qmgr, n.rule_id, n.rule_name, n.severity, n.subject, n.first_seen_utc, n.last_seen_utc, n.work_measure, n.work_unit, w.queue_group,
    w.application_group
),
ranked AS (
  SELECT
    *,
    least(4, row_number() OVER (
      PARTITION BY lpar, qmgr, rule_id, subject ORDER BY work_value DESC, queue_group, application_group
    )) AS work_rank,
    sum(work_value) OVER (PARTITION BY lpar, qmgr, rule_id, subject) AS whole
  FROM worked
)
SELECT
  r.lpar, r.qmgr, r.rule_id, r.rule_name, r.severity, r.subject, r.first_seen_utc, r.last_seen_utc, r.work_rank,
  CASE WHEN r.work_rank < 4 THEN max(r.queue_group) END        AS base_name,
  CASE WHEN r.work_rank < 4 THEN max(r.application_group) END  AS application,
  CASE WHEN r.work_rank < 4 THEN max(r.channel_name) END       AS channel_name,
  CASE WHEN r.work_rank = 4 THEN count(*) END                  AS work_others,
  r.work_measure,
  sum(r.work_value)                                            AS work_value,
  r.work_unit,
  100 * sum(r.work_value) / max(r.whole)                       AS work_share_pct,
  CASE WHEN r.work_measure <> 'pages held' THEN max(c.put_coverage_pct) END AS put_coverage_pct
FROM ranked AS r
LEFT JOIN accounting_missed AS c ON c.lpar = r.lpar AND c.qmgr = r.qmgr
GROUP BY r.lpar, r.qmgr, r.rule_id, r.rule_name, r.severity, r.subject, r.first_seen_utc, r.last_seen_utc, r.work_rank, r.work_measure, r.work_unit
