/*---
id       = "plan/cf_offload_capacity"
title    = "Capacity of a structure with SMDS"
question = "How many messages fit if the structure offloads to shared message data sets?"
subject  = "structure"
needs    = ["cf_structure", "cf_structure_puts", "sharing_member", "smds"]
holds    = "Structures with CFLEVEL(5), OFFLOAD(SMDS); MQ 7.1 and later."
source   = "MP16, 'Sizing structures at CFLEVEL(5)'; MP16, 'Capacity - CFLEVEL(5) Offload - \"Emergency Storage\"' and 'Backup CFSTRUCT limit'"
result   = "total_messages"
note     = "A message of up to 122 bytes is never offloaded; another place of the document has about 130."

[parameter.message_bytes]
unit     = "bytes"
measured = "average of all puts to queues of the structure"
doc      = "Bytes of a message with all headers but the MQMD."
remedy   = "collect queue statistics (STATQ, class 5) or accounting class 3, or set message_bytes=2KiB"

[parameter.elements]
unit   = "count"
fact   = "cf_elements"
doc    = "Elements of the structure."
remedy = "take it from D XCF,STRUCTURE into the site file as cf_elements, or set elements=1410832"
least  = 1

[parameter.structure_now]
unit     = "bytes"
fact     = "structure_bytes"
doc      = "Size of the structure."
optional = true
remedy   = "take it from D XCF,STRUCTURE into the site file as structure_bytes, or set structure_now=500MiB"

[parameter.offld1sz]
unit    = "kib"
fact    = "offld1sz_kib"
doc     = "OFFLD1SZ: longer messages are offloaded from OFFLD1TH on."
default = 32
source  = "MP16, 'Sizing structures at CFLEVEL(5)': the default"
most    = 64

[parameter.offld1th]
unit    = "percent"
fact    = "offld1th_pct"
doc     = "OFFLD1TH: share of the structure in use."
default = 70
source  = "MP16, 'Sizing structures at CFLEVEL(5)': the default"
most    = 100

[parameter.offld2sz]
unit    = "kib"
fact    = "offld2sz_kib"
doc     = "OFFLD2SZ: longer messages are offloaded from OFFLD2TH on."
default = 4
source  = "MP16, 'Sizing structures at CFLEVEL(5)': the default"
most    = 64

[parameter.offld2th]
unit    = "percent"
fact    = "offld2th_pct"
doc     = "OFFLD2TH: share of the structure in use."
default = 80
source  = "MP16, 'Sizing structures at CFLEVEL(5)': the default"
most    = 100

[parameter.offld3sz]
unit    = "kib"
fact    = "offld3sz_kib"
doc     = "OFFLD3SZ: longer messages are offloaded from OFFLD3TH on."
default = 0
source  = "MP16, 'Sizing structures at CFLEVEL(5)': the default"
most    = 64

[parameter.offld3th]
unit    = "percent"
fact    = "offld3th_pct"
doc     = "OFFLD3TH: share of the structure in use."
default = 90
source  = "MP16, 'Sizing structures at CFLEVEL(5)': the default"
most    = 100

[parameter.queue_managers]
unit     = "count"
measured = "members of the queue-sharing group in the data"
doc      = "Queue managers of the group."
optional = true

[parameter.structures]
unit     = "count"
measured = "structures with SMDS statistics in the group"
doc      = "Structures of the group with shared message data sets."
optional = true

[step.elements_per_message]
unit    = "count"
label   = "elements for each message"
formula = "(message + 372) / 256, rounded up"

[step.offload_from]
unit    = "percent"
label   = "offloaded from this share in use"
formula = "the lowest OFFLDnTH whose OFFLDnSZ the message is longer than, with its headers of 372 bytes; 0 above 63 KB, 100 if no rule holds or up to 122 bytes"

[step.whole_messages]
unit    = "count"
label   = "messages in the structure"
formula = "share * elements / elements for each message"

[step.total_messages]
unit    = "count"
label   = "messages in all"
formula = "messages in the structure + (1 - share) * elements / 2"

[step.without_offload]
unit    = "count"
label   = "messages without offload, ALLOWAUTOALT(YES)"
formula = "size / (bytes for each message * 1.25)"

[step.smds_gib]
unit    = "gib"
label   = "largest data sets of a structure"
formula = "16 TiB * queue managers"

[step.group_gib]
unit    = "gib"
label   = "largest data sets of the group"
formula = "the same * structures"

[answer.never]
text = "Messages of {message_bytes:,.0f} bytes are never offloaded, by their size or by the offload rules. {whole_messages:,.0f} fit in the structure."

[answer.always]
text = "Messages of {message_bytes:,.0f} bytes are above 63 KB and always offloaded: {total_messages:,.0f} fit, if the data sets have the room."

[answer.later]
text = "{whole_messages:,.0f} messages of {message_bytes:,.0f} bytes are in the structure when it is {offload_from:,.0f} % full; then the rest is offloaded, and {total_messages:,.0f} fit in all, if the data sets have the room<<. Without offload {without_offload:,.0f} would fit>>."
---*/
WITH
member AS (
  SELECT qsg, count(DISTINCT qmgr) AS queue_managers FROM sharing_member WHERE qsg IS NOT NULL GROUP BY qsg
),
data_set AS (
  SELECT qsg, count(DISTINCT cf_structure) AS structures FROM smds WHERE qsg IS NOT NULL GROUP BY qsg
)
SELECT
  s.lpar, s.qmgr, s.cf_structure AS subject,
  max(p.group_message_bytes) AS message_bytes,
  max(m.queue_managers)      AS queue_managers,
  max(d.structures)          AS structures
FROM cf_structure AS s
LEFT JOIN cf_structure_puts AS p ON p.lpar = s.lpar AND p.qmgr = s.qmgr AND p.cf_structure = s.cf_structure
LEFT JOIN member AS m ON m.qsg = s.qsg
LEFT JOIN data_set AS d ON d.qsg = s.qsg
WHERE NOT coalesce(s.admin_structure, false)
GROUP BY s.lpar, s.qmgr, s.cf_structure;

WITH tier AS (
  SELECT
    *,
    ceil((message_bytes + 372) / 256)::BIGINT AS elements_per_message,
    CASE
      WHEN message_bytes > 64512 THEN 0
      WHEN message_bytes <= 122 THEN 100
      WHEN message_bytes IS NOT NULL THEN least(
        100,
        CASE WHEN message_bytes + 372 > 1024 * offld1sz THEN offld1th END,
        CASE WHEN message_bytes + 372 > 1024 * offld2sz THEN offld2th END,
        CASE WHEN message_bytes + 372 > 1024 * offld3sz THEN offld3th END
      )
    END                                       AS offload_from
  FROM plan_input
),
split AS (
  SELECT *, offload_from / 100 * elements / elements_per_message AS whole_messages
  FROM tier
)
SELECT
  lpar, qmgr, subject, elements_per_message, offload_from, whole_messages,
  whole_messages + (1 - offload_from / 100) * elements / 2          AS total_messages,
  CASE WHEN message_bytes <= 64512 THEN structure_now / (structure_bytes_per_message(message_bytes, 372) * 1.25) END AS without_offload,
  16 * 1024 * queue_managers                                        AS smds_gib,
  16 * 1024 * queue_managers * structures                           AS group_gib,
  CASE
    WHEN whole_messages IS NULL THEN NULL
    WHEN message_bytes > 64512 THEN 'always'
    WHEN offload_from = 100 THEN 'never'
    ELSE 'later'
  END                                                               AS answer
FROM split;
