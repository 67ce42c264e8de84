/*---
id      = "chinit_continuation"
title   = "Channel initiator records that continue another record of their interval"
grain   = "one row per 115.231 record that is not the first of its interval"
needs   = ["record", "decoded.qct_dsp", "decoded.qct_adp", "decoded.qct_ssl", "decoded.qct_dns"]
classes = ["115.231"]
empty_without = false
mq_since = "8.0.0"
note    = "With many tasks an interval has several records (IBM MQ documentation, 'Planning for channel initiator SMF data'). Its tasks are counted together, under the first record."

[columns]
first_record_id = { unit = "id", kind = "key", doc = "The first record of the interval." }
dispatchers_before = { unit = "count", kind = "internal", doc = "Dispatchers in the earlier records of the interval." }
adapters_before = { unit = "count", kind = "internal", doc = "Adapters in the earlier records of the interval." }
ssl_tasks_before = { unit = "count", kind = "internal", doc = "TLS tasks in the earlier records of the interval." }
dns_tasks_before = { unit = "count", kind = "internal", doc = "Name server tasks in the earlier records of the interval." }
---*/
WITH
part AS (
  SELECT record_id, min(record_id) OVER (PARTITION BY lpar, qmgr, record_start_utc, record_us) AS first_record_id
  FROM record
  WHERE damage IS NULL AND smf_type = 115 AND subtype = 231
),
several AS (
  SELECT * FROM part WHERE first_record_id IN (SELECT first_record_id FROM part WHERE record_id <> first_record_id)
),
one_task AS (
  SELECT record_id, 1 AS dispatchers, 0 AS adapters, 0 AS ssl_tasks, 0 AS dns_tasks FROM decoded.qct_dsp SEMI JOIN several USING (record_id)
  UNION ALL
  SELECT record_id, 0, 1, 0, 0 FROM decoded.qct_adp SEMI JOIN several USING (record_id)
  UNION ALL
  SELECT record_id, 0, 0, 1, 0 FROM decoded.qct_ssl SEMI JOIN several USING (record_id)
  UNION ALL
  SELECT record_id, 0, 0, 0, 1 FROM decoded.qct_dns SEMI JOIN several USING (record_id) WHERE section_length = 48
)
SELECT
  s.record_id, s.first_record_id,
  sum(t.dispatchers)::BIGINT AS dispatchers_before,
  sum(t.adapters)::BIGINT    AS adapters_before,
  sum(t.ssl_tasks)::BIGINT   AS ssl_tasks_before,
  sum(t.dns_tasks)::BIGINT   AS dns_tasks_before
FROM several AS s
JOIN several AS e ON e.first_record_id = s.first_record_id AND e.record_id < s.record_id
LEFT JOIN one_task AS t ON t.record_id = e.record_id
GROUP BY s.record_id, s.first_record_id
