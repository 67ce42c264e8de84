/*---
id      = "chinit_queue_use"
title   = "Use of queues by channels, by channel initiator interval"
grain   = "one row per 115.231 record with class 3 accounting of channel initiator tasks"
needs   = ["decoded.qcct", "decoded.wq", "decoded.wtid"]
keep    = true                           # expensive, and read more than once
classes = ["116.1"]
mq_since = "8.0.0"
note    = "Helper of report channel_initiator/adapter_wait. A task interval belongs to the interval that contains its middle."

[columns]
channel_gets = { unit = "count", doc = "MQGET calls of channels and clients.", over = "add" }
---*/
WITH
chinit_work AS (
  SELECT
    q.lpar, q.qmgr, q.interval_start_utc, q.interval_end_utc,
    sum(q.selector_opens)::BIGINT   AS selector_opens,
    sum(q.messages_skipped)::BIGINT AS messages_skipped,
    sum(q.gets)::BIGINT             AS channel_gets
  FROM decoded.wq AS q
  SEMI JOIN decoded.wtid AS w ON w.record_id = q.record_id AND w.connection_type_code = 6
  GROUP BY q.lpar, q.qmgr, q.interval_start_utc, q.interval_end_utc
),
middle AS (
  SELECT *, interval_start_utc + to_microseconds(epoch_us(interval_end_utc - interval_start_utc) // 2) AS middle_utc
  FROM chinit_work
)
SELECT
  c.record_id, c.lpar, c.qmgr,
  sum(m.selector_opens)::BIGINT   AS selector_opens,
  sum(m.messages_skipped)::BIGINT AS messages_skipped,
  sum(m.channel_gets)::BIGINT     AS channel_gets
FROM middle AS m
ASOF JOIN decoded.qcct AS c ON c.lpar = m.lpar AND c.qmgr = m.qmgr AND m.middle_utc >= c.interval_start_utc
WHERE m.middle_utc <= c.interval_end_utc
GROUP BY c.record_id, c.lpar, c.qmgr
