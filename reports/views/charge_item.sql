/*---
id      = "charge_item"
title   = "Work to charge, each microsecond and message once"
grain   = "one row per lpar, qmgr, local date, source, connection type, application, channel, user, queue and doubt_reason"
needs   = ["decoded.wq", "decoded.wtas", "decoded.qwac", "task_identity", "connection", "charge_doubt", "site_input"]
keep    = false                          # one row for each day, application, user and queue
classes = ["116.1"]
empty_without = false
note    = "Class 3 accounting: calls on queues with their queue, all other calls without one. Class 1 only for queue managers without class 3 in the data. A record belongs to the local date on which it was written."

[columns]
date_local = { unit = "ts_local", kind = "clock", doc = "Local date on which the record was written." }
charge_source = { unit = "text", doc = "class 3 or class 1." }
application = { doc = "Application; all clients of a channel are one application. Names of the site file replace it." }
operator_id = { from = "task_identity" }
base_name = { doc = "Name of the base queue or topic; null for calls that are not for one queue, and in class 1." }
charge_cpu_us = { unit = "us", doc = "CPU time in MQ calls.", over = "add" }
charge_puts = { unit = "count", doc = "Messages put.", over = "add" }
charge_gets = { unit = "count", doc = "Messages got, without those browsed; of class 1 without those got through callbacks.", over = "add" }
charge_bytes = { unit = "bytes", doc = "Bytes put and got; null in class 1.", over = "add" }
---*/
WITH
work AS (
  SELECT
    q.lpar, q.qmgr, date_trunc('day', q.written_local)::TIMESTAMP AS date_local, 'class 3' AS charge_source, t.connection_type_name, t.application_group,
    t.channel_name, t.operator_id, q.base_name, d.doubt_reason,
    sum(q.open_cpu_us + q.close_cpu_us + q.get_cpu_us + q.put_cpu_us + q.put1_cpu_us + q.inquire_cpu_us + q.set_cpu_us
      + coalesce(q.callback_cpu_us, 0))::BIGINT                             AS charge_cpu_us,
    sum(q.valid_puts)::BIGINT                                               AS charge_puts,
    sum(coalesce(q.valid_destructive_gets, q.valid_gets))::BIGINT           AS charge_gets,
    sum(q.put_bytes + q.get_bytes)::BIGINT                                  AS charge_bytes
  FROM decoded.wq AS q
  LEFT JOIN task_identity AS t ON t.record_id = q.record_id
  LEFT JOIN charge_doubt AS d ON d.record_id = q.record_id
  GROUP BY q.lpar, q.qmgr, date_trunc('day', q.written_local), t.connection_type_name, t.application_group, t.channel_name, t.operator_id, q.base_name, d.doubt_reason
  UNION ALL
  SELECT
    w.lpar, w.qmgr, date_trunc('day', w.written_local)::TIMESTAMP, 'class 3', t.connection_type_name, t.application_group, t.channel_name, t.operator_id, NULL, d.doubt_reason,
    sum(w.other_cpu_us + w.commit_cpu_us + w.backout_cpu_us + coalesce(w.prepare_cpu_us, 0) + coalesce(w.subscribe_cpu_us, 0)
      + coalesce(w.subscription_request_cpu_us, 0) + coalesce(w.control_cpu_us, 0) + coalesce(w.status_cpu_us, 0))::BIGINT,
    0, 0, 0
  FROM decoded.wtas AS w
  LEFT JOIN task_identity AS t ON t.record_id = w.record_id
  LEFT JOIN charge_doubt AS d ON d.record_id = w.record_id
  GROUP BY w.lpar, w.qmgr, date_trunc('day', w.written_local), t.connection_type_name, t.application_group, t.channel_name, t.operator_id, d.doubt_reason
  UNION ALL
  SELECT
    c.lpar, c.qmgr, date_trunc('day', c.interval_end_local)::TIMESTAMP, 'class 1', c.connection_type_name, caller(c.connection_job, c.transaction, c.connection_type_name, c.operator_id),
    NULL, c.operator_id, NULL, d.doubt_reason,
    sum(c.class1_cpu_us)::BIGINT, sum(c.class1_puts)::BIGINT, sum(c.class1_gets)::BIGINT, NULL
  FROM (SELECT k.*, r.written_local AS interval_end_local FROM connection AS k JOIN decoded.qwac AS r ON r.record_id = k.record_id) AS c
  LEFT JOIN charge_doubt AS d ON d.record_id = c.record_id
  ANTI JOIN decoded.wtas AS w ON w.lpar = c.lpar AND w.qmgr = c.qmgr
  GROUP BY c.lpar, c.qmgr, date_trunc('day', c.interval_end_local), c.connection_type_name, c.connection_job, c.transaction, c.operator_id, d.doubt_reason
),
-- The site file may give several applications one name.
named AS (
  SELECT
    w.*,
    coalesce(list_filter(map_entries(s.application_group_by_application), lambda p: w.application_group GLOB replace(p.key, '[', '[[]'))[1].value,
      w.application_group) AS application
  FROM work AS w
  LEFT JOIN site_input AS s ON s.lpar = w.lpar AND s.qmgr = w.qmgr
)
SELECT
  lpar, qmgr, date_local, charge_source, connection_type_name, application, channel_name, operator_id, base_name, doubt_reason,
  sum(charge_cpu_us)::BIGINT  AS charge_cpu_us,
  sum(charge_puts)::BIGINT    AS charge_puts,
  sum(charge_gets)::BIGINT    AS charge_gets,
  sum(charge_bytes)::BIGINT   AS charge_bytes
FROM named
GROUP BY lpar, qmgr, date_local, charge_source, connection_type_name, application, channel_name, operator_id, base_name, doubt_reason
