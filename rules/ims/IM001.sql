/*---
id          = "IM001"
name        = "ims-bridge-queue-backlog"
title       = "An IMS bridge queue keeps a backlog"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "queue"]
over        = "group"
needs       = ["site_input.ims_bridge_queues", "queue_statistics.depth_high"]
prints      = ["queue_statistics.puts_per_s", "queue_statistics.destructive_gets_per_s", "queue_statistics.oldest_message_s"]
judge       = "3 consecutive"
mark_by     = ["ims_region"]
worst       = "highest"
measure     = "message[s] on the bridge queue"
when        = "observed >= depth_min"
mq_since    = "9.3.0"
default_on  = false                       # on as soon as the site file names the bridge queues
look        = ["DISPLAY QSTATUS({queue}) CURDEPTH IPPROCS MSGAGE", "DISPLAY STGCLASS(*) XCFGNAME XCFMNAME"]

[threshold.depth_min]
value = 10
unit  = "count"
kind  = "judgement"
why   = "in IBM's measurement 6 waiting messages showed that the task of the bridge queue was the limit; a larger number in three intervals is more than a burst"

[source]
cite = "MP16, 'When do I need more TPIPEs?' and 'Understanding limitations of the IMS bridge'"

[advice]
summary = "Bridge queue {queue} held up to {depth_high} message[s] (limit {depth_min}); {puts_per_s:.1f} messages per second were put, and {destructive_gets_per_s:.1f} were passed to IMS."
remedy  = "One task of the queue manager serves each bridge queue. If IMS regions wait for input, add bridge queues (TPIPEs), or members for a shared queue: a second TPIPE raised throughput by 5.6 to 9.8 % in IBM's test. If the regions are busy, add message regions, or keep programs loaded with WFI=Y."
report  = "ims/bridge"
---*/
SELECT
  q.lpar, q.qmgr, q.queue, q.interval_start_utc, q.interval_seconds, q.record_id,
  'queue ' || q.queue       AS subject,
  q.depth_high              AS observed,
  q.depth_high, q.puts_per_s, q.destructive_gets_per_s,
  -- Rows of ims/bridge about regions have no queue.
  NULL::VARCHAR             AS ims_region
FROM queue_statistics AS q
JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
WHERE s.ims_bridge_queues IS NOT NULL AND q.queue_kind = 'IMS bridge' AND NOT coalesce(q.depth_unknown, false)
