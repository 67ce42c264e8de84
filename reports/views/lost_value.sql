/*---
id      = "lost_value"
title   = "Values that became null"
grain   = "one row per input, structure, column and reason"
needs   = ["decoded.lost_value"]
note    = "Only values of columns that were read: a report reads the columns that it needs, a dataset all."
---*/
SELECT source_id, structure, column_name, lost_reason, values_lost
FROM decoded.lost_value
