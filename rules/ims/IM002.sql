/*---
id          = "IM002"
name        = "unused-shared-ims-bridge-queues"
title       = "Many idle shared bridge queues are polled"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr"]
over        = "all"
needs       = ["site_input.ims_bridge_queues", "ims_idle_queue.idle_bridge_queues"]
prints      = ["ims_idle_queue.shared_bridge_queues", "ims_idle_queue.idle_queue_names", "ims_idle_queue.period_hours", "ims_idle_queue.group_name"]
judge       = "whole period"
worst       = "highest"
measure     = "idle shared bridge queues"
when        = "observed >= queues_min"
min_activity = "period_hours >= $period_hours_min"
mq_since    = "9.3.0"
default_on  = false                       # on as soon as the site file names the bridge queues
look        = ["DISPLAY STGCLASS(*) XCFGNAME XCFMNAME"]

[threshold.queues_min]
value = 100
unit  = "count"
kind  = "documented"
why   = "IBM saw about 1 % less throughput with 100 of them"

[threshold.period_hours_min]
value = 24
unit  = "h"
kind  = "judgement"
why   = "a queue may be used at another time of the day"

[source]
cite = "MP16, 'Tuning the IMS subsystem'"

[advice]
summary = "{idle_bridge_queues} of {shared_bridge_queues} shared IMS bridge queue[s] of group {group_name} got no message in {period_hours:.0f} hour[s] (limit {queues_min}), for example {idle_queue_names}. MQ polls them every 10 seconds."
remedy  = "Use the storage class of the IMS bridge only for queues that need it, and delete queues that nobody uses."
report  = "ims/bridge"
---*/
SELECT
  q.lpar, q.qmgr,
  'bridge queues of group ' || q.group_name AS subject,
  q.idle_bridge_queues  AS observed,
  q.idle_bridge_queues, q.shared_bridge_queues, q.group_name, q.idle_queue_names, q.period_hours
FROM ims_idle_queue AS q
JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
