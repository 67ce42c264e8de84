/*---
id      = "source"
title   = "Inputs"
grain   = "one row per input"
needs   = ["decoded.source"]

[columns]
source_id = {}
source_name = { unit = "text", kind = "text", doc = "Base name of the input, without a directory." }
source_bytes = { unit = "bytes", kind = "gauge", doc = "Size of the decompressed content." }
source_sha256 = { unit = "text", kind = "key", doc = "SHA-256 of the decompressed content; null where a report is made without keeping a dataset." }
framing = { unit = "text", kind = "code", doc = "Form of the file: rdw, bdw, no-rdw or length-prefixed." }
diagnosis = { unit = "text", kind = "text", doc = "What is wrong with the transfer as a whole; null when it is sound." }
bytes_decoded = { unit = "bytes", kind = "counter", doc = "Bytes of records that count as decoded." }
records_decoded = { unit = "count", kind = "counter", doc = "Records that count as decoded." }
bytes_other_types = { unit = "bytes", kind = "counter", doc = "Bytes of records that count as other types." }
records_other_types = { unit = "count", kind = "counter", doc = "Records that count as other types." }
bytes_internal = { unit = "bytes", kind = "counter", doc = "Bytes of records that count as internal." }
records_internal = { unit = "count", kind = "counter", doc = "Records that count as internal." }
bytes_raw = { unit = "bytes", kind = "counter", doc = "Bytes of records that count as raw." }
records_raw = { unit = "count", kind = "counter", doc = "Records that count as raw." }
bytes_damaged = { unit = "bytes", kind = "counter", doc = "Bytes of records that count as damaged." }
records_damaged = { unit = "count", kind = "counter", doc = "Records that count as damaged." }
---*/
SELECT source_id, source_name, source_bytes, source_sha256, framing, diagnosis, bytes_decoded, records_decoded, bytes_other_types, records_other_types, bytes_internal, records_internal, bytes_raw, records_raw, bytes_damaged, records_damaged
FROM decoded.source
