/*---
id       = "plan/shared_message_cost"
title    = "Db2 or SMDS for large shared messages"
question = "What would shared message data sets save against Db2?"
subject  = "structure"
needs    = ["cf_structure", "queue_statistics", "queue_use", "qmgr"]
profiles = ["shared_message_cpu"]
holds    = "Persistent requests and replies, z16; messages above 63 KB are in Db2 at CFLEVEL(4)."
source   = "MP16, 'Shared queue persistent message request/reply CPU costs' and 'Shared queue persistent message request/reply CF costs'"
result   = "saving_us"
note     = "The measurements are for persistent requests with replies. SMDS moves CPU to the application, and SRB time is in no MQ record. Beyond 2 KB and 1 MB the nearest measured size counts."

[parameter.message_bytes]
unit     = "bytes"
measured = "average of all puts to queues of the structure"
doc      = "Bytes of a message with all headers but the MQMD."
remedy   = "collect queue statistics (STATQ, class 5) or accounting class 3, or set message_bytes=2KiB"

[parameter.messages_per_day]
unit     = "per_day"
measured = "messages put to queues of the structure, for 24 hours of the data"
doc      = "Messages put to the queues of the structure each day."
optional = true
remedy   = "collect queue statistics (STATQ, class 5), or set messages_per_day=100000/d"

[step.cpu_us_db2]
unit    = "us"
label   = "CPU for each message in Db2"
formula = "interpolated between the measured sizes"

[step.cpu_us_smds]
unit    = "us"
label   = "CPU for each message in SMDS"
formula = "interpolated between the measured sizes"

[step.cf_us_db2]
unit    = "us"
label   = "CPU of the coupling facility, Db2"
formula = "interpolated between the measured sizes"

[step.cf_us_smds]
unit    = "us"
label   = "CPU of the coupling facility, SMDS"
formula = "interpolated between the measured sizes"

[step.saving_us]
unit    = "us"
label   = "CPU saved for each message"
formula = "Db2 - SMDS"

[step.db2_over_smds]
unit    = "ratio"
label   = "Db2 against SMDS"
formula = "Db2 / SMDS"

[step.saving_cpu_s]
unit    = "s"
label   = "CPU saved each day"
formula = "CPU saved for each message * messages a day"

[step.saving_cf_s]
unit    = "s"
label   = "CPU of the coupling facility saved each day"
formula = "(Db2 - SMDS) * messages a day"

[answer.saves]
text = "SMDS takes {cpu_us_smds:,.0f} µs of CPU for a message of {message_bytes:,.0f} bytes, Db2 {cpu_us_db2:,.0f}: {db2_over_smds:,.1f} times as much<<. SMDS saves {saving_cpu_s:,.0f} s of CPU and {saving_cf_s:,.0f} s of the coupling facility each day>>."
do   = ["Define the structure with CFLEVEL(5) and OFFLOAD(SMDS)."]

[answer.same]
text = "Db2 and SMDS take as much CPU for a message of {message_bytes:,.0f} bytes, {cpu_us_smds:,.0f} µs, because it is in the coupling facility."
---*/
WITH
counted AS (
  SELECT coalesce(qsg, lpar || '.' || qmgr) AS owner, cf_structure, sum(messages_put) AS messages, sum(put_bytes) AS bytes
  FROM queue_statistics
  WHERE cf_structure IS NOT NULL
  GROUP BY ALL
),
accounted AS (
  SELECT coalesce(qsg, lpar || '.' || qmgr) AS owner, cf_structure, sum(valid_puts) AS messages, sum(put_bytes) AS bytes
  FROM queue_use
  WHERE cf_structure IS NOT NULL
  GROUP BY ALL
),
sized AS (
  SELECT owner, cf_structure, bytes / nullif(messages, 0) AS message_bytes FROM counted
  UNION ALL
  SELECT a.owner, a.cf_structure, a.bytes / nullif(a.messages, 0)
  FROM accounted AS a
  ANTI JOIN counted AS c ON c.owner = a.owner AND c.cf_structure = a.cf_structure
),
daily AS (
  SELECT q.lpar, q.qmgr, q.cf_structure, 24 * sum(q.messages_put) / nullif(max(m.statistics_hours), 0) AS messages_per_day
  FROM queue_statistics AS q
  JOIN qmgr AS m ON m.lpar = q.lpar AND m.qmgr = q.qmgr
  WHERE q.cf_structure IS NOT NULL
  GROUP BY q.lpar, q.qmgr, q.cf_structure
)
SELECT
  s.lpar, s.qmgr, s.cf_structure AS subject,
  max(z.message_bytes)    AS message_bytes,
  max(d.messages_per_day) AS messages_per_day
