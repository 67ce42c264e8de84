/*---
id      = "finding_work"
title   = "Applications, queues and channels whose work explains findings"
grain   = "one row per finding and rank: the first three, and one for all others; one without a rank if no work is shown"
needs   = ["finding", "finding_measure", "interval_work", "accounting_missed", "record_count", "queue_sharing_group"]
note    = "The work of all intervals from the first to the last in breach; of the whole period for rules that judge it. Shares of a finding add up to 100 %. Only what the records of the measure show: below 95 % coverage, the work of others may be more. Pages and bytes kept are those that a queue gained, divided by who put more than it got. What fills a CF structure counts the work of all members of the queue-sharing group."

[columns]
first_seen_utc = { doc = "Start of the first interval in breach; null for rules that judge the whole period." }
last_seen_utc = { doc = "Start of the last interval in breach; null for rules that judge the whole period." }
work_rank = { unit = "count", doc = "1 to 3 for the most work, 4 for all others together; null if no work is shown.", over = "same" }
base_name = { unit = "text", kind = "key", doc = "Name of the queue; the generated part of the name of dynamic queues is *; null for work of tasks and channels and for others." }
application = { unit = "text", kind = "key", doc = "Application, where all addresses of a channel are one; null for figures of queue and channel statistics and for others." }
work_others = { unit = "count", doc = "Number of pairs of queue and application, or of channels, in the row of the others.", over = "add" }
work_measure = { doc = "Kind of work, such as pages put, pages held (most at a time), log bytes, adapter time or CF time." }
work_value = { doc = "Value in work_unit." }
work_share_pct = { unit = "percent", doc = "Share of the work that the records show.", ratio = { numerator = "work_share_pct", denominator = "100", scale = 100, whole = ["lpar", "qmgr", "rule_id", "subject"] } }
put_coverage_pct = { doc = "Puts in accounting as a share of those in statistics, for the whole queue manager; null for figures of queue and channel statistics.", over = "same" }
work_missing = { unit = "text", doc = "Why no work is shown: the records do not show who, the class was not collected, or its records have no such work; null if work is shown." }
---*/
WITH
counted AS (
  SELECT DISTINCT lpar, qmgr, work_measure FROM interval_work
),
chosen AS (
  SELECT
    f.lpar, f.qmgr, f.rule_id, f.rule_name, f.severity, f.weight, f.distance, f.subject, m.work_measure, m.work_unit, m.work_class, m.work_over,
    CASE WHEN NOT m.work_whole_period THEN f.first_seen_utc END AS first_seen_utc,
    CASE WHEN NOT m.work_whole_period THEN f.last_seen_utc END  AS last_seen_utc,
    row_number() OVER finding_choice AS choice,
    list(m.work_class) OVER (finding_choice ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS work_classes
  FROM finding AS f
  JOIN finding_measure AS m ON m.rule_id = f.rule_id
  LEFT JOIN counted AS c ON c.lpar = f.lpar AND c.qmgr = f.qmgr AND c.work_measure = m.work_measure
  WHERE f.state = 'breach'
  WINDOW finding_choice AS (PARTITION BY f.lpar, f.qmgr, f.rule_id, f.subject ORDER BY c.work_measure IS NULL, m.work_choice)
),
wanted AS (
  SELECT
    *,
    try_cast(nullif(regexp_extract(subject, '^buffer pool (\d+)$', 1), '') AS BIGINT)  AS pool_id,
    try_cast(nullif(regexp_extract(subject, '^page set (\d+)$', 1), '') AS BIGINT)     AS page_set_id,
    try_cast(nullif(regexp_extract(subject, '^dispatcher (\d+)$', 1), '') AS BIGINT)   AS dispatcher_number,
    CASE WHEN rule_id = 'LK002' THEN 11
      ELSE try_cast(nullif(regexp_extract(subject, ', latch class (\d+)$', 1), '') AS BIGINT) END AS latch_class,
    nullif(regexp_extract(subject, '^structure (\S+)', 1), '')                         AS cf_structure,
    nullif(regexp_extract(subject, '^shared queue (.*)$', 1), '')                      AS queue_name
  FROM chosen
  WHERE choice = 1
),
-- A structure is filled by all members of its group.
member AS (
  SELECT g.lpar, g.qmgr, o.lpar AS member_lpar, o.qmgr AS member_qmgr, g.lpar = o.lpar AND g.qmgr = o.qmgr AS same_qmgr
  FROM queue_sharing_group AS g
  JOIN queue_sharing_group AS o ON (o.lpar = g.lpar AND o.qmgr = g.qmgr) OR o.qsg = g.qsg
),
interval_total AS (
  SELECT
    n.lpar, n.qmgr, n.rule_id, n.subject, n.work_over, w.interval_start_utc, w.queue_group, w.application_group, max(w.channel_name) AS channel_name,
    CASE WHEN n.work_over = 'max' THEN max(w.work_value) ELSE sum(w.work_value) END AS work_value
  FROM wanted AS n
  JOIN member AS g ON g.lpar = n.lpar AND g.qmgr = n.qmgr AND (g.same_qmgr OR n.work_measure = 'bytes kept')
  JOIN interval_work AS w ON w.lpar = g.member_lpar AND w.qmgr = g.member_qmgr AND w.work_measure = n.work_measure
  WHERE (n.pool_id IS NULL OR w.pool_id = n.pool_id)
    AND (n.page_set_id IS NULL OR w.page_set_id = n.page_set_id)
    AND (n.dispatcher_number IS NULL OR w.dispatcher_number = n.dispatcher_number)
    AND (n.latch_class IS NULL OR w.latch_class = n.latch_class)
    AND (n.cf_structure IS NULL OR w.cf_structure = n.cf_structure)
    AND (n.queue_name IS NULL OR w.queue_group = regexp_replace(n.queue_name, '[0-9A-F]{16}$', '*'))
    AND CASE
      WHEN n.first_seen_utc IS NULL THEN true
      WHEN g.same_qmgr AND n.work_class <> '116.10' THEN w.interval_start_utc BETWEEN n.first_seen_utc AND n.last_seen_utc
      -- Channel records begin a little later than the interval; other members have intervals of their own.
      ELSE w.interval_end_utc > n.first_seen_utc + INTERVAL 1 SECOND AND w.interval_start_utc <= n.last_seen_utc + INTERVAL 1 SECOND
    END
  GROUP BY
    n.lpar, n.qmgr, n.rule_id, n.subject, n.work_over, w.interval_start_utc, w.queue_group, w.application_group,
    CASE WHEN w.application_group IS NULL THEN w.channel_name END
),
worked AS (
  SELECT
    lpar, qmgr, rule_id, subject, queue_group, application_group, max(channel_name) AS channel_name,
    CASE WHEN work_over = 'sum' THEN sum(work_value) ELSE max(work_value) END AS work_value
  FROM interval_total
  GROUP BY lpar, qmgr, rule_id, subject, work_over, queue_group, application_group, CASE WHEN application_group IS NULL THEN channel_name END
),
gained AS (
  SELECT
    *,
    sum(work_value) OVER queue                     AS queue_value,
    sum(greatest(0, work_value)) OVER queue        AS positive_value
  FROM worked
  WINDOW queue AS (PARTITION BY lpar, qmgr, rule_id, subject, queue_group)
),
divided AS (
  SELECT
    * EXCLUDE (work_value),
    -- What one application put and another one got is not kept.
    CASE WHEN queue_value = positive_value THEN work_value ELSE work_value * queue_value / positive_value END AS work_value
  FROM gained
  WHERE work_value > 0 AND queue_value > 0
),
ranked AS (
  SELECT
    *,
    least(4, row_number() OVER (
      PARTITION BY lpar, qmgr, rule_id, subject ORDER BY work_value DESC, queue_group, application_group, channel_name
    )) AS work_rank,
    sum(work_value) OVER (PARTITION BY lpar, qmgr, rule_id, subject) AS whole
  FROM divided
),
shown AS (
  SELECT
    lpar, qmgr, rule_id, subject, work_rank,
    CASE WHEN work_rank < 4 THEN max(queue_group) END       AS base_name,
    CASE WHEN work_rank < 4 THEN max(application_group) END AS application,
    CASE WHEN work_rank < 4 THEN max(channel_name) END      AS channel_name,
    CASE WHEN work_rank = 4 THEN count(*) END               AS work_others,
    sum(work_value)                                         AS work_value,
    100 * sum(work_value) / max(whole)                      AS work_share_pct
  FROM ranked
  GROUP BY lpar, qmgr, rule_id, subject, work_rank
),
collected AS (
  SELECT lpar, qmgr, list(DISTINCT record_class) AS record_classes FROM record_count GROUP BY lpar, qmgr
)
SELECT
  n.lpar, n.qmgr, n.rule_id, n.rule_name, n.severity, n.weight, n.distance, n.subject, n.first_seen_utc, n.last_seen_utc, s.work_rank,
  s.base_name, s.application, s.channel_name, s.work_others, n.work_measure, s.work_value, n.work_unit, s.work_share_pct,
  CASE WHEN n.work_class = '116.1' AND s.work_rank IS NOT NULL THEN c.put_coverage_pct END AS put_coverage_pct,
  CASE
    WHEN s.work_rank IS NOT NULL THEN NULL
    WHEN n.work_measure IS NULL THEN 'the records do not show who'
    WHEN NOT coalesce(list_has_any(r.record_classes, n.work_classes), false) THEN array_to_string(list_sort(n.work_classes), ' and ') || ' not collected'
    ELSE 'no such work in the records'
  END AS work_missing
FROM wanted AS n
LEFT JOIN shown AS s ON s.lpar = n.lpar AND s.qmgr = n.qmgr AND s.rule_id = n.rule_id AND s.subject = n.subject
LEFT JOIN collected AS r ON r.lpar = n.lpar AND r.qmgr = n.qmgr
LEFT JOIN accounting_missed AS c ON c.lpar = n.lpar AND c.qmgr = n.qmgr
