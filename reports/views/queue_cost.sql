/*---
id      = "queue_cost"
title   = "Processor time of queues, of their gets and of a call on them"
grain   = "one row per lpar, qmgr and base queue"
needs   = ["queue_total", "task"]
classes = ["116.1"]
note    = "Helper of rules. Queues of the same kind have the same disposition, mostly persistent messages or not, and messages of the same size class: below 8 KiB, 64 KiB, 512 KiB, 4 MiB, or larger. Topics are excluded."

[columns]
pages_skipped_per_get = { unit = "ratio", doc = "Empty pages skipped per get.", ratio = { numerator = "pages_skipped", denominator = "gets" } }
all_cpu_us = { unit = "us", doc = "CPU time in MQ calls of all tasks of the queue manager.", over_time = "add", across = "add", whole = ["lpar", "qmgr"] }
get_share_of_cpu_pct = { unit = "percent", doc = "CPU time of the gets as a share of the CPU time in MQ calls of all tasks.", ratio = { numerator = "get_cpu_us", denominator = "all_cpu_us", scale = 100 } }
queue_share_of_cpu_pct = { unit = "percent", doc = "CPU time of the calls on the queue as a share of the CPU time in MQ calls of all tasks.", ratio = { numerator = "queue_mq_cpu_us", denominator = "all_cpu_us", scale = 100 } }
queue_calls = { doc = "MQOPEN, MQCLOSE, MQGET, MQPUT, MQPUT1, MQINQ and MQSET calls.", over = "add" }
cpu_per_call_us = { unit = "us", doc = "CPU time of a call on the queue.", ratio = { numerator = "queue_mq_cpu_us", denominator = "queue_calls" } }
peer_calls = { unit = "count", doc = "Calls on the other queues of the same kind.", over_time = "add", across = "max" }
peer_cpu_per_call_us = { unit = "us", doc = "CPU time of a call on the other queues of the same kind.", ratio = { numerator = "peer_cpu_per_call_us * peer_calls", denominator = "peer_calls" } }
cost_ratio = { unit = "ratio", doc = "CPU time of a call on the queue, per that of a call on the other queues of the same kind.", over = "none", why = "The kinds of the queues differ." }
---*/
WITH
called AS (
  SELECT
    *,
    opens + closes + gets + puts + put1s + inquires + sets AS queue_calls,
    2 * (persistent_gets + persistent_mqputs + persistent_mqput1s) > valid_puts + valid_gets AS mostly_persistent,
    len(list_filter([8192, 65536, 524288, 4194304], lambda limit_bytes: limit_bytes <= (put_bytes + get_bytes) / nullif(valid_puts + valid_gets, 0))) AS size_class
  FROM queue_total
  WHERE NOT is_topic
),
compared AS (
  SELECT
    *,
    (sum(queue_calls) OVER same_kind - queue_calls)::BIGINT         AS peer_calls,
    (sum(queue_mq_cpu_us) OVER same_kind - queue_mq_cpu_us)::BIGINT AS peer_cpu_us
  FROM called
  WINDOW same_kind AS (PARTITION BY lpar, qmgr, is_shared, mostly_persistent, size_class)
),
whole AS (
  SELECT lpar, qmgr, sum(mq_cpu_us)::BIGINT AS all_cpu_us FROM task GROUP BY lpar, qmgr
)
SELECT
  c.lpar, c.qmgr, c.base_name, c.index_type, c.is_shared, c.top_application, c.gets, c.pages_skipped,
  c.pages_skipped / nullif(c.gets, 0)               AS pages_skipped_per_get,
  c.get_cpu_us, c.queue_mq_cpu_us,
  w.all_cpu_us,
  pct(c.get_cpu_us, w.all_cpu_us)                   AS get_share_of_cpu_pct,
  pct(c.queue_mq_cpu_us, w.all_cpu_us)              AS queue_share_of_cpu_pct,
  c.queue_calls,
  c.queue_mq_cpu_us / nullif(c.queue_calls, 0)      AS cpu_per_call_us,
  c.peer_calls,
  c.peer_cpu_us / nullif(c.peer_calls, 0)           AS peer_cpu_per_call_us,
  c.queue_mq_cpu_us / nullif(c.queue_calls, 0) / nullif(c.peer_cpu_us / nullif(c.peer_calls, 0), 0) AS cost_ratio
FROM compared AS c
LEFT JOIN whole AS w ON w.lpar = c.lpar AND w.qmgr = c.qmgr
