/*---
id       = "collection/accounting_coverage"
title    = "Accounting compared with statistics"
question = "How much of the message activity is visible in class 3, and which part is lost or not accounted?"
needs    = ["message_manager", "queue_use", "task", "queue_statistics", "record_count"]
rules    = ["CV009", "DQ009"]
unmarked = "A row is an hour; CV009 and DQ009 judge the queue manager over the whole period."
grain    = ["lpar", "qmgr", "hour_start_utc"]
drill_down = ["overview/coverage"]
note     = "Class 3 is written when a task or its accounting interval ends, so one hour can exceed 100 %: add up the hours of a day. Judge the coverage by puts: accounting counts gets of consumers by callback and the statistics of the message manager do not."

[columns]
hour_start_utc = { doc = "Start of the hour in which the intervals ended." }
hour_local = { doc = "Start of the hour in which the intervals ended, local time." }
statistics_puts = { unit = "count", label = "puts", screen = 1, doc = "Puts that statistics count.", over = "add" }
accounting_puts = { unit = "count", label = "accounted", screen = 1, doc = "Puts in class 3 accounting.", over = "add" }
put_coverage_pct = { unit = "percent", label = "puts %", screen = 1, doc = "Puts in accounting as a share of those in statistics.", ratio = { numerator = "accounting_puts", denominator = "statistics_puts", scale = 100 } }
statistics_gets = { unit = "count", label = "gets", screen = 2, doc = "MQGETs that statistics count.", over = "add" }
accounting_gets = { unit = "count", label = "accounted gets", screen = 2, doc = "Gets in class 3 accounting, consumers by callback included.", over = "add" }
get_coverage_pct = { unit = "percent", label = "gets %", screen = 2, doc = "Gets in accounting as a share of those in statistics.", ratio = { numerator = "accounting_gets", denominator = "statistics_gets", scale = 100 } }
statistics_opens = { unit = "count", label = "opens", screen = 3, doc = "MQOPENs that statistics count.", over = "add" }
accounting_opens = { unit = "count", label = "accounted opens", screen = 3, doc = "MQOPENs in class 3 accounting.", over = "add" }
queue_statistics_puts = { unit = "count", label = "queue statistics puts", screen = 3, doc = "Puts in queue statistics (class 5).", over = "add" }
queue_statistics_coverage_pct = { unit = "percent", label = "class 5 %", screen = 1, doc = "Puts in queue statistics as a share of those in statistics.", ratio = { numerator = "queue_statistics_puts", denominator = "statistics_puts", scale = 100 } }
queues_without_accounting = { unit = "count", label = "queues off", screen = 1, doc = "Queues that tasks used with accounting off for the queue (ACCTQ).", over = "max" }
tasks_older_than_data = { unit = "count", label = "older tasks", screen = 2, doc = "Task records whose task started before the first record of the queue manager.", over = "add" }
---*/
WITH
first_record AS (
  SELECT lpar, qmgr, min(first_written_local - to_minutes(coalesce(gmt_offset_minutes, 0)::BIGINT)) AS first_utc
  FROM record_count
  GROUP BY lpar, qmgr
),
counted AS (
  -- An interval belongs to the hour of its end, as task records do.
  SELECT
    lpar, qmgr, interval_end_utc - INTERVAL 1 SECOND AS at_utc, coalesce(interval_start_local - interval_start_utc, INTERVAL 0 SECOND) AS ahead,
    total_puts AS puts, gets, opens, NULL AS queue_puts
  FROM message_manager
  UNION ALL
  SELECT
    lpar, qmgr, interval_end_utc - INTERVAL 1 SECOND, coalesce(interval_start_local - interval_start_utc, INTERVAL 0 SECOND), NULL, NULL, NULL,
    messages_put
  FROM queue_statistics
),
counted_hour AS (
  SELECT
    lpar, qmgr, date_trunc('hour', at_utc + ahead) - ahead AS hour_start_utc, min(date_trunc('hour', at_utc + ahead)) AS hour_local,
    sum(puts)::BIGINT AS puts, sum(gets)::BIGINT AS gets, sum(opens)::BIGINT AS opens, sum(queue_puts)::BIGINT AS queue_puts
  FROM counted
  WHERE at_utc IS NOT NULL
  GROUP BY lpar, qmgr, date_trunc('hour', at_utc + ahead) - ahead
),
block AS (
  SELECT
    task_record_id, sum(puts + put1s)::BIGINT AS puts, sum(gets)::BIGINT AS gets, sum(opens)::BIGINT AS opens, count(*) AS blocks,
    list(DISTINCT base_name) FILTER (no_accounting) AS queues_off
  FROM queue_use
  GROUP BY task_record_id
),
task_hours AS (
  SELECT
    t.lpar, t.qmgr, t.task_hour_start_utc AS hour_start_utc, min(t.task_hour_start_local) AS hour_local,
    coalesce(sum(b.puts), 0)::BIGINT AS puts, coalesce(sum(b.gets), 0)::BIGINT AS gets, coalesce(sum(b.opens), 0)::BIGINT AS opens,
    (coalesce(sum(t.queue_blocks), 0) - coalesce(sum(b.blocks), 0))::BIGINT AS missing_queue_blocks,
    len(list_distinct(flatten(list(coalesce(b.queues_off, []::VARCHAR[]))))) AS queues_off,
    count(*) FILTER (t.task_start_utc < f.first_utc) AS older
  FROM task AS t
  JOIN first_record AS f ON f.lpar = t.lpar AND f.qmgr = t.qmgr
  LEFT JOIN block AS b ON b.task_record_id = t.record_id
  WHERE t.task_hour_start_utc IS NOT NULL
  GROUP BY t.lpar, t.qmgr, t.task_hour_start_utc
)
SELECT
  coalesce(c.lpar, t.lpar)                      AS lpar,
  coalesce(c.qmgr, t.qmgr)                      AS qmgr,
  coalesce(c.hour_start_utc, t.hour_start_utc)  AS hour_start_utc,
  coalesce(c.hour_local, t.hour_local)          AS hour_local,
  c.puts                                        AS statistics_puts,
  t.puts                                        AS accounting_puts,
  pct(t.puts, c.puts)                           AS put_coverage_pct,
  c.gets                                        AS statistics_gets,
  t.gets                                        AS accounting_gets,
  pct(t.gets, c.gets)                           AS get_coverage_pct,
  c.opens                                       AS statistics_opens,
  t.opens                                       AS accounting_opens,
  c.queue_puts                                  AS queue_statistics_puts,
  pct(c.queue_puts, c.puts)                     AS queue_statistics_coverage_pct,
  t.queues_off                                  AS queues_without_accounting,
  t.missing_queue_blocks,
  t.older                                       AS tasks_older_than_data
FROM counted_hour AS c
FULL JOIN task_hours AS t ON t.lpar = c.lpar AND t.qmgr = c.qmgr AND t.hour_start_utc = c.hour_start_utc
ORDER BY lpar, qmgr, hour_start_utc
