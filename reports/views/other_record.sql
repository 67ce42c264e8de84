/*---
id      = "other_record"
title   = "SMF records of other types"
grain   = "one row per source, lpar and SMF type other than 115 and 116"
needs   = ["decoded.other_record"]

[columns]
---*/
SELECT source_id, lpar, smf_type, records, bytes, first_written_local, last_written_local
FROM decoded.other_record
