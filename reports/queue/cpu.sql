/*---
id         = "queue/cpu"
title      = "CPU by queue"
question   = "Which queues cost the most CPU, per message and per verb?"
needs      = ["queue_total", "task", "work_unattributed"]
rules      = ["QU036"]
grain      = ["lpar", "qmgr", "row_kind", "base_name"]
dd         = ["QCPU"]
drill_down = ["queue/get_waste"]
unmarked   = "A row is a queue over all its applications; report queue/all marks the queues of the rule."
note       = "Names are base names; the generated part of the names of dynamic queues is *. Times are exact sums of microseconds. The rows of a queue manager add up to its CPU time in MQ calls, as far as accounting of class 1 and class 3 shows it. SRB time of topics is not part of it."

[columns]
lpar = { screen = 2 }
row_kind = { unit = "text", kind = "key", label = "row", screen = 1, doc = "'queue', 'calls without a queue' (commit, backout, MQSUB and others, which accounting counts per task), or why class 3 accounting attributes CPU time of class 1 to no application." }
share_of_cpu_pct = { unit = "percent", label = "of CPU %", screen = 1, doc = "Share of the CPU time of all rows of the queue manager.", ratio = { numerator = "queue_mq_cpu_us", denominator = "sum(queue_mq_cpu_us) OVER (PARTITION BY lpar, qmgr)", scale = 100, whole = ["lpar", "qmgr"] } }
messages = { unit = "count", label = "messages", screen = 1, over = "add", doc = "Puts and gets that moved a message." }
cpu_per_message_us = { why = "Messages of queues, not of tasks.", label = "CPU µs/message", screen = 1, doc = "CPU time per put or get that moved a message.", ratio = { numerator = "queue_mq_cpu_us", denominator = "messages" } }
get_cpu_per_valid_get_us = { unit = "us", label = "get CPU µs/valid get", screen = 2, doc = "CPU time of gets per get that moved a message.", ratio = { numerator = "get_cpu_us", denominator = "valid_gets" } }
put_cpu_per_valid_put_us = { unit = "us", label = "put CPU µs/valid put", screen = 2, doc = "CPU time of MQPUT and MQPUT1 per message put.", ratio = { numerator = "put_cpu_us + put1_cpu_us", denominator = "valid_puts" } }
open_close_cpu_us = { unit = "us", label = "open, close CPU µs", screen = 2, over = "add", doc = "CPU time of opens and closes." }
open_close_share_pct = { unit = "percent", label = "open, close %", screen = 3, doc = "Opens and closes as a share of the CPU time of the calls on the queue.", ratio = { numerator = "open_close_cpu_us", denominator = "queue_mq_cpu_us", scale = 100 } }
get_cpu_us = { screen = 3 }
put_cpu_us = { screen = 3 }
inquire_cpu_us = { label = "inquire CPU µs" }
set_cpu_us = { label = "set CPU µs" }
callback_cpu_us = { label = "callback CPU µs" }
topic_srb_us = { label = "topic SRB µs", screen = 0 }
average_put_bytes = { unit = "bytes", label = "avg put bytes", doc = "Mean size of the messages put.", ratio = { numerator = "put_bytes", denominator = "valid_puts" } }
---*/
WITH work AS (
  SELECT
    lpar, qmgr, 'queue' AS row_kind, base_name, queue_mq_cpu_us, valid_puts + valid_gets AS messages,
    get_cpu_us / nullif(valid_gets, 0) AS get_cpu_per_valid_get_us, (put_cpu_us + put1_cpu_us) / nullif(valid_puts, 0) AS put_cpu_per_valid_put_us,
    open_cpu_us + close_cpu_us AS open_close_cpu_us, get_cpu_us, put_cpu_us, put1_cpu_us, inquire_cpu_us, set_cpu_us, callback_cpu_us,
    topic_srb_us, valid_gets, valid_puts, put_bytes, put_bytes / nullif(valid_puts, 0) AS average_put_bytes, top_application
  FROM queue_total
  UNION ALL BY NAME
  SELECT lpar, qmgr, 'calls without a queue' AS row_kind, sum(other_verbs_cpu_us)::BIGINT AS queue_mq_cpu_us
  FROM task
  GROUP BY lpar, qmgr
  UNION ALL BY NAME
  -- Blocks without a task are in the rows of their queues.
  SELECT lpar, qmgr, reason AS row_kind, unattributed_cpu_us AS queue_mq_cpu_us
  FROM work_unattributed
  WHERE unattributed_cpu_us > 0 AND reason <> 'queue blocks without a task'
)
SELECT
  lpar, qmgr, row_kind, base_name, queue_mq_cpu_us,
  pct(queue_mq_cpu_us, sum(queue_mq_cpu_us) OVER (PARTITION BY lpar, qmgr)) AS share_of_cpu_pct, messages,
  queue_mq_cpu_us / nullif(messages, 0) AS cpu_per_message_us, get_cpu_per_valid_get_us, put_cpu_per_valid_put_us, open_close_cpu_us,
  pct(open_close_cpu_us, queue_mq_cpu_us) AS open_close_share_pct, get_cpu_us, put_cpu_us, put1_cpu_us, inquire_cpu_us, set_cpu_us,
  callback_cpu_us, topic_srb_us, average_put_bytes, top_application
FROM work
ORDER BY queue_mq_cpu_us DESC NULLS LAST, lpar, qmgr, base_name, row_kind
