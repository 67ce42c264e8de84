/*---
id      = "ims_idle_queue"
title   = "Shared IMS bridge queues without messages"
grain   = "one row per queue-sharing group, with the first of its queue managers that reports the queues"
needs   = ["queue_statistics", "interval_cut"]
classes = ["115.216"]
note    = "A queue counts once for its group, if no member put to it in the period. Queues are those that the site file names (ims_bridge_queues)."

[columns]
group_name = { unit = "text", doc = "Queue-sharing group." }
shared_bridge_queues = { unit = "count", doc = "Shared bridge queues of the group.", over = "add" }
idle_bridge_queues = { unit = "count", doc = "Shared bridge queues without a message put in the period.", over = "add" }
idle_queue_names = { unit = "text", doc = "Names of up to three of them." }
period_hours = { unit = "h", doc = "Hours of queue statistics of that queue manager.", over = "max" }
---*/
WITH
shared AS (
  SELECT coalesce(qsg, queue_qsg) AS group_name, queue, min({'lpar': lpar, 'qmgr': qmgr}) AS member, sum(messages_put) AS messages_put
  FROM queue_statistics
  WHERE queue_kind = 'IMS bridge' AND shared_queue AND NOT depth_unknown
  GROUP BY coalesce(qsg, queue_qsg), queue
),
grouped AS (
  SELECT
    group_name,
    min(member)                                  AS member,
    count(*)                                     AS shared_bridge_queues,
    count(*) FILTER (messages_put = 0)           AS idle_bridge_queues,
    list(queue ORDER BY queue) FILTER (messages_put = 0) AS idle_queues
  FROM shared
  GROUP BY group_name
),
covered AS (
  SELECT lpar, qmgr, sum(interval_seconds) / 3600 AS period_hours
  FROM interval_cut
  GROUP BY lpar, qmgr
)
SELECT
  g.member.lpar AS lpar, g.member.qmgr AS qmgr, g.group_name, g.shared_bridge_queues, g.idle_bridge_queues,
  list_aggregate(g.idle_queues[1:3], 'string_agg', ', ') AS idle_queue_names,
  -- Timers may be microseconds short of whole seconds.
  round(c.period_hours, 3) AS period_hours
FROM grouped AS g
LEFT JOIN covered AS c ON c.lpar = g.member.lpar AND c.qmgr = g.member.qmgr
