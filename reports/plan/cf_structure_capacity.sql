/*---
id       = "plan/cf_structure_capacity"
title    = "Messages that fit in a structure"
question = "How many messages fit in this structure before it is full?"
subject  = "structure"
needs    = ["cf_structure", "cf_structure_puts"]
profiles = ["cf_capacity"]
holds    = "Structures with ALLOWAUTOALT(NO), messages that are not offloaded, CFCC level 17 and later."
source   = "MP16, 'CF at CFCC levels 17 and later'; Z17, 'Does CFCC level 26 affect the size of my APPLICATION structures?'"
result   = "messages"
note     = "The tables are measurements: 500,000 KB and 4 GB. The formula differs from them by -6 % (small messages) to +7 %."

[parameter.message_bytes]
unit     = "bytes"
measured = "average of all puts to queues of the structure"
doc      = "Bytes of a message with all headers but the MQMD."
remedy   = "collect queue statistics (STATQ, class 5) or accounting class 3, or set message_bytes=2KiB"

[parameter.structure_now]
unit   = "bytes"
fact   = "structure_bytes"
doc    = "Size of the structure."
remedy = "take it from D XCF,STRUCTURE into the site file as structure_bytes, or set structure_now=500MiB"
least  = 1

[parameter.peak_entries]
unit     = "count"
measured = "most entries in use in any interval"
doc      = "Entries in use at the peak; each message takes one."
optional = true

[parameter.fulls]
unit     = "count"
measured = "requests that found the structure full, all intervals"
doc      = "Requests that found the structure full."
optional = true

[parameter.cfcc]
unit    = "level"
doc     = "Level of the coupling facility control code."
default = 25
source  = "MP16, 'CF at CFCC levels 17 and later'"
least   = 1

[parameter.overhead]
unit    = "ratio"
doc     = "Factor of the formula for the entry to element ratio and the coupling facility itself."
default = 1.32
source  = "MP16, 'Application structures': 32 % from CFCC level 12 on"
least   = 1

[step.bytes_per_message]
unit    = "bytes"
label   = "bytes for each message by formula"
formula = "message + 372 in whole 256 bytes, at least 1536, + 256"

[step.table_bytes_per_message]
unit    = "bytes"
label   = "bytes for each message by tables"
formula = "interpolated by message size, and by structure size between 0.5 GB and 4 GB"

[step.messages]
unit    = "count"
label   = "messages that fit by tables"
formula = "size / bytes for each message by tables"

[step.messages_by_half_gb]
unit    = "count"
label   = "the same by the table for 0.5 GB alone"
formula = "size / bytes for each message of that table"

[step.messages_by_formula]
unit    = "count"
label   = "the same by formula"
formula = "size / (bytes for each message * factor)"

[step.formula_over_table]
unit    = "ratio"
label   = "formula against tables"
formula = "messages by formula / messages by tables"

[step.implied_overhead]
unit    = "ratio"
label   = "factor that fits the tables"
formula = "bytes by tables / bytes by formula"

[step.peak_pct]
unit    = "percent"
label   = "peak as a share"
formula = "100 * entries in use at the peak / messages by tables"

[answer.small]
text = "Messages of {message_bytes:,.0f} bytes in a structure of {structure_now:,.0f} bytes: at most {messages:,.0f}, but below 16 MB the coupling facility itself takes a larger share."

[answer.was_full]
text = "The structure holds about {messages:,.0f} messages of {message_bytes:,.0f} bytes, and was full for {fulls:.0f} request[s]<<; {peak_entries:,.0f} entries were in use at the peak>>."
do   = ["See the plan cf_structure_size for the size that the messages of an outage need."]

[answer.holds]
text = "The structure holds about {messages:,.0f} messages of {message_bytes:,.0f} bytes (by the formula {messages_by_formula:,.0f})<<; at the peak {peak_entries:,.0f} entries were in use, {peak_pct:,.1f} %>>."

[answer.large]
text = "Messages of {message_bytes:,.0f} bytes are above 63 KB: they are in Db2 or a shared message data set, and the structure holds about {messages_by_formula:,.0f} of them at 2 KB each."
---*/
SELECT
  s.lpar, s.qmgr, s.cf_structure AS subject,
  max(p.group_message_bytes)                      AS message_bytes,
  max(s.entries_high)                             AS peak_entries,
  at_peak(s.interval_start_local, s.entries_high, s.interval_start_utc) AS peak_entries_at,
  sum(s.structure_fulls)                          AS fulls
FROM cf_structure AS s
LEFT JOIN cf_structure_puts AS p ON p.lpar = s.lpar AND p.qmgr = s.qmgr AND p.cf_structure = s.cf_structure
WHERE NOT coalesce(s.admin_structure, false)
GROUP BY s.lpar, s.qmgr, s.cf_structure;

WITH measured AS (
  SELECT
    list(message_bytes ORDER BY message_bytes)                                   AS sizes,
    list(512000000 / half_gb_cfcc_24 ORDER BY message_bytes)                     AS half_24,
    list(512000000 / half_gb_cfcc_25 ORDER BY message_bytes)                     AS half_25,
    list(4294967296 / four_gb ORDER BY message_bytes)                            AS four
  FROM cf_capacity
),
message AS (
  SELECT
    i.*,
    CASE WHEN i.message_bytes <= 64512 THEN structure_bytes_per_message(i.message_bytes, 372) WHEN i.message_bytes > 64512 THEN 2048 END AS bytes_per_message,
    CASE WHEN i.message_bytes <= 64512 THEN i.overhead WHEN i.message_bytes > 64512 THEN 1 END AS factor,
    CASE WHEN i.message_bytes <= 64512 THEN interpolated(i.message_bytes, m.sizes, CASE WHEN i.cfcc >= 25 THEN m.half_25 ELSE m.half_24 END) END AS half_bytes,
    CASE WHEN i.message_bytes <= 64512 THEN interpolated(i.message_bytes, m.sizes, m.four) END AS four_bytes,
    greatest(0, least(1, (i.structure_now - 512000000) / (4294967296 - 512000000))) AS toward_four
  FROM plan_input AS i
  CROSS JOIN measured AS m
),
held AS (
  SELECT
    *,
    half_bytes + toward_four * (four_bytes - half_bytes)                         AS table_bytes_per_message,
    structure_now / half_bytes                                                   AS messages_by_half_gb,
    structure_now / nullif(bytes_per_message * factor, 0)                        AS messages_by_formula
  FROM message
),
compared AS (
  SELECT *, structure_now / table_bytes_per_message AS messages
  FROM held
)
SELECT
  lpar, qmgr, subject, bytes_per_message, table_bytes_per_message, messages, messages_by_half_gb, messages_by_formula,
  messages_by_formula / nullif(messages, 0)          AS formula_over_table,
  table_bytes_per_message / bytes_per_message        AS implied_overhead,
  pct(peak_entries, messages)                        AS peak_pct,
  CASE
    WHEN messages_by_formula IS NULL THEN NULL
    WHEN message_bytes > 64512 THEN 'large'
    WHEN fulls > 0 THEN 'was_full'
    WHEN structure_now < 16777216 THEN 'small'
    ELSE 'holds'
  END                                                AS answer
FROM compared;
