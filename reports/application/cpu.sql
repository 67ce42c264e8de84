/*---
id       = "application/cpu"
title    = "CPU by application"
question = "Who uses the MQ CPU: application, connection type, per message, per hour?"
needs    = ["application_period", "application_hour", "work_unattributed", "coverage_calls"]
grain    = ["lpar", "qmgr", "connection_type_name", "application"]
drill_down = ["task/time_breakdown"]
note     = "CPU time in MQ calls, from class 3 accounting: not the time of application logic, of Advanced Message Security or of SRBs. Rows of application unattributed have what class 1 and statistics count and class 3 does not attribute; shares add up to 100 % with them. Accounting coverage is that of the queue manager: below 95 %, all figures are of what accounting saw."

[columns]
lpar = { screen = 2 }
connection_type_name = { label = "type", screen = 1, doc = "Connection type; of application unattributed the reason." }
application = { doc = "Application; all clients of a channel are one application. Names of the site file replace it. Rows of unattributed have work that belongs to no application.", label = "" }
task_records = { label = "records", screen = 3 }
tasks = { screen = 2 }
mq_cpu_s = { unit = "s", label = "CPU s", screen = 1, doc = "CPU time in MQ calls.", over = "add" }
share_of_cpu_pct = { unit = "percent", label = "CPU %", screen = 1, doc = "Share of the CPU time of all rows of the queue manager.", ratio = { numerator = "mq_cpu_s", denominator = "sum(mq_cpu_s) OVER (PARTITION BY lpar, qmgr)", scale = 100, whole = ["lpar", "qmgr"] } }
queue_cpu_s = { unit = "s", label = "queues s", screen = 2, doc = "CPU time of the calls on queues.", over = "add" }
other_verbs_cpu_s = { unit = "s", label = "other verbs s", screen = 2, doc = "CPU time of the calls that are not for one queue.", over = "add" }
put_mib = { unit = "mib", label = "put MiB", screen = 3, doc = "Data put, in units of 1048576 bytes.", over = "add" }
get_mib = { unit = "mib", label = "got MiB", screen = 3, doc = "Data got, in units of 1048576 bytes.", over = "add" }
cpu_per_message_us = { unit = "us", label = "CPU µs/message", screen = 1, doc = "CPU time in MQ calls per message put or got.", ratio = { numerator = "q.mq_cpu_us", denominator = "q.task_messages" } }
calls_per_message = { unit = "ratio", label = "calls/message", screen = 2, doc = "Calls per message put or got.", ratio = { numerator = "q.mq_calls", denominator = "q.task_messages" } }
messages_per_commit = { unit = "ratio", label = "messages/commit", screen = 3, doc = "Messages put and got per commit.", ratio = { numerator = "q.task_messages", denominator = "q.commits" } }
log_mib = { unit = "mib", label = "log MiB", screen = 3, doc = "Data written to the log, in units of 1048576 bytes.", over = "add" }
mq_et_s = { unit = "s", label = "elapsed s", screen = 3, doc = "Elapsed time in MQ calls.", over = "add" }
cpu_share_of_et_pct = { unit = "percent", label = "CPU % of elapsed", screen = 3, doc = "CPU time as a share of the elapsed time in MQ calls.", ratio = { numerator = "q.mq_cpu_us", denominator = "q.mq_et_us", scale = 100 } }
peak_hour_local = { unit = "ts_local", kind = "clock", label = "peak hour", screen = 2, doc = "Local hour with the most CPU time." }
peak_hour_cpu_s = { unit = "s", label = "peak s", screen = 2, doc = "CPU time in MQ calls in that hour.", over = "max" }
accounting_coverage_pct = { unit = "percent", label = "coverage %", screen = 2, doc = "Share of the puts and gets of the queue manager in the whole period that accounting saw; null without statistics in the same time.", over = "min" }
---*/
WITH
-- The tasks are read once for the period and its peak hour. Two UTC hours have one local hour where clocks go back.
hour AS MATERIALIZED (
  SELECT
    lpar, qmgr, connection_type_name, application, hour_local,
    sum(task_records)::BIGINT AS task_records, sum(mq_calls)::BIGINT AS mq_calls, sum(mq_cpu_us)::BIGINT AS mq_cpu_us,
    sum(queue_cpu_us)::BIGINT AS queue_cpu_us, sum(other_verbs_cpu_us)::BIGINT AS other_verbs_cpu_us, sum(task_puts)::BIGINT AS task_puts,
    sum(task_gets)::BIGINT AS task_gets, sum(put_bytes)::BIGINT AS put_bytes, sum(get_bytes)::BIGINT AS get_bytes,
    sum(task_messages)::BIGINT AS task_messages, sum(commits)::BIGINT AS commits, sum(task_log_bytes)::BIGINT AS task_log_bytes,
    sum(mq_et_us)::BIGINT AS mq_et_us
  FROM application_hour
  GROUP BY lpar, qmgr, connection_type_name, application, hour_local
),
period AS (
  SELECT
    lpar, qmgr, connection_type_name, application,
    sum(task_records)::BIGINT AS task_records, sum(mq_calls)::BIGINT AS mq_calls, sum(mq_cpu_us)::BIGINT AS mq_cpu_us,
    sum(queue_cpu_us)::BIGINT AS queue_cpu_us, sum(other_verbs_cpu_us)::BIGINT AS other_verbs_cpu_us, sum(task_puts)::BIGINT AS task_puts,
    sum(task_gets)::BIGINT AS task_gets, sum(put_bytes)::BIGINT AS put_bytes, sum(get_bytes)::BIGINT AS get_bytes,
    sum(task_messages)::BIGINT AS task_messages, sum(commits)::BIGINT AS commits, sum(task_log_bytes)::BIGINT AS task_log_bytes,
    sum(mq_et_us)::BIGINT AS mq_et_us,
    max({'cpu_us': mq_cpu_us, 'earlier': -epoch_us(hour_local), 'hour': hour_local}) FILTER (hour_local IS NOT NULL) AS top
  FROM hour
  GROUP BY lpar, qmgr, connection_type_name, application
),
line AS (
  SELECT
    a.lpar, a.qmgr, a.connection_type_name, a.application, a.task_records, p.tasks, a.mq_calls, a.mq_cpu_us, a.queue_cpu_us, a.other_verbs_cpu_us,
    a.task_puts, a.task_gets, a.put_bytes, a.get_bytes, a.task_messages, a.commits, a.task_log_bytes, a.mq_et_us, a.top.hour AS peak_hour_local,
    a.top.cpu_us AS peak_us
  FROM period AS a
  LEFT JOIN application_period AS p
    ON p.lpar = a.lpar AND p.qmgr = a.qmgr AND p.connection_type_name IS NOT DISTINCT FROM a.connection_type_name
      AND p.application IS NOT DISTINCT FROM a.application
  UNION ALL
  SELECT
    lpar, qmgr, reason, 'unattributed', NULL, NULL, unattributed_calls, unattributed_cpu_us, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, NULL
  FROM work_unattributed
)
SELECT
  q.lpar, q.qmgr, q.connection_type_name, q.application, q.task_records, q.tasks, q.mq_calls,
  q.mq_cpu_us / 1e6                                    AS mq_cpu_s,
  pct(q.mq_cpu_us, sum(q.mq_cpu_us) OVER (PARTITION BY q.lpar, q.qmgr)) AS share_of_cpu_pct,
  q.queue_cpu_us / 1e6                                 AS queue_cpu_s,
  q.other_verbs_cpu_us / 1e6                           AS other_verbs_cpu_s,
  q.task_puts, q.task_gets,
  q.put_bytes / 1048576                                AS put_mib,
  q.get_bytes / 1048576                                AS get_mib,
  q.mq_cpu_us / nullif(q.task_messages, 0)             AS cpu_per_message_us,
  q.mq_calls / nullif(q.task_messages, 0)              AS calls_per_message,
  q.task_messages / nullif(q.commits, 0)               AS messages_per_commit,
  q.task_log_bytes / 1048576                           AS log_mib,
  q.mq_et_us / 1e6                                     AS mq_et_s,
  pct(q.mq_cpu_us, q.mq_et_us)                         AS cpu_share_of_et_pct,
  q.peak_hour_local,
  q.peak_us / 1e6                                      AS peak_hour_cpu_s,
  c.seen_of_period_pct                                 AS accounting_coverage_pct
FROM line AS q
LEFT JOIN coverage_calls AS c ON c.lpar = q.lpar AND c.qmgr = q.qmgr AND c.seen_by = 'task accounting'
ORDER BY mq_cpu_s DESC NULLS LAST, lpar, qmgr, application, connection_type_name