FROM cf_structure AS s
LEFT JOIN sized AS z ON z.owner = coalesce(s.qsg, s.lpar || '.' || s.qmgr) AND z.cf_structure = s.cf_structure
LEFT JOIN daily AS d ON d.lpar = s.lpar AND d.qmgr = s.qmgr AND d.cf_structure = s.cf_structure
WHERE NOT coalesce(s.admin_structure, false)
GROUP BY s.lpar, s.qmgr, s.cf_structure;

WITH
band AS (
  SELECT
    *, lead(message_bytes) OVER sizes AS next_bytes,
    lead(cpu_us_db2) OVER sizes AS next_cpu_us_db2,
    lead(cpu_us_smds) OVER sizes AS next_cpu_us_smds,
    lead(cf_us_db2) OVER sizes AS next_cf_us_db2,
    lead(cf_us_smds) OVER sizes AS next_cf_us_smds
  FROM shared_message_cpu
  WINDOW sizes AS (ORDER BY message_bytes)
),
message AS (
  SELECT *, CASE WHEN message_bytes < 2048 THEN 2048 WHEN message_bytes > 1048576 THEN 1048576 ELSE message_bytes END AS table_size
  FROM plan_input
),
found AS (
  SELECT m.lpar, m.qmgr, m.subject, m.messages_per_day, b.* EXCLUDE (source), CASE WHEN b.next_bytes IS NULL THEN 0 ELSE (m.table_size - b.message_bytes) / (b.next_bytes - b.message_bytes) END AS share
  FROM message AS m
  LEFT JOIN band AS b ON m.table_size >= b.message_bytes AND (m.table_size < b.next_bytes OR b.next_bytes IS NULL)
),
priced AS (
  SELECT
    lpar, qmgr, subject, messages_per_day,
    CASE WHEN share = 0 THEN cpu_us_db2 ELSE cpu_us_db2 + share * (next_cpu_us_db2 - cpu_us_db2) END AS cpu_us_db2,
    CASE WHEN share = 0 THEN cpu_us_smds ELSE cpu_us_smds + share * (next_cpu_us_smds - cpu_us_smds) END AS cpu_us_smds,
    CASE WHEN share = 0 THEN cf_us_db2 ELSE cf_us_db2 + share * (next_cf_us_db2 - cf_us_db2) END AS cf_us_db2,
    CASE WHEN share = 0 THEN cf_us_smds ELSE cf_us_smds + share * (next_cf_us_smds - cf_us_smds) END AS cf_us_smds
  FROM found
)
SELECT
  * EXCLUDE (messages_per_day), cpu_us_db2 - cpu_us_smds AS saving_us, cpu_us_db2 / nullif(cpu_us_smds, 0) AS db2_over_smds,
  messages_per_day * (cpu_us_db2 - cpu_us_smds) / 1e6 AS saving_cpu_s,
  messages_per_day * (cf_us_db2 - cf_us_smds) / 1e6   AS saving_cf_s,
  CASE WHEN cpu_us_db2 > 1.05 * cpu_us_smds THEN 'saves' WHEN cpu_us_db2 IS NOT NULL THEN 'same' END AS answer
FROM priced;
