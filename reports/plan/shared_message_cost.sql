/*---
id       = "plan/shared_message_cost"
title    = "Db2 or SMDS for large shared messages"
question = "What would shared message data sets save against Db2?"
subject  = "structure"
needs    = ["cf_structure", "cf_structure_puts", "qmgr", "queue_statistics", "smds"]
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

[parameter.offload]
unit     = "text"
measured = "SMDS, if the structure has statistics of its shared message data set"
fact     = "cf_offload"
doc      = "Where long messages of the structure are (OFFLOAD)."
choices  = ["NONE", "DB2", "SMDS"]
optional = true

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

[answer.in_use]
text = "The structure offloads to SMDS already: {cpu_us_smds:,.0f} µs of CPU for a message of {message_bytes:,.0f} bytes, where Db2 takes {cpu_us_db2:,.0f}, {db2_over_smds:,.1f} times as much<<. That saves {saving_cpu_s:,.0f} s of CPU and {saving_cf_s:,.0f} s of the coupling facility each day>>."

[answer.saves]
text = "SMDS takes {cpu_us_smds:,.0f} µs of CPU for a message of {message_bytes:,.0f} bytes, Db2 {cpu_us_db2:,.0f}: {db2_over_smds:,.1f} times as much<<. SMDS saves {saving_cpu_s:,.0f} s of CPU and {saving_cf_s:,.0f} s of the coupling facility each day>>."
do   = ["Define the structure with CFLEVEL(5) and OFFLOAD(SMDS)."]

[answer.same]
text = "With Db2 and with SMDS a message of {message_bytes:,.0f} bytes takes about the same CPU, {cpu_us_smds:,.0f} µs."
---*/
WITH data_set AS (
  SELECT DISTINCT qsg, cf_structure, 'SMDS' AS offload FROM smds WHERE qsg IS NOT NULL
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
  max(p.group_message_bytes) AS message_bytes,
  max(d.messages_per_day)    AS messages_per_day,
  max(o.offload)             AS offload
FROM cf_structure AS s
LEFT JOIN cf_structure_puts AS p ON p.lpar = s.lpar AND p.qmgr = s.qmgr AND p.cf_structure = s.cf_structure
LEFT JOIN daily AS d ON d.lpar = s.lpar AND d.qmgr = s.qmgr AND d.cf_structure = s.cf_structure
LEFT JOIN data_set AS o ON o.qsg = s.qsg AND o.cf_structure = s.cf_structure
WHERE NOT coalesce(s.admin_structure, false)
GROUP BY s.lpar, s.qmgr, s.cf_structure;

WITH measured AS (
  SELECT
    list(message_bytes ORDER BY message_bytes) AS sizes,
    list(cpu_us_db2 ORDER BY message_bytes)    AS cpu_db2,
    list(cpu_us_smds ORDER BY message_bytes)   AS cpu_smds,
    list(cf_us_db2 ORDER BY message_bytes)     AS cf_db2,
    list(cf_us_smds ORDER BY message_bytes)    AS cf_smds
  FROM shared_message_cpu
),
priced AS (
  SELECT
    i.lpar, i.qmgr, i.subject, i.messages_per_day, i.offload,
    interpolated(i.message_bytes, m.sizes, m.cpu_db2)  AS cpu_us_db2,
    interpolated(i.message_bytes, m.sizes, m.cpu_smds) AS cpu_us_smds,
    interpolated(i.message_bytes, m.sizes, m.cf_db2)   AS cf_us_db2,
    interpolated(i.message_bytes, m.sizes, m.cf_smds)  AS cf_us_smds
  FROM plan_input AS i
  CROSS JOIN measured AS m
)
SELECT
  * EXCLUDE (messages_per_day, offload), cpu_us_db2 - cpu_us_smds AS saving_us, cpu_us_db2 / nullif(cpu_us_smds, 0) AS db2_over_smds,
  messages_per_day * (cpu_us_db2 - cpu_us_smds) / 1e6 AS saving_cpu_s,
  messages_per_day * (cf_us_db2 - cf_us_smds) / 1e6   AS saving_cf_s,
  CASE WHEN cpu_us_db2 > 1.05 * cpu_us_smds AND offload = 'SMDS' THEN 'in_use' WHEN cpu_us_db2 > 1.05 * cpu_us_smds THEN 'saves' WHEN cpu_us_db2 IS NOT NULL THEN 'same' END AS answer
FROM priced;
