/*---
id      = "other_record"
title   = "SMF records of other types"
grain   = "one row per source, lpar and SMF type other than 115 and 116"
needs   = ["decoded.other_record"]

[columns]
source_id = {}
lpar = {}
smf_type = { unit = "id", kind = "key", doc = "SMF record type." }
records = { unit = "count", doc = "Number of records." }
bytes = { unit = "bytes", doc = "Bytes of these records." }
first_written_local = { unit = "ts_local", kind = "clock", doc = "First time in a record header." }
last_written_local = { unit = "ts_local", kind = "clock", doc = "Last time in a record header." }
---*/
SELECT source_id, lpar, smf_type, records, bytes, first_written_local, last_written_local
FROM decoded.other_record
