/*---
id      = "temporary_queue_use"
title   = "Temporary dynamic queues by model queue and application"
grain   = "one row per lpar, qmgr, model queue and application"
needs   = ["queue_use", "decoded.wtas"]
classes = ["116.1"]
note    = "Uses of the tasks that created the queues. Tasks that open such a queue by its full name, as a server does to reply, are not included."

[columns]
application = { kind = "key", doc = "Application that created the queues." }
model_queue = { unit = "text", kind = "key", doc = "Model queue that the queues were opened with.", label = "model queue", screen = 1 }
temporary_queues = { unit = "count", doc = "Temporary dynamic queues.", over_time = "max", across = "add", label = "queues", screen = 1 }
temporary_queues_per_min = { unit = "per_min", doc = "Temporary dynamic queues per minute of the time that accounting covers.", over_time = "last", across = "add", label = "queues/min", screen = 1 }
messages = { unit = "count", doc = "Puts and gets that moved a message.", over = "add", label = "messages", screen = 1 }
messages_per_queue = { unit = "ratio", doc = "Puts and gets that moved a message, per temporary queue.", ratio = { numerator = "messages", denominator = "temporary_queues" }, label = "messages/queue", screen = 1 }
average_open_et_us = { ratio = { numerator = "average_open_et_us * opens", denominator = "opens" } }
average_open_cpu_us = { ratio = { numerator = "average_open_cpu_us * opens", denominator = "opens" } }
average_open_suspend_us = { unit = "us", doc = "Mean time suspended in an MQOPEN.", ratio = { numerator = "average_open_suspend_us * opens", denominator = "opens" }, label = "avg open suspended µs", screen = 2 }
open_suspend_share_pct = { unit = "percent", doc = "Time suspended as a share of the elapsed time of opens.", ratio = { numerator = "average_open_suspend_us * opens", denominator = "average_open_et_us * opens", scale = 100 }, label = "suspended %", screen = 2 }
queue_mq_cpu_s = { unit = "s", doc = "CPU time of the calls on the queues.", over = "add", label = "CPU s", format = ".3f", screen = 2 }
extra_cpu_s = { unit = "s", doc = "CPU time of opens above the published 2 µs of a predefined queue.", over = "add", label = "extra CPU s", format = ".3f", screen = 1 }
page_set_0_logs = { doc = "Log requests for page set 0 of the tasks, for all their work.", label = "page set 0 logs", screen = 3 }
shared = { unit = "flag", doc = "The queues are shared.", label = "shared", screen = 3 }
managed_subscription = { unit = "flag", doc = "The queues belong to managed subscriptions.", label = "subscription", screen = 3 }
---*/
WITH
span AS (
  SELECT lpar, qmgr, epoch_us(max(task_interval_end_utc) - min(task_interval_start_utc)) / 60e6 AS minutes
  FROM decoded.wtas
  GROUP BY lpar, qmgr
),
block AS (
  SELECT
    lpar, qmgr, qsg, application, connection_type_name, open_name AS model_queue, base_name, task_record_id, valid_puts + valid_gets AS messages, opens,
    open_et_us, open_cpu_us, open_suspend_us, close_cpu_us, queue_mq_cpu_us, is_shared
  FROM queue_use
  WHERE is_temporary_dynamic
),
total AS (
  SELECT
    lpar, qmgr, qsg, application, connection_type_name, model_queue,
    count(DISTINCT base_name)                           AS temporary_queues,
    sum(messages)::BIGINT                               AS messages,
    sum(opens)::BIGINT                                  AS opens,
    sum(open_et_us)::BIGINT                             AS open_et_us,
    sum(open_cpu_us)::BIGINT                            AS open_cpu_us,
    sum(open_suspend_us)::BIGINT                        AS open_suspend_us,
    sum(close_cpu_us)::BIGINT                           AS close_cpu_us,
    sum(queue_mq_cpu_us)::BIGINT                        AS queue_mq_cpu_us,
    bool_or(is_shared)                                  AS shared,
    bool_or(starts_with(base_name, 'SYSTEM.MANAGED.'))  AS managed_subscription
  FROM block
  GROUP BY lpar, qmgr, qsg, application, connection_type_name, model_queue
),
logged AS (
  SELECT b.lpar, b.qmgr, b.application, b.connection_type_name, b.model_queue, sum(t.page_set_0_logs)::BIGINT AS page_set_0_logs
  FROM (SELECT DISTINCT lpar, qmgr, application, connection_type_name, model_queue, task_record_id FROM block) AS b
  JOIN decoded.wtas AS t ON t.record_id = b.task_record_id
  GROUP BY b.lpar, b.qmgr, b.application, b.connection_type_name, b.model_queue
)
SELECT
  q.lpar, q.qmgr, q.qsg, q.application, q.connection_type_name, q.model_queue, q.temporary_queues,
  q.temporary_queues / nullif(s.minutes, 0)           AS temporary_queues_per_min,
  q.messages,
  q.messages / nullif(q.temporary_queues, 0)          AS messages_per_queue,
  q.opens,
  q.open_et_us / nullif(q.opens, 0)                   AS average_open_et_us,
  q.open_cpu_us / nullif(q.opens, 0)                  AS average_open_cpu_us,
  q.open_suspend_us / nullif(q.opens, 0)              AS average_open_suspend_us,
  pct(q.open_suspend_us, q.open_et_us)                AS open_suspend_share_pct,
  q.close_cpu_us,
  q.queue_mq_cpu_us / 1e6                             AS queue_mq_cpu_s,
  greatest(0, q.open_cpu_us - 2 * q.opens) / 1e6      AS extra_cpu_s,
  l.page_set_0_logs, q.shared, q.managed_subscription
FROM total AS q
LEFT JOIN span AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
LEFT JOIN logged AS l
  ON l.lpar = q.lpar AND l.qmgr = q.qmgr AND l.model_queue = q.model_queue AND l.application IS NOT DISTINCT FROM q.application
    AND l.connection_type_name IS NOT DISTINCT FROM q.connection_type_name
