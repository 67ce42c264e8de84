/*---
id      = "charge_doubt"
title   = "Accounting records that nobody can be charged for"
grain   = "one row per record_id"
needs   = ["decoded.record", "decoded.damage", "decoded.wq", "decoded.wtas", "decoded.qmac", "decoded.qwac"]
classes = ["116.0", "116.1"]
empty_without = false
note    = "A task moves far less than 200,000 messages a second (our own limit), no message has more than 100 MiB, and the CPU time of a task is at most its elapsed time; more is damage, even if the record has the right length."

[columns]
doubt_reason = { unit = "text", doc = "damaged record, next to damaged bytes, or impossible figures." }
---*/
WITH
accounting AS (
  SELECT
    record_id, source_id, source_offset, source_offset + input_bytes AS end_offset, damage,
    -- No interval, or one of more than 32 days, counts as a second.
    CASE WHEN interval_us BETWEEN 0 AND 2764800000000 THEN interval_us / 1e6 ELSE 0 END + 1 AS seconds
  FROM decoded.record
  WHERE smf_type = 116
),
found AS (
  SELECT record_id, 1 AS place FROM accounting WHERE damage IS NOT NULL
  UNION ALL
  SELECT a.record_id, 2
  FROM accounting AS a
  JOIN decoded.damage AS d ON d.source_id = a.source_id
    AND (d.damage_offset = a.end_offset OR d.damage_offset + d.damage_bytes = a.source_offset)
  UNION ALL
  SELECT q.record_id, 3
  FROM decoded.wq AS q
  JOIN accounting AS a ON a.record_id = q.record_id
  WHERE greatest(q.valid_puts, q.valid_gets, q.valid_destructive_gets, q.puts, q.gets, q.put1s) > 200000 * least(a.seconds, 86400)
    OR q.put_bytes > 104857600 * q.valid_puts
    OR q.get_bytes > 104857600 * q.valid_gets
    OR greatest(q.get_cpu_us, q.put_cpu_us, q.put1_cpu_us, q.open_cpu_us, q.close_cpu_us, q.inquire_cpu_us, q.set_cpu_us, q.callback_cpu_us) / 1e6 > 1.1 * a.seconds
  UNION ALL
  SELECT w.record_id, 3
  FROM decoded.wtas AS w
  JOIN accounting AS a ON a.record_id = w.record_id
  WHERE greatest(
      w.other_cpu_us, w.commit_cpu_us, w.backout_cpu_us, w.prepare_cpu_us, w.subscribe_cpu_us, w.subscription_request_cpu_us, w.control_cpu_us, w.status_cpu_us
    ) / 1e6 > 1.1 * a.seconds
  UNION ALL
  SELECT m.record_id, 3
  FROM decoded.qmac AS m
  JOIN (SELECT record_id, epoch_us(disconnect_utc - connect_utc) / 1e6 + 1 AS seconds FROM decoded.qwac) AS a ON a.record_id = m.record_id
  WHERE greatest(m.puts_to_99, m.puts_to_999, m.puts_to_9999, m.puts_10000_up, m.gets_to_99, m.gets_to_999, m.gets_to_9999, m.gets_10000_up)
      > 200000 * least(a.seconds, 86400)
    OR m.class1_cpu_us / 1e6 > 1.1 * a.seconds
)
SELECT record_id, ['damaged record', 'next to damaged bytes', 'impossible figures'][min(place)] AS doubt_reason
FROM found
GROUP BY record_id
