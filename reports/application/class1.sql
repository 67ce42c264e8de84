/*---
id       = "application/class1"
title    = "Class 1 accounting"
question = "What did each connection that ended use: CPU in MQ, and puts and gets by message size?"
needs    = ["connection"]
rules    = ["TA005"]
unmarked = "A row is a connection; TA005 judges the application."
grain    = ["record_id"]
drill_down = ["task/list"]
note     = "Totals of the whole life of a connection, which can be days: no rates. Records without CPU time are normal. Class 1 does not count gets through callbacks. The last columns are of the job, the same for all its connections."

[columns]
lpar = { screen = 3 }
connection_type = { label = "type", screen = 2 }
connection_job = { label = "job", screen = 1 }
authorization_id = { label = "authorization id", screen = 3 }
operator_id = { label = "user", screen = 1 }
connect_utc = { label = "connect", screen = 2 }
disconnect_utc = { label = "disconnect", screen = 1 }
class1_cpu_us = { label = "CPU µs", screen = 1 }
puts_to_99 = { label = "puts to 99" }
puts_to_999 = { label = "puts to 999" }
puts_to_9999 = { label = "puts to 9999" }
puts_10000_up = { label = "puts from 10000" }
gets_to_99 = { label = "gets to 99" }
gets_to_999 = { label = "gets to 999" }
gets_to_9999 = { label = "gets to 9999" }
gets_10000_up = { label = "gets from 10000" }
commits = { label = "commits", screen = 2 }
backouts = { label = "backouts", screen = 3 }
accounting_token = { label = "accounting token" }
job_cpu_s = { unit = "s", label = "job CPU s", screen = 2, doc = "CPU time in MQ calls of all connections of the job.", over = "max" }
job_connections = { unit = "count", label = "job connections", screen = 1, doc = "Connections of the job that ended.", over = "max" }
job_connections_with_cpu = { unit = "count", label = "with CPU", screen = 3, doc = "Those with CPU time.", over = "max" }
connections_per_min = { unit = "per_min", label = "per min", screen = 1, doc = "Connections of the job per minute, from the first to the last end; null if all ended at once.", over = "max" }
record_id = { screen = 3 }
---*/
WITH job AS (
  SELECT
    lpar, qmgr, connection_job,
    sum(class1_cpu_us)::BIGINT                    AS job_cpu_us,
    count(*)                                      AS job_connections,
    count(*) FILTER (class1_cpu_us > 0)           AS job_connections_with_cpu,
    epoch_us(max(disconnect_utc) - min(disconnect_utc)) AS job_us
  FROM connection
  GROUP BY lpar, qmgr, connection_job
)
SELECT
  c.lpar, c.qmgr, c.connection_type, c.connection_job, c.authorization_id, c.operator_id, c.transaction, c.connect_utc, c.disconnect_utc,
  c.connection_life_s, c.class1_cpu_us, c.puts_to_99, c.puts_to_999, c.puts_to_9999, c.puts_10000_up, c.gets_to_99, c.gets_to_999, c.gets_to_9999,
  c.gets_10000_up, c.class1_puts, c.class1_gets, c.class1_cpu_per_message_us, c.task_tcb_us, c.task_srb_us, c.mq_share_of_tcb_pct, c.commits, c.backouts,
  c.network_id, c.accounting_token,
  j.job_cpu_us / 1e6                              AS job_cpu_s,
  j.job_connections, j.job_connections_with_cpu,
  60000000.0 * j.job_connections / nullif(j.job_us, 0) AS connections_per_min,
  c.record_id
FROM connection AS c
LEFT JOIN job AS j ON j.lpar = c.lpar AND j.qmgr = c.qmgr AND j.connection_job IS NOT DISTINCT FROM c.connection_job
ORDER BY disconnect_utc, lpar, qmgr, record_id
