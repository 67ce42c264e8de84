/*---
id      = "connection"
title   = "Connections that ended"
grain   = "one row per record 116.0 (class 1 accounting): one connection or thread that ended"
needs   = ["decoded.qwac", "decoded.qwhc", "decoded.qmac", "queue_sharing_group", "connection_type"]
keep    = false                          # one row for each of millions of tasks
classes = ["116.0"]
note    = "Totals of the whole life of the connection, not of an interval. Records without CPU time are normal; exclude them from averages."

[columns]
network_id = { from = "decoded.qwhc", label = "network id" }
connection_life_s = { unit = "s", doc = "Time from connect to disconnect.", over = "max", label = "life s", screen = 1 }
task_tcb_us = { unit = "us", doc = "CPU time of the task (TCB), MQ and application together.", over = "add", label = "TCB µs", screen = 3 }
task_srb_us = { unit = "us", doc = "SRB time of the task.", over = "add", label = "SRB µs", screen = 3 }
transaction = { unit = "text", doc = "CICS transaction or IMS program (PSB) of the connection.", label = "transaction", screen = 2 }
class1_puts = { unit = "count", doc = "Puts of all sizes.", over = "add", label = "puts", screen = 1 }
class1_gets = { unit = "count", doc = "Gets of all sizes; those made through callbacks are not counted.", over = "add", label = "gets", screen = 1 }
class1_cpu_per_message_us = { unit = "us", doc = "CPU time in MQ per put and get.", ratio = { numerator = "class1_cpu_us", denominator = "(((class1_puts + gets_to_99) + gets_to_999) + gets_to_9999) + gets_10000_up" }, label = "CPU µs/message", screen = 1 }
mq_share_of_tcb_pct = { unit = "percent", doc = "CPU time in MQ as a share of the CPU time of the task.", ratio = { numerator = "class1_cpu_us", denominator = "task_tcb_us", scale = 100 }, label = "MQ % of TCB", screen = 2 }
---*/
WITH
lettered AS (
  SELECT
    *,
    CASE connection_type_code
      WHEN 1 THEN substr(thread_reference, 9, 8)
      WHEN 3 THEN substr(thread_reference, 9, 16)
      WHEN 4 THEN substr(thread_reference, 9, 16)
    END AS letters
  FROM decoded.qwhc
),
named AS (
  -- The reference is in hex; names in it are EBCDIC letters, digits and a few special characters, whose codes begin at X'40'.
  SELECT
    lpar, qmgr, letters,
    nullif(trim(array_to_string(list_transform(
      range(1, length(letters), 2),
      lambda place: substr('           .<(+|&         !$*); -/         ,%_>?         `:#@''=" abcdefghi       jklmnopqr       ~stuvwxyz      ^         []    {ABCDEFGHI      }JKLMNOPQR      \ STUVWXYZ      0123456789      ', greatest(0, ('0x' || substr(letters, place, 2))::INTEGER - 63), 1)
    ), '')), '') AS transaction
  FROM (SELECT DISTINCT lpar, qmgr, letters FROM lettered)
),
reference AS (
  SELECT
    c.*, n.transaction,
    -- The tasks of the channel initiator serve many connections at a time: their clocks show the work of all of these.
    CASE WHEN c.connection_type_code <> 6 AND q.tcb_end_us >= q.tcb_begin_us THEN q.tcb_end_us - q.tcb_begin_us END AS task_tcb_us,
    CASE WHEN c.connection_type_code <> 6 AND q.srb_end_us >= q.srb_begin_us THEN q.srb_end_us - q.srb_begin_us END AS task_srb_us,
    coalesce(t.connection_type_name, c.connection_type) AS connection_type_name
  FROM lettered AS c
  LEFT JOIN named AS n ON n.lpar IS NOT DISTINCT FROM c.lpar AND n.qmgr IS NOT DISTINCT FROM c.qmgr AND n.letters = c.letters
  LEFT JOIN decoded.qwac AS q ON q.record_id = c.record_id
  LEFT JOIN connection_type AS t ON t.connection_type_code = c.connection_type_code
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  h.connection_type, h.connection_type_name, h.authorization_id, h.connection_job, h.operator_id, h.thread_reference, h.accounting_token,
  h.network_id, q.connect_utc, q.disconnect_utc, q.commits, q.backouts, q.write_reason, m.class1_cpu_us,
  m.puts_to_99, m.puts_to_999, m.puts_to_9999, m.puts_10000_up, m.gets_to_99, m.gets_to_999, m.gets_to_9999,
  m.gets_10000_up,
  epoch_us(q.disconnect_utc - q.connect_utc) / 1e6         AS connection_life_s,
  h.task_tcb_us,
  h.task_srb_us,
  h.transaction,
  m.puts_to_99 + m.puts_to_999 + m.puts_to_9999 + m.puts_10000_up AS class1_puts,
  m.gets_to_99 + m.gets_to_999 + m.gets_to_9999 + m.gets_10000_up AS class1_gets,
  m.class1_cpu_us / nullif(m.puts_to_99 + m.puts_to_999 + m.puts_to_9999 + m.puts_10000_up + m.gets_to_99 + m.gets_to_999
    + m.gets_to_9999 + m.gets_10000_up, 0)                 AS class1_cpu_per_message_us,
  pct(m.class1_cpu_us, h.task_tcb_us)                      AS mq_share_of_tcb_pct
FROM decoded.qwac AS q
LEFT JOIN reference AS h ON h.record_id = q.record_id
LEFT JOIN decoded.qmac AS m ON m.record_id = q.record_id
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
