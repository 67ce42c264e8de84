/*---
id       = "plan/cf_structure_size"
title    = "Size of an application structure"
question = "What INITSIZE does this structure need to keep the messages of an outage?"
subject  = "structure"
needs    = ["cf_structure", "cf_structure_puts"]
profiles = ["cf_capacity"]
holds    = "Structures above 16 MB with ALLOWAUTOALT(NO); messages that are not offloaded to Db2 or SMDS."
source   = "MP16, 'Application structures' and 'CF at CFCC levels 17 and later'; Z17, 'Does CFCC level 26 affect the size of my APPLICATION structures?'"
result   = "init_kib"
note     = "The formula is up to 7 % low for messages of 4 KB and more against the measured tables, so the larger of both counts. The put rate is that of all queue managers of the group that are in the data; members without data are missing. The CFSizer of IBM is authoritative."

[coverage]
least = 0.25
unit  = "h"
why   = "the busiest hour of a shorter time is not reliable"

[parameter.message_bytes]
unit     = "bytes"
measured = "average of all puts to queues of the structure"
doc      = "Bytes of a message with all headers but the MQMD."
remedy   = "collect queue statistics (STATQ, class 5) or accounting class 3, or set message_bytes=2KiB"

[parameter.put_rate]
unit     = "per_s"
measured = "messages put per second in the busiest hour, all members in the data"
doc      = "Messages put per second to the queues of the structure."
optional = true
remedy   = "collect queue statistics (STATQ, class 5) or accounting class 3, or set put_rate=50/s"

[parameter.outage]
unit    = "h"
doc     = "Hours without a consumer that the structure must survive."
default = 8
source  = "our assumption: a night; MP16, 'Application structures', asks for the longest outage that must be survived"

[parameter.messages]
unit     = "count"
doc      = "Messages that the structure must hold, if that is not the put rate for the hours of the outage."
optional = true

[parameter.structure_now]
unit     = "bytes"
fact     = "structure_bytes"
doc      = "Size of the structure now."
optional = true
remedy   = "take it from D XCF,STRUCTURE into the site file as structure_bytes"

[parameter.grouping]
unit    = "flag"
doc     = "Whether the messages are in groups, which needs 72 bytes more for the MQMDE."
default = false
source  = "MP16, 'Application structures'"

[parameter.auto_alter]
unit    = "flag"
doc     = "Whether the structure has ALLOWAUTOALT(YES) and all of its messages are above 63 KB."
default = false
source  = "MP16, 'Application structures'"

[parameter.cfcc]
unit    = "level"
doc     = "Level of the coupling facility control code."
default = 25
source  = "MP16, 'Application structures': 8 MB more from level 25 on; Z17, 'Does CFCC level 26 affect the size of my APPLICATION structures?'"
least   = 1

[parameter.overhead]
unit    = "ratio"
doc     = "Factor for the entry to element ratio and the coupling facility itself."
default = 1.32
source  = "MP16, 'Application structures': 32 % from CFCC level 12 on, 25 % before"
least   = 1

[step.bytes_per_message]
unit    = "bytes"
label   = "bytes for each message"
formula = "message + 372 in whole 256 bytes, at least 1536, + 256; above 64,512 bytes 2048, or 1024 with ALLOWAUTOALT(YES)"

[step.bytes_with_grouping]
unit    = "bytes"
label   = "the same for messages in groups"
formula = "with 72 bytes more"

[step.messages_to_hold]
unit    = "count"
label   = "messages to hold"
formula = "put rate * hours, or what was set"

[step.formula_kib]
unit    = "kib"
label   = "size by formula"
formula = "messages * bytes * factor (above 64,512 bytes without the factor), 8 MiB more from CFCC 25 on"

[step.table_kib]
unit    = "kib"
label   = "size by tables"
formula = "messages * bytes for each, interpolated in the measured tables for 0.5 GB and 4 GB; the larger"

[step.init_kib]
unit    = "kib"
label   = "INITSIZE"
formula = "the larger of both, in whole MiB"

[step.size_kib]
unit    = "kib"
label   = "SIZE, at most"
formula = "2 * INITSIZE"

[answer.enough]
text = "The structure is large enough: INITSIZE({init_kib}) in KB holds {messages_to_hold} message[s] of {message_bytes:,.0f} bytes, and it has {structure_now:,.0f} bytes."

[answer.enlarge]
text = "The structure needs INITSIZE({init_kib}) in KB and SIZE of at most {size_kib} for {messages_to_hold} message[s] of {message_bytes:,.0f} bytes; it has {structure_now:,.0f} bytes."
do   = ["Change INITSIZE and SIZE in the CFRM policy, check them with CFSizer, and rebuild the structure.", "DISPLAY CFSTATUS({subject}) TYPE(SUMMARY)"]

[answer.needed]
text = "INITSIZE({init_kib}) in KB, with SIZE of at most {size_kib}, holds {messages_to_hold} message[s] of {message_bytes:,.0f} bytes."
do   = ["Compare with INITSIZE and SIZE of the CFRM policy, and check the size with CFSizer."]

[answer.small]
text = "By the formula {messages_to_hold} message[s] of {message_bytes:,.0f} bytes take {init_kib} KB, but below 16 MB the coupling facility itself takes a larger share: use at least 16 MB."
---*/
SELECT
  s.lpar, s.qmgr, s.cf_structure AS subject,
  sum(s.interval_seconds) / 3600 AS covered,
  max(p.group_message_bytes)     AS message_bytes,
  max(p.group_puts_per_s)        AS put_rate,
  max(p.busiest_hour_local)      AS put_rate_at
