/*---
id      = "latch_hour"
title   = "Latch waits by hour, with what may explain them"
grain   = "one row per lpar, qmgr, hour and latch class with a wait"
needs   = ["task_latch", "task", "queue_use", "buffer_pool", "log", "data_manager", "latch_class"]
classes = ["116.1"]
note    = "A task counts for the hour in which its accounting interval ended. Queue, pool and opens are those of all queues of the tasks that waited. Pool, log and object figures are those of the statistics intervals that start in the hour."

[columns]
hour_start_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the hour in GMT.", label = "hour", screen = 1 }
hour_local = { unit = "ts_local", kind = "clock", doc = "Start of the local hour.", label = "local hour" }
tasks_waiting = { unit = "count", doc = "Tasks with a wait for the latch class.", over_time = "max", across = "add", label = "tasks", screen = 1 }
longest_us = { unit = "us", doc = "Longest wait for this latch class.", over = "max", label = "longest µs", screen = 1 }
share_of_mq_time_pct = { unit = "percent", doc = "Waits for this latch class as a share of the elapsed time of all tasks of the hour in MQ calls.", ratio = { numerator = "latch_class_wait_us", denominator = "latch_class_wait_us * 100 / nullif(share_of_mq_time_pct, 0)", scale = 100 }, across = "none", why = "The time of an hour would count for each latch class.", label = "of MQ time %", screen = 1 }
top_application = { unit = "text", doc = "Application that waited most for it.", label = "most by", screen = 2 }
top_queue = { unit = "text", doc = "A queue of the task that waited most for it: the one with most calls.", label = "queue", screen = 2 }
top_pool = { unit = "id", doc = "Buffer pool of that queue; null if not known.", label = "pool", screen = 3 }
pool_latch_wait_us = { doc = "Time that the tasks waited for buffer pool latches.", over_time = "add", across = "max", label = "pool latch µs" }
steal_contention = { doc = "Contended buffer steals of that pool in the hour.", over_time = "add", across = "max", label = "steal contention" }
log_buffer_waits = { over_time = "add", across = "max", label = "log buffer waits" }
object_creates = { over_time = "add", across = "max", label = "objects created", screen = 0 }
opens_with_cf = { doc = "Opens of shared queues, by the tasks that waited, that went to the coupling facility.", over_time = "add", across = "max", screen = 3 }
---*/
WITH
wait AS (
  SELECT
    q.lpar, q.qmgr, t.task_hour_start_utc AS hour_start_utc, t.task_hour_start_local AS hour_local, q.latch_class, q.latch_name, q.record_id,
    t.task_interval_start_utc, t.task_correlator, t.application, t.pool_latch_wait_us, q.latch_class_waits, q.latch_class_wait_us, q.latch_class_longest_us
  FROM task_latch AS q
  JOIN task AS t ON t.record_id = q.record_id
  WHERE t.task_hour_start_utc IS NOT NULL
),
used AS (
  SELECT
    task_record_id,
    sum(opens_with_cf)::BIGINT                                                                          AS opens_with_cf,
    max({'calls': queue_calls, 'name': base_name, 'pool': pool_id}) FILTER (base_name IS NOT NULL)      AS busiest
  FROM queue_use
  WHERE task_record_id IN (SELECT record_id FROM wait)
  GROUP BY task_record_id
),
summed AS (
  SELECT
    w.lpar, w.qmgr, w.hour_start_utc, w.latch_class,
    min(w.hour_local)                          AS hour_local,
    any_value(w.latch_name)                    AS latch_name,
    count(DISTINCT w.task_correlator)          AS tasks_waiting,
    sum(w.latch_class_waits)::BIGINT           AS latch_class_waits,
    sum(w.latch_class_wait_us)::BIGINT         AS latch_class_wait_us,
    max(w.latch_class_longest_us)              AS longest_us,
    sum(w.pool_latch_wait_us)::BIGINT          AS pool_latch_wait_us,
    sum(u.opens_with_cf)::BIGINT               AS opens_with_cf,
    max({'us': w.latch_class_wait_us, 'earlier': -epoch_us(w.task_interval_start_utc), 'record': -w.record_id, 'queue': u.busiest.name, 'pool': u.busiest.pool}) AS most
  FROM wait AS w
  LEFT JOIN used AS u ON u.task_record_id = w.record_id
  GROUP BY w.lpar, w.qmgr, w.hour_start_utc, w.latch_class
),
top AS (
  SELECT lpar, qmgr, hour_start_utc, latch_class, min({'us': -us, 'name': application})['name'] AS top_application
  FROM (
    SELECT lpar, qmgr, hour_start_utc, latch_class, application, sum(latch_class_wait_us)::BIGINT AS us
    FROM wait
    GROUP BY lpar, qmgr, hour_start_utc, latch_class, application
  )
  GROUP BY lpar, qmgr, hour_start_utc, latch_class
),
spent AS (
  SELECT lpar, qmgr, task_hour_start_utc AS hour_start_utc, sum(mq_et_us) AS mq_et_us
  FROM task
  GROUP BY lpar, qmgr, task_hour_start_utc
),
pool AS (
  SELECT
    lpar, qmgr, pool_id, date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc) AS hour_start_utc,
    sum(steal_contention)::BIGINT AS steal_contention
  FROM buffer_pool
  GROUP BY lpar, qmgr, pool_id, date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc)
),
logged AS (
  SELECT
    lpar, qmgr, date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc) AS hour_start_utc,
    sum(log_buffer_waits)::BIGINT AS log_buffer_waits
  FROM log
  GROUP BY lpar, qmgr, date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc)
),
objects AS (
  SELECT
    lpar, qmgr, date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc) AS hour_start_utc,
    sum(object_creates)::BIGINT AS object_creates
  FROM data_manager
  GROUP BY lpar, qmgr, date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc)
)
SELECT
  s.lpar, s.qmgr, s.hour_start_utc, s.hour_local, s.latch_class, s.latch_name, s.tasks_waiting, s.latch_class_waits, s.latch_class_wait_us,
  s.latch_class_wait_us / nullif(s.latch_class_waits, 0)       AS average_latch_wait_us,
  s.longest_us,
  pct(s.latch_class_wait_us, n.mq_et_us)                       AS share_of_mq_time_pct,
  t.top_application,
  s.most.queue                                                 AS top_queue,
  s.most.pool                                                  AS top_pool,
  s.pool_latch_wait_us, p.steal_contention, l.log_buffer_waits, o.object_creates, s.opens_with_cf, c.likely_cause
FROM summed AS s
LEFT JOIN top AS t
  ON t.lpar = s.lpar AND t.qmgr = s.qmgr AND t.hour_start_utc = s.hour_start_utc AND t.latch_class = s.latch_class
LEFT JOIN spent AS n ON n.lpar = s.lpar AND n.qmgr = s.qmgr AND n.hour_start_utc = s.hour_start_utc
LEFT JOIN pool AS p
  ON p.lpar = s.lpar AND p.qmgr = s.qmgr AND p.hour_start_utc = s.hour_start_utc AND p.pool_id = s.most.pool
LEFT JOIN logged AS l ON l.lpar = s.lpar AND l.qmgr = s.qmgr AND l.hour_start_utc = s.hour_start_utc
LEFT JOIN objects AS o ON o.lpar = s.lpar AND o.qmgr = s.qmgr AND o.hour_start_utc = s.hour_start_utc
LEFT JOIN latch_class AS c ON c.latch_class = s.latch_class
