/*---
id      = "chinit_queue_use"
title   = "Use of queues by channels, by channel initiator interval"
grain   = "one row per 115.231 record with class 3 accounting of channel initiator tasks"
needs   = ["decoded.qcct", "decoded.wq", "decoded.wtid"]
keep    = true                           # expensive, and read more than once
classes = ["116.1"]
empty_without = false
mq_since = "8.0.0"
note    = "Helper of report channel_initiator/adapter_wait. A task interval belongs to the interval that contains its middle; of intervals that overlap, to the one whose own middle is nearest."

[columns]
channel_gets = { unit = "count", doc = "MQGET calls of channels and clients.", over = "add", label = "gets", screen = 3 }
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
),
chinit_day AS (                                       -- the days that an interval touches: joined by day, not each task interval with every interval
  SELECT
    record_id, lpar, qmgr, interval_start_utc, interval_end_utc,
    unnest(generate_series(date_trunc('day', interval_start_utc), interval_end_utc, INTERVAL 1 DAY)) AS day_utc
  FROM decoded.qcct
),
belonging AS (
  SELECT
    m.*,
    arg_min(
      c.record_id, (abs(epoch_us(c.interval_start_utc - m.interval_start_utc) + epoch_us(c.interval_end_utc - m.interval_end_utc)), c.record_id)
    ) AS record_id
  FROM middle AS m
  JOIN chinit_day AS c ON c.lpar = m.lpar AND c.qmgr = m.qmgr AND c.day_utc = date_trunc('day', m.middle_utc)
  WHERE m.middle_utc BETWEEN c.interval_start_utc AND c.interval_end_utc
  GROUP BY ALL
)
SELECT
  record_id, lpar, qmgr,
  sum(selector_opens)::BIGINT   AS selector_opens,
  sum(messages_skipped)::BIGINT AS messages_skipped,
  sum(channel_gets)::BIGINT     AS channel_gets
FROM belonging
GROUP BY record_id, lpar, qmgr
