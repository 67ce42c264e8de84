/*---
id       = "plan/cf_elements"
title    = "Entries and elements of a structure"
question = "Which runs out first in this structure, entries or elements?"
subject  = "structure"
needs    = ["cf_structure", "cf_structure_puts"]
holds    = "All levels; elements of 256 bytes."
source   = "MP16, 'Increasing the maximum number of messages within a structure'"
result   = "elements"
note     = "The ratio after an alter by the system is not in SMF: DISPLAY CFSTATUS and D XCF,STRUCTURE show it."

[parameter.message_bytes]
unit     = "bytes"
measured = "average of all puts to queues of the structure"
doc      = "Bytes of a message with all headers but the MQMD."
remedy   = "collect queue statistics (STATQ, class 5) or accounting class 3, or set message_bytes=2KiB"

[parameter.entries_used]
unit     = "count"
measured = "most entries in use in any interval"
doc      = "Entries in use at the peak."
optional = true

[parameter.elements_used]
unit     = "count"
measured = "most elements in use in any interval"
doc      = "Elements in use at the peak."
optional = true

[parameter.offloaded]
unit    = "flag"
doc     = "Whether the messages are offloaded to Db2 or a shared message data set."
default = false
source  = "MP16, 'Increasing the maximum number of messages within a structure'"

[parameter.ratio]
unit    = "ratio"
doc     = "Elements for each entry of the structure."
default = 6
source  = "MP16, 'Increasing the maximum number of messages within a structure': 6 to 1 when MQ allocates it"
least   = 1

[step.elements]
unit    = "count"
label   = "elements for each message"
formula = "(message + 372) / 256, rounded up; 2 if it is offloaded or above 64,512 bytes"

[step.entries]
unit    = "count"
label   = "entries for each message"
formula = "1"

[step.used_ratio]
unit    = "ratio"
label   = "elements for each entry in use"
formula = "elements in use at the peak / entries in use at the peak"

[step.entries_of_pool]
unit    = "count"
label   = "entries that belong to the elements of a message"
formula = "elements for each message / elements for each entry"

[answer.entries]
text = "Entries run out first: a message of {message_bytes:,.0f} bytes takes {elements} element[s], and the structure has {ratio:,.1f} for each entry<<. In use were {used_ratio:,.1f} for each entry>>. With ALLOWAUTOALT(YES) the system changes the ratio, and more messages fit."

[answer.elements]
text = "Elements run out first: a message of {message_bytes:,.0f} bytes takes {elements} element[s], and the structure has {ratio:,.1f} for each entry<<. In use were {used_ratio:,.1f} for each entry>>."

[answer.same]
text = "Entries and elements run out together: a message of {message_bytes:,.0f} bytes takes {elements} elements, as many as the structure has for each entry<<. In use were {used_ratio:,.1f} for each entry>>."
---*/
SELECT
  s.lpar, s.qmgr, s.cf_structure AS subject,
  max(p.group_message_bytes)                      AS message_bytes,
  max(s.entries_high)                             AS entries_used,
  at_peak(s.elements_high, s.entries_high, s.interval_start_utc)        AS elements_used,
  at_peak(s.interval_start_local, s.entries_high, s.interval_start_utc) AS entries_used_at
FROM cf_structure AS s
LEFT JOIN cf_structure_puts AS p ON p.lpar = s.lpar AND p.qmgr = s.qmgr AND p.cf_structure = s.cf_structure
WHERE NOT coalesce(s.admin_structure, false)
GROUP BY s.lpar, s.qmgr, s.cf_structure;

WITH split AS (
  SELECT *, CASE WHEN offloaded OR message_bytes > 64512 THEN 2 ELSE ceil((message_bytes + 372) / 256)::BIGINT END AS elements
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, elements, CASE WHEN elements IS NOT NULL THEN 1 END AS entries,
  elements_used / nullif(entries_used, 0)  AS used_ratio,
  elements / nullif(ratio, 0)              AS entries_of_pool,
  CASE
    WHEN elements IS NULL OR ratio IS NULL OR message_bytes IS NULL THEN NULL
    WHEN elements < ratio THEN 'entries'
    WHEN elements > ratio THEN 'elements'
    ELSE 'same'
  END                                      AS answer
FROM split;
