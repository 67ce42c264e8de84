/*---
id      = "finding_work"
title   = "Applications, queues and channels whose work explains findings, and those that waited"
grain   = "one row per finding, role and rank: the first three, and one for all others; one without a rank if no work is shown"
needs   = ["finding", "work_measure", "interval_work", "queue_application_total", "accounting_missed", "record_count", "queue_sharing_group", "buffer_pool", "page_set"]
note    = "Rules state in their headers by which measures culprits are ranked, and victims: those that waited for something that they did not cause, such as a slow log copy. The work of all intervals from the first to the last in breach; of the whole period for rules that judge it. Shares of a finding add up to 100 %. Only what the records of the measure show: below 95 % coverage, the work of others may be more. What a queue kept is divided by who put more to it than it got, where accounting shows it. What fills a CF structure counts the work of all members of the queue-sharing group."

[columns]
first_seen_utc = { doc = "Start of the first interval in breach; null for rules that judge the whole period." }
last_seen_utc = { doc = "Start of the last interval in breach; null for rules that judge the whole period." }
work_role = { unit = "text", kind = "key", doc = "culprit: the work explains the finding; victim: it waited, or took longer.", label = "role", screen = 1 }
work_rank = { unit = "count", doc = "1 to 3 for the most work, 4 for all others together; null if no work is shown.", over = "same", label = "rank", screen = 1 }
base_name = { doc = "Name of the queue; the generated part of the name of dynamic queues is *; null for work of tasks and channels and for others." }
opened_as = { label = "opened as", screen = 2 }
application = { doc = "Application, where all addresses of a channel are one; null for figures of queue and channel statistics and for others." }
channel_name = { from = "interval_work" }
work_others = { unit = "count", doc = "Number of pairs of queue and application, or of channels, in the row of the others.", over = "add", label = "others", screen = 2 }
work_measure = { doc = "Kind of work, such as pages kept, log bytes or adapter time.", label = "work", screen = 1 }
work_value = { doc = "Value in work_unit.", label = "value", format = ",.0f", screen = 2 }
work_share_pct = { unit = "percent", doc = "Share of the work that the records show.", ratio = { numerator = "work_share_pct", denominator = "100", scale = 100, whole = ["lpar", "qmgr", "rule_id", "subject"] }, label = "share %", screen = 1 }
put_coverage_pct = { doc = "Puts in accounting as a share of those in statistics, for the whole queue manager; null for figures of queue and channel statistics.", over = "same", screen = 2 }
work_remark = { unit = "text", doc = "What the measure does not show; null if it shows what the rule is about." }
work_missing = { unit = "text", doc = "Why no work is shown: the records do not show who, the class was not collected, or its records of that time have no such work; null if work is shown.", label = "not shown because" }
---*/
WITH
stated AS (
  SELECT *, 'culprit' AS work_role, culprits AS work_measures FROM finding WHERE state = 'breach' AND culprits IS NOT NULL
  UNION ALL
  SELECT *, 'victim', victims FROM finding WHERE state = 'breach' AND victims IS NOT NULL
),
choices AS (
  -- A rule that names no measure is about something that no record connects with applications, queues or channels.
  SELECT * EXCLUDE (work_measures), unnest(work_measures) AS work_measure, generate_subscripts(work_measures, 1) AS choice
  FROM (SELECT * REPLACE (CASE WHEN len(work_measures) = 0 THEN [NULL]::VARCHAR[] ELSE work_measures END AS work_measures) FROM stated)
),
wanted AS (
  SELECT
    f.lpar, f.qmgr, f.rule_id, f.rule_name, f.severity, f.weight, f.distance, f.subject, f.first_seen_utc, f.last_seen_utc, f.work_role, f.choice,
    f.work_measure, m.work_figure, m.work_unit, m.work_class, m.work_over, m.work_of_group,
    CASE WHEN m.work_over = 'rise' THEN f.first_seen_utc - INTERVAL 1 DAY ELSE f.first_seen_utc END                            AS first_work_utc,
    try_cast(nullif(regexp_extract(f.subject, '^buffer pool (\d+)$', 1), '') AS BIGINT)  AS pool_id,
    try_cast(nullif(regexp_extract(f.subject, '^page set (\d+)$', 1), '') AS BIGINT)     AS page_set_id,
    try_cast(nullif(regexp_extract(f.subject, '^dispatcher (\d+)$', 1), '') AS BIGINT)   AS dispatcher_number,
    CASE WHEN f.rule_id = 'LK002' THEN 11
      ELSE try_cast(nullif(regexp_extract(f.subject, ', latch class (\d+)$', 1), '') AS BIGINT) END AS latch_class,
    nullif(regexp_extract(f.subject, '^structure (\S+)', 1), '')                         AS cf_structure,
    CASE WHEN f.rule_area IN ('queue', 'cf')
      THEN nullif(regexp_replace(regexp_extract(f.subject, '^(shared )?queue (.*)$', 2), '[0-9A-F]{16}$', '*'), '') END AS queue_group
  FROM choices AS f
  LEFT JOIN work_measure AS m ON m.work_measure = f.work_measure
),
-- A structure is filled by all members of its group.
member AS (
  SELECT g.lpar, g.qmgr, o.lpar AS member_lpar, o.qmgr AS member_qmgr, g.lpar = o.lpar AND g.qmgr = o.qmgr AS same_qmgr
  FROM queue_sharing_group AS g
  JOIN queue_sharing_group AS o ON (o.lpar = g.lpar AND o.qmgr = g.qmgr) OR o.qsg = g.qsg
),
figure AS (
  SELECT
    n.lpar, n.qmgr, n.rule_id, n.subject, n.work_role, n.choice, n.work_over, n.work_class, w.work_measure, w.interval_start_utc, w.queue_group,
    -- A shared queue has the same depth on all members.
    CASE WHEN w.work_measure NOT IN ('pages held', 'bytes held') THEN w.lpar || ' ' || w.qmgr END AS member,
    w.application_group, w.channel_name, w.work_value, w.work_before,
    n.first_seen_utc IS NULL OR w.interval_end_utc > n.first_seen_utc + INTERVAL 1 SECOND AS in_breach
  FROM wanted AS n
  JOIN member AS g ON g.lpar = n.lpar AND g.qmgr = n.qmgr AND (g.same_qmgr OR n.work_of_group)
  JOIN interval_work AS w
    ON w.lpar = g.member_lpar AND w.qmgr = g.member_qmgr
    AND (w.work_measure = n.work_figure OR (n.work_class = '115.216' AND w.work_measure IN ('messages put', 'messages put minus got')))
  WHERE (n.pool_id IS NULL OR w.pool_id = n.pool_id)
    AND (n.page_set_id IS NULL OR w.page_set_id = n.page_set_id)
    AND (n.dispatcher_number IS NULL OR w.dispatcher_number = n.dispatcher_number)
    AND (n.latch_class IS NULL OR w.latch_class = n.latch_class)
    AND (n.cf_structure IS NULL OR w.cf_structure = n.cf_structure)
    AND (n.queue_group IS NULL OR w.queue_group = n.queue_group)
    -- Channel records begin a little later than the interval; other members have intervals of their own.
    AND (n.first_seen_utc IS NULL
      OR (w.interval_end_utc > n.first_work_utc + INTERVAL 1 SECOND AND w.interval_start_utc <= n.last_seen_utc + INTERVAL 1 SECOND))
),
interval_total AS (
  SELECT
    lpar, qmgr, rule_id, subject, work_role, choice, work_over, work_class, work_measure, interval_start_utc, queue_group, member, application_group,
    max(channel_name) AS channel_name, bool_or(in_breach) AS in_breach, max(work_before) AS work_before,
    CASE WHEN work_over = 'max' OR work_measure IN ('pages held', 'bytes held') THEN max(work_value) ELSE sum(work_value) END AS work_value
  FROM figure
  GROUP BY
    lpar, qmgr, rule_id, subject, work_role, choice, work_over, work_class, work_measure, interval_start_utc, queue_group, member, application_group,
    CASE WHEN application_group IS NULL THEN channel_name END
),
worked AS (
  SELECT
    lpar, qmgr, rule_id, subject, work_role, choice, work_class, work_measure, queue_group, member, application_group,
    max(channel_name) AS channel_name,
    CASE
      WHEN work_over = 'sum' OR work_measure LIKE 'messages put%' THEN sum(work_value)
      WHEN work_over = 'rise' THEN max(work_value) FILTER (in_breach) - arg_min(work_before, interval_start_utc)
      ELSE max(work_value) FILTER (in_breach) END AS work_value
  FROM interval_total
  GROUP BY
    lpar, qmgr, rule_id, subject, work_role, choice, work_over, work_class, work_measure, queue_group, member, application_group,
    CASE WHEN application_group IS NULL THEN channel_name END
),
-- What one application put and another one on the same queue manager got is not kept, nor is what other members got.
netted AS (
  SELECT
    *,
    sum(work_value) OVER of_member              AS member_value,
    sum(greatest(0, work_value)) OVER of_member AS member_positive,
    sum(work_value) OVER of_queue               AS queue_value
  FROM worked
  WHERE work_class <> '115.216' OR work_measure LIKE 'messages put%'
  WINDOW
    of_member AS (PARTITION BY lpar, qmgr, rule_id, subject, work_role, choice, work_measure, queue_group, member),
    of_queue AS (PARTITION BY lpar, qmgr, rule_id, subject, work_role, choice, work_measure, queue_group)
),
gained AS (
  SELECT
    * EXCLUDE (work_value),
    greatest(0, member_value) * greatest(0, work_value) / nullif(member_positive, 0) AS member_part
  FROM netted
  WHERE queue_value > 0
),
divided AS (
  SELECT
    lpar, qmgr, rule_id, subject, work_role, choice, work_class, work_measure, queue_group, application_group, max(channel_name) AS channel_name,
    sum(member_part * queue_value / nullif(whole_part, 0)) AS work_value
  FROM (
    SELECT *, sum(member_part) OVER (PARTITION BY lpar, qmgr, rule_id, subject, work_role, choice, work_measure, queue_group) AS whole_part FROM gained
  )
  WHERE member_part > 0
  GROUP BY
    lpar, qmgr, rule_id, subject, work_role, choice, work_class, work_measure, queue_group, application_group,
    CASE WHEN application_group IS NULL THEN channel_name END
),
-- Queue statistics do not show who put the messages that a queue kept. Accounting does: those that put more than they got, else those that put.
putting AS (
  SELECT
    *,
    work_value / sum(work_value) OVER (PARTITION BY lpar, qmgr, rule_id, subject, work_role, choice, queue_group) AS share
  FROM (
    SELECT *, min(work_measure <> 'messages put minus got') OVER (PARTITION BY lpar, qmgr, rule_id, subject, work_role, choice, queue_group) AS only_puts
    FROM divided
    WHERE work_class = '115.216'
  )
  WHERE only_puts = (work_measure = 'messages put')
),
done AS (
  SELECT lpar, qmgr, rule_id, subject, work_role, choice, queue_group, application_group, channel_name, work_value FROM divided WHERE work_class <> '115.216'
  UNION ALL
  SELECT
    w.lpar, w.qmgr, w.rule_id, w.subject, w.work_role, w.choice, w.queue_group, p.application_group, p.channel_name,
    w.work_value * coalesce(p.share, 1)
  FROM worked AS w
  LEFT JOIN putting AS p
    ON p.lpar = w.lpar AND p.qmgr = w.qmgr AND p.rule_id = w.rule_id AND p.subject IS NOT DISTINCT FROM w.subject AND p.work_role = w.work_role
    AND p.choice = w.choice AND p.queue_group = w.queue_group
  WHERE w.work_class = '115.216' AND w.work_measure NOT LIKE 'messages put%' AND w.work_value > 0
),
room AS (
  SELECT lpar, qmgr, pool_id, NULL AS page_set_id, max(buffers) AS pages FROM buffer_pool GROUP BY ALL
  UNION ALL
  SELECT lpar, qmgr, NULL, page_set_id, max(total_pages) FROM page_set GROUP BY ALL
),
-- Queues that kept less than a twentieth of the buffers or pages did not fill them.
filled AS (
  SELECT d.*
  FROM done AS d
  JOIN wanted AS n
    ON n.lpar = d.lpar AND n.qmgr = d.qmgr AND n.rule_id = d.rule_id AND n.subject IS NOT DISTINCT FROM d.subject AND n.work_role = d.work_role AND n.choice = d.choice
  LEFT JOIN room AS r ON r.lpar = n.lpar AND r.qmgr = n.qmgr AND (r.pool_id = n.pool_id OR r.page_set_id = n.page_set_id)
  QUALIFY n.work_measure NOT IN ('pages kept', 'pages put minus got') OR r.pages IS NULL
    OR sum(d.work_value) OVER (PARTITION BY d.lpar, d.qmgr, d.rule_id, d.subject, d.work_role, d.choice) >= 0.05 * r.pages
),
decided AS (
  SELECT *, min(choice) OVER (PARTITION BY lpar, qmgr, rule_id, subject, work_role) AS first_choice FROM filled
),
ranked AS (
  SELECT
    *,
    least(4, row_number() OVER (
      PARTITION BY lpar, qmgr, rule_id, subject, work_role ORDER BY work_value DESC, queue_group, application_group, channel_name
    )) AS work_rank,
    sum(work_value) OVER (PARTITION BY lpar, qmgr, rule_id, subject, work_role) AS whole
  FROM decided
  WHERE choice = first_choice
),
shown AS (
  SELECT
    lpar, qmgr, rule_id, subject, work_role, choice, work_rank,
    CASE WHEN work_rank < 4 THEN max(queue_group) END       AS base_name,
    CASE WHEN work_rank < 4 THEN max(application_group) END AS application,
    CASE WHEN work_rank < 4 THEN max(channel_name) END      AS channel_name,
    CASE WHEN work_rank = 4 THEN count(*) END               AS work_others,
    sum(work_value)                                         AS work_value,
    100 * sum(work_value) / max(whole)                      AS work_share_pct
  FROM ranked
  GROUP BY lpar, qmgr, rule_id, subject, work_role, choice, work_rank
),
listed AS (
  SELECT
    n.*, s.work_rank, s.base_name, s.application, s.channel_name, s.work_others, s.work_value, s.work_share_pct,
    list(n.work_class) OVER finding_role AS work_classes,
    bool_or(s.work_rank IS NOT NULL) OVER finding_role AS is_shown
  FROM wanted AS n
  LEFT JOIN shown AS s
    ON s.lpar = n.lpar AND s.qmgr = n.qmgr AND s.rule_id = n.rule_id AND s.subject IS NOT DISTINCT FROM n.subject AND s.work_role = n.work_role AND s.choice = n.choice
  WINDOW finding_role AS (PARTITION BY n.lpar, n.qmgr, n.rule_id, n.subject, n.work_role)
),
opened AS (
  SELECT lpar, qmgr, base_name, application_group, max(opened_as) AS opened_as
  FROM queue_application_total
  WHERE opened_as IS NOT NULL
  GROUP BY lpar, qmgr, base_name, application_group
),
collected AS (
  SELECT lpar, qmgr, list(DISTINCT record_class) AS record_classes FROM record_count GROUP BY lpar, qmgr
)
SELECT
  n.lpar, n.qmgr, n.rule_id, n.rule_name, n.severity, n.weight, n.distance, n.subject, n.first_seen_utc, n.last_seen_utc, n.work_role, n.work_rank,
  n.base_name, o.opened_as, n.application, n.channel_name, n.work_others, n.work_measure, n.work_value, n.work_unit, n.work_share_pct,
  CASE WHEN n.work_class = '116.1' AND n.work_rank IS NOT NULL THEN c.put_coverage_pct END AS put_coverage_pct,
  CASE
    WHEN n.work_rank IS NULL OR n.work_measure <> 'pages put' OR NOT list_contains(n.work_classes, '115.216') THEN NULL
    WHEN list_contains(r.record_classes, '115.216') THEN 'by puts: no queue kept much more than before'
    ELSE 'by puts: how much was kept is not recorded'
  END AS work_remark,
  CASE
    WHEN n.work_rank IS NOT NULL THEN NULL
    WHEN n.work_measure IS NULL THEN 'the records do not show who'
    WHEN NOT coalesce(list_has_any(r.record_classes, n.work_classes), false)
      THEN array_to_string(list_sort(list_distinct(n.work_classes)), ' and ') || ' not collected'
    ELSE 'no ' || n.work_measure || ' in the ' || array_to_string(list_sort(list_distinct(n.work_classes)), ' and ') || ' records of that time'
  END AS work_missing
FROM listed AS n
LEFT JOIN opened AS o ON o.lpar = n.lpar AND o.qmgr = n.qmgr AND o.base_name = n.base_name AND o.application_group = n.application
LEFT JOIN collected AS r ON r.lpar = n.lpar AND r.qmgr = n.qmgr
LEFT JOIN accounting_missed AS c ON c.lpar = n.lpar AND c.qmgr = n.qmgr
WHERE n.work_rank IS NOT NULL OR (n.choice = 1 AND NOT n.is_shown)