FROM cf_structure AS s
LEFT JOIN cf_structure_puts AS p ON p.lpar = s.lpar AND p.qmgr = s.qmgr AND p.cf_structure = s.cf_structure
WHERE NOT coalesce(s.admin_structure, false)
GROUP BY s.lpar, s.qmgr, s.cf_structure;

WITH measured AS (
  SELECT
    list(message_bytes ORDER BY message_bytes)                                            AS sizes,
    list(512000000 / half_gb_cfcc_24 ORDER BY message_bytes)                              AS half_24,
    list(512000000 / half_gb_cfcc_25 ORDER BY message_bytes)                              AS half_25,
    list(4294967296 / four_gb ORDER BY message_bytes)                                     AS four
  FROM cf_capacity
),
message AS (
  SELECT
    i.*,
    CASE WHEN i.messages IS NOT NULL THEN i.messages ELSE ceil(i.put_rate * 3600 * i.outage) END AS wanted,
    structure_bytes_per_message(i.message_bytes, 372)                                     AS plain_bytes,
    structure_bytes_per_message(i.message_bytes, 444)                                     AS group_bytes,
    CASE WHEN i.auto_alter THEN 1024 ELSE 2048 END                                        AS large_bytes,
    CASE WHEN i.cfcc >= 25 THEN 8192 ELSE 0 END                                           AS extra_kib,
    interpolated(i.message_bytes, m.sizes, CASE WHEN i.cfcc >= 25 THEN m.half_25 ELSE m.half_24 END) AS half_bytes,
    interpolated(i.message_bytes, m.sizes, m.four)                                        AS four_bytes
  FROM plan_input AS i
  CROSS JOIN measured AS m
),
sized AS (
  SELECT
    *,
    CASE WHEN message_bytes <= 64512 THEN plain_bytes WHEN message_bytes > 64512 THEN large_bytes END AS bytes_per_message,
    CASE WHEN message_bytes <= 64512 THEN group_bytes WHEN message_bytes > 64512 THEN large_bytes END AS bytes_with_grouping,
    CASE WHEN message_bytes <= 64512 THEN overhead WHEN message_bytes > 64512 THEN 1 END              AS factor
  FROM message
),
compared AS (
  SELECT
    *,
    wanted * CASE WHEN grouping THEN bytes_with_grouping ELSE bytes_per_message END * factor / 1024 + extra_kib AS formula_kib,
    CASE WHEN message_bytes <= 64512 THEN wanted * greatest(half_bytes, four_bytes) / 1024 END AS table_kib
  FROM sized
),
whole AS (
  SELECT
    *,
    CASE WHEN formula_kib IS NOT NULL THEN ceil(round(greatest(formula_kib, table_kib) / 1024, 6))::BIGINT * 1024 END AS init_kib
  FROM compared
)
SELECT
  lpar, qmgr, subject, bytes_per_message, bytes_with_grouping, wanted::BIGINT AS messages_to_hold, formula_kib, table_kib, init_kib,
  2 * init_kib AS size_kib,
  CASE
    WHEN init_kib IS NULL THEN NULL
    WHEN structure_now >= init_kib * 1024 THEN 'enough'
    WHEN structure_now IS NOT NULL THEN 'enlarge'
    WHEN init_kib < 16384 THEN 'small'
    ELSE 'needed'
  END AS answer
FROM whole;
