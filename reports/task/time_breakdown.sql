/*---
id       = "task/time_breakdown"
title    = "Where MQ time goes"
question = "For each kind of call: where does the time go: CPU, log, CF, page set, Db2, latch or other wait?"
needs    = ["application_verb", "application_period"]
grain    = ["lpar", "qmgr", "application", "verb_name"]
drill_down = ["log/io", "latch/lens"]
note     = "Averages are per call. Log, page set and suspension are parts of the elapsed time of the call and overlap: they are never added. The wait of MQGET for a message is outside MQ's call times. The last columns are of the whole task, once for all its verbs: the log forces of commit, prepare and other calls are one counter. Times of Advanced Message Security and SRBs are not included."

[columns]
lpar = { screen = 2 }
application = { label = "" }
average_et_us = { unit = "us", label = "avg µs", screen = 1, doc = "Mean elapsed time of a call.", ratio = { numerator = "verb_et_us", denominator = "verb_calls" } }
average_cpu_us = { unit = "us", label = "avg CPU", screen = 1, doc = "Mean CPU time of a call.", ratio = { numerator = "verb_cpu_us", denominator = "verb_calls" } }
average_wait_us = { unit = "us", label = "avg wait", screen = 1, doc = "Mean elapsed time minus CPU time of a call.", ratio = { numerator = "wait_us", denominator = "verb_calls" } }
suspend_us = { unit = "us", kind = "counter", label = "suspend", screen = 2, doc = "Mean time suspended in a call; null for verbs without this field.", ratio = { numerator = "verb_suspend_us", denominator = "verb_calls" } }
log_write_us = { unit = "us", label = "log write", screen = 3, doc = "Mean time of log writes without force in a call; null for verbs without this field.", ratio = { numerator = "verb_log_write_us", denominator = "verb_calls" } }
log_force_us = { unit = "us", label = "log force", screen = 1, doc = "Mean time of forced log writes in a call; null for verbs without this field.", ratio = { numerator = "verb_log_force_us", denominator = "verb_calls" } }
page_set_us = { unit = "us", label = "page set", screen = 2, doc = "Mean time of page set access in a call; null for verbs without this field.", ratio = { numerator = "verb_page_set_us", denominator = "verb_calls" } }
share_of_mq_time_pct = { unit = "percent", label = "time %", screen = 1, doc = "Elapsed time of the verb as a share of that of all calls of the application.", ratio = { numerator = "verb_et_us", denominator = "mq_et_us", scale = 100, whole = ["lpar", "qmgr", "application"] } }
share_of_mq_cpu_pct = { unit = "percent", label = "CPU %", screen = 1, doc = "CPU time of the verb as a share of that of all calls of the application.", ratio = { numerator = "verb_cpu_us", denominator = "mq_cpu_us", scale = 100, whole = ["lpar", "qmgr", "application"] } }
db2_us_per_task = { unit = "us", label = "Db2/task", screen = 3, doc = "Db2 elapsed time per task.", ratio = { numerator = "db2_us", denominator = "tasks" } }
latch_us_per_task = { unit = "us", label = "latch/task", screen = 3, doc = "Time waiting for latches per task.", ratio = { numerator = "latch_wait_us", denominator = "tasks" } }
cf_us_per_task = { unit = "us", label = "CF/task", screen = 3, doc = "Elapsed time of calls to CF structures per task.", ratio = { numerator = "cf_us", denominator = "tasks" } }
smds_us_per_task = { unit = "us", label = "SMDS/task", screen = 3, doc = "Time waiting for SMDS I/O per task.", ratio = { numerator = "smds_us", denominator = "tasks" } }
task_log_force_us_per_task = { unit = "us", label = "log force/task", screen = 2, doc = "Time of forced log writes of commits, prepares and other calls without a queue, per task.", ratio = { numerator = "task_log_force_us", denominator = "tasks" } }
waiting_for = { unit = "text", label = "waiting for", screen = 1, doc = "Largest part of the waiting time of the call: log force, page set, other suspension or unexplained; of calls without a queue: log force, Db2, latch, CF, SMDS or unexplained, by the sums of the whole task. Null if less than a tenth of the elapsed time is waiting." }
---*/
WITH part AS (
  SELECT
    v.*,
    greatest(v.verb_et_us - v.verb_cpu_us, 0)                       AS wait_us,
    a.mq_et_us, a.mq_cpu_us, a.tasks, a.db2_us, a.latch_wait_us, a.cf_us, a.smds_us, a.task_log_force_us,
    -- Calls on queues have their own waits; the waits of all other calls are counted once for the task.
    greatest(coalesce(v.verb_suspend_us, 0) - coalesce(v.verb_log_force_us, 0) - coalesce(v.verb_page_set_us, 0), 0) AS other_suspend_us,
    v.verb_number <= 8                                              AS on_queue
  FROM application_verb AS v
  LEFT JOIN (
    SELECT
      lpar, qmgr, application, sum(mq_et_us)::BIGINT AS mq_et_us, sum(mq_cpu_us)::BIGINT AS mq_cpu_us, sum(tasks)::BIGINT AS tasks,
      sum(db2_us)::BIGINT AS db2_us, sum(latch_wait_us)::BIGINT AS latch_wait_us, sum(cf_us)::BIGINT AS cf_us, sum(smds_us)::BIGINT AS smds_us,
      sum(task_log_force_us)::BIGINT AS task_log_force_us
    FROM application_period
    GROUP BY lpar, qmgr, application
  ) AS a ON a.lpar = v.lpar AND a.qmgr = v.qmgr AND a.application IS NOT DISTINCT FROM v.application
),
cause AS (
  SELECT
    *,
    CASE
      WHEN on_queue THEN list_max([
        {'us': coalesce(verb_log_force_us, 0), 'rank': 4, 'name': 'log force'},
        {'us': coalesce(verb_page_set_us, 0), 'rank': 3, 'name': 'page set'},
        {'us': other_suspend_us, 'rank': 2, 'name': 'other suspension'},
        {'us': wait_us - greatest(coalesce(verb_suspend_us, 0), coalesce(verb_log_force_us, 0) + coalesce(verb_page_set_us, 0)), 'rank': 1, 'name': 'unexplained'}
      ])
      ELSE list_max([
        {'us': least(coalesce(task_log_force_us, 0), wait_us), 'rank': 6, 'name': 'log force'},
        {'us': least(coalesce(db2_us, 0), wait_us), 'rank': 5, 'name': 'Db2'},
        {'us': least(coalesce(cf_us, 0), wait_us), 'rank': 4, 'name': 'CF'},
        {'us': least(coalesce(smds_us, 0), wait_us), 'rank': 3, 'name': 'SMDS'},
        {'us': least(coalesce(latch_wait_us, 0), wait_us), 'rank': 2, 'name': 'latch'},
        {'us': 1, 'rank': 1, 'name': 'unexplained'}
      ])
    END AS largest
  FROM part
)
SELECT
  lpar, qmgr, application, verb_name, verb_calls, verb_et_us,
  verb_et_us / nullif(verb_calls, 0)               AS average_et_us,
  verb_cpu_us / nullif(verb_calls, 0)              AS average_cpu_us,
  wait_us / nullif(verb_calls, 0)                  AS average_wait_us,
  verb_suspend_us / nullif(verb_calls, 0)          AS suspend_us,
  verb_log_write_us / nullif(verb_calls, 0)        AS log_write_us,
  verb_log_force_us / nullif(verb_calls, 0)        AS log_force_us,
  verb_page_set_us / nullif(verb_calls, 0)         AS page_set_us,
  pct(verb_et_us, mq_et_us)                        AS share_of_mq_time_pct,
  pct(verb_cpu_us, mq_cpu_us)                      AS share_of_mq_cpu_pct,
  db2_us / nullif(tasks, 0)                        AS db2_us_per_task,
  latch_wait_us / nullif(tasks, 0)                 AS latch_us_per_task,
  cf_us / nullif(tasks, 0)                         AS cf_us_per_task,
  smds_us / nullif(tasks, 0)                       AS smds_us_per_task,
  task_log_force_us / nullif(tasks, 0)             AS task_log_force_us_per_task,
  CASE WHEN 10 * wait_us >= verb_et_us AND wait_us > 0 THEN largest.name END AS waiting_for
FROM cause
ORDER BY verb_et_us DESC NULLS LAST, lpar, qmgr, application, verb_name
