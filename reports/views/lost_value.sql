/*---
id      = "lost_value"
title   = "Values that became null"
grain   = "one row per input, structure, column and reason"
needs   = ["decoded.lost_value"]
note    = "Only values of columns that were read: a report reads the columns that it needs, a dataset all."

[columns]
source_id = {}
structure = { unit = "text", kind = "text", doc = "Name of the structure; record for the interval of the record itself." }
column_name = { unit = "text", kind = "key", doc = "Column that has no value." }
lost_reason = { unit = "text", kind = "code", doc = "Reason: too big (a 64-bit number beyond 2**48 calls or microseconds, or 2**54 bytes) or impossible time." }
values_lost = { unit = "count", kind = "counter", doc = "Values that became null." }
---*/
SELECT source_id, structure, column_name, lost_reason, values_lost
FROM decoded.lost_value
