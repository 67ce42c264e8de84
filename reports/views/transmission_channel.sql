/*---
id      = "transmission_channel"
title   = "Transmission queues and the channels that send their messages"
grain   = "one row per lpar, qmgr, queue and channel"
needs   = ["decoded.wq", "decoded.wtid", "decoded.qcst", "decoded.qqst", "queue_sharing_group", "site_input"]
classes = ["116.1", "116.10"]
empty_without = false
keep    = true                           # read by several views
note    = "A sender, server or cluster-sender channel (116.10) that gets from a queue (116.1) in the same time proves that it is a transmission queue; a client that gets proves nothing. At 8.0 records of channels may have queues of other tasks (APAR PI53551): there only blocks with a page set, a CF structure or a time on the queue count. A queue with the name of the queue manager at the other end of a channel is usually its transmission queue."

[columns]
queue_group = { unit = "text", doc = "The same, as in views of accounting." }
channel_name = { from = "decoded.qcst" }
how_known = { unit = "text", doc = "How it is known: got by the channel, site file, name of the queue (of a channel of a cluster), or name of the partner.", label = "known by", screen = 2 }
is_proven = { unit = "flag", doc = "The channel got from the queue, or the site file states it." }
---*/
WITH
sending AS (
  SELECT DISTINCT lpar, qmgr, channel_name, partner_name, interval_start_utc, interval_end_utc
  FROM decoded.qcst
  WHERE channel_type_code IN (1, 2, 9) AND channel_name IS NOT NULL
),
getting AS (
  SELECT DISTINCT
    w.lpar, w.qmgr, w.base_name AS queue, t.channel_name, coalesce(w.queue_disposition_code = 2, false) OR w.cf_structure IS NOT NULL AS is_shared
  FROM decoded.wq AS w
  JOIN decoded.wtid AS t ON t.record_id = w.record_id
  JOIN sending AS c
    ON c.lpar = w.lpar AND c.qmgr = w.qmgr AND c.channel_name = t.channel_name
    AND c.interval_start_utc < w.interval_end_utc AND w.interval_start_utc < c.interval_end_utc
  WHERE t.connection_type_code = 6 AND w.base_name IS NOT NULL AND w.gets_any + w.gets_specific > 0
    AND (w.mq_version NOT LIKE '8.%' OR w.page_set_raw > 0 OR w.pool_raw > 0 OR w.cf_structure IS NOT NULL OR w.time_on_queue_total_us > 0)
),
named AS (
  SELECT DISTINCT lpar, qmgr, queue FROM decoded.qqst WHERE queue IS NOT NULL
  UNION
  SELECT DISTINCT lpar, qmgr, base_name FROM decoded.wq WHERE base_name IS NOT NULL
),
found AS (
  SELECT lpar, qmgr, queue, channel_name, 1 AS known FROM getting
  UNION ALL
  -- A shared transmission queue is one on all members of the group.
  SELECT o.lpar, o.qmgr, w.queue, w.channel_name, 1
  FROM getting AS w
  JOIN queue_sharing_group AS g ON g.lpar = w.lpar AND g.qmgr = w.qmgr
  JOIN queue_sharing_group AS o ON o.qsg = g.qsg
  WHERE w.is_shared
  UNION ALL
  SELECT lpar, qmgr, unnest(map_values(xmitq_by_channel)), unnest(map_keys(xmitq_by_channel)), 2
  FROM site_input
  UNION ALL
  SELECT n.lpar, n.qmgr, n.queue, c.channel_name, CASE WHEN n.queue = c.partner_name THEN 4 ELSE 3 END
  FROM named AS n
  JOIN sending AS c
    ON c.lpar = n.lpar AND c.qmgr = n.qmgr AND n.queue IN (c.partner_name, 'SYSTEM.CLUSTER.TRANSMIT.' || c.channel_name)
)
SELECT
  lpar, qmgr, queue, queue AS queue_group, channel_name,
  ['got by the channel', 'site file', 'name of the queue', 'name of the partner'][min(known)] AS how_known,
  min(known) < 3 AS is_proven
FROM found
GROUP BY lpar, qmgr, queue, channel_name
