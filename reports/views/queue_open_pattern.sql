/*---
id      = "queue_open_pattern"
title   = "How applications open, use and close queues"
grain   = "one row per lpar, qmgr, queue and application"
needs   = ["queue_use", "decoded.wtas"]
classes = ["116.1"]
note    = "Sums that need the task of each queue block. Topics are not included."

[columns]
base_name = { doc = "Name of the queue; the generated part of the name of dynamic queues is *." }
application = { kind = "key" }
tasks = { unit = "count", doc = "Tasks of the application that used the queue.", over_time = "max", across = "add" }
messages = { unit = "count", doc = "Puts and gets that moved a message.", over = "add", label = "messages", screen = 1 }
messages_per_open = { unit = "ratio", doc = "Puts and gets that moved a message, per open.", ratio = { numerator = "messages", denominator = "opens" }, label = "messages/open", screen = 1 }
put1_pct = { unit = "percent", doc = "Share of the puts made by MQPUT1.", ratio = { numerator = "put1s", denominator = "puts + put1s", scale = 100 }, label = "put1 %", screen = 3 }
average_open_cpu_us = { ratio = { numerator = "average_open_cpu_us * opens", denominator = "opens" }, screen = 2 }
average_close_cpu_us = { ratio = { numerator = "average_close_cpu_us * closes", denominator = "closes" } }
open_close_cpu_s = { unit = "s", doc = "CPU time of opens and closes.", over = "add", label = "open, close CPU s", format = ".3f", screen = 2 }
average_put1_cpu_us = { ratio = { numerator = "average_put1_cpu_us * put1s", denominator = "put1s" }, label = "avg put1 CPU µs", screen = 3 }
average_put_cpu_us = { ratio = { numerator = "average_put_cpu_us * puts", denominator = "puts" }, label = "avg put CPU µs", screen = 3 }
open_saving_cpu_s = { unit = "s", doc = "CPU time that would be saved if each task opened the queue once.", over = "add", label = "saving CPU s", format = ".3f", screen = 1 }
open_handles = { doc = "Handles in use at the end of the accounting intervals of tasks that had not ended.", over = "max", label = "handles" }
queues_open_per_task = { unit = "count", doc = "Highest number of queue blocks of a task that used the queue.", over = "max", label = "queues/task" }
pattern = { unit = "text", doc = "What is unusual about the use: open, put, close; open, get, close; MQPUT1 in a loop; few messages per open; null if nothing.", label = "pattern", screen = 1 }
---*/
WITH total AS (
  SELECT
    q.lpar, q.qmgr, q.qsg, q.queue_group AS base_name, q.application, q.connection_type_name,
    -- A list of hashes needs less memory than DISTINCT, which groups by all names and the correlator.
    coalesce(len(list_distinct(list(hash(q.task_correlator)) FILTER (q.task_correlator IS NOT NULL))), 0) AS tasks,
    sum(q.opens)::BIGINT                                                     AS opens,
    sum(q.closes)::BIGINT                                                    AS closes,
    sum(q.puts)::BIGINT                                                      AS puts,
    sum(q.put1s)::BIGINT                                                     AS put1s,
    sum(q.gets)::BIGINT                                                      AS gets,
    sum(q.valid_puts + q.valid_gets)::BIGINT                                 AS messages,
    sum(q.open_cpu_us)::BIGINT                                               AS open_cpu_us,
    sum(q.close_cpu_us)::BIGINT                                              AS close_cpu_us,
    sum(q.put_cpu_us)::BIGINT                                                AS put_cpu_us,
    sum(q.put1_cpu_us)::BIGINT                                               AS put1_cpu_us,
    sum(q.open_handles) FILTER ((t.task_flags & 536870912) = 0)::BIGINT      AS open_handles,
    max(t.queue_blocks)                                                      AS queues_open_per_task
  FROM queue_use AS q
  LEFT JOIN decoded.wtas AS t ON t.record_id = q.task_record_id
  WHERE NOT coalesce(q.is_topic, false)
  GROUP BY q.lpar, q.qmgr, q.qsg, q.queue_group, q.application, q.connection_type_name
)
SELECT
  lpar, qmgr, qsg, base_name, application, connection_type_name, tasks, opens, closes, puts, put1s, gets, messages,
  messages / nullif(opens, 0)                      AS messages_per_open,
  pct(put1s, puts + put1s)                         AS put1_pct,
  open_cpu_us / nullif(opens, 0)                   AS average_open_cpu_us,
  close_cpu_us / nullif(closes, 0)                 AS average_close_cpu_us,
  (open_cpu_us + close_cpu_us) / 1e6               AS open_close_cpu_s,
  put1_cpu_us / nullif(put1s, 0)                   AS average_put1_cpu_us,
  put_cpu_us / nullif(puts, 0)                     AS average_put_cpu_us,
  greatest(0, opens - tasks) * (coalesce(open_cpu_us / nullif(opens, 0), 0) + coalesce(close_cpu_us / nullif(closes, 0), 0)) / 1e6 AS open_saving_cpu_s,
  open_handles, queues_open_per_task,
  CASE
    WHEN opens >= 0.9 * puts AND puts > 100 THEN 'open, put, close'
    WHEN put1s > 1000 AND put1s / nullif(tasks, 0) > 100 THEN 'MQPUT1 in a loop'
    WHEN opens >= 0.9 * gets AND gets > 100 THEN 'open, get, close'
    WHEN messages / nullif(opens, 0) < 2 THEN 'few messages per open'
  END AS pattern
FROM total
