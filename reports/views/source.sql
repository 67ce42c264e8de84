/*---
id      = "source"
title   = "Inputs"
grain   = "one row per input"
needs   = ["decoded.source"]

[columns]
source_id = {}
source_name = { unit = "text", kind = "text", doc = "Base name of the input, without a directory." }
source_bytes = { unit = "bytes", kind = "gauge", doc = "Size of the decompressed content." }
source_sha256 = { unit = "text", kind = "key", doc = "SHA-256 of the decompressed content; null if a report is made without a dataset." }
framing = { unit = "text", kind = "code", doc = "Format of the file: rdw, bdw, no-rdw or length-prefixed." }
diagnosis = { unit = "text", kind = "text", doc = "Problem of the transfer as a whole; null if it has no problem." }
bytes_decoded = { unit = "bytes", kind = "counter", doc = "Bytes of decoded records." }
records_decoded = { unit = "count", kind = "counter", doc = "Decoded records." }
bytes_other_types = { unit = "bytes", kind = "counter", doc = "Bytes of records of other types." }
records_other_types = { unit = "count", kind = "counter", doc = "Records of other types." }
bytes_internal = { unit = "bytes", kind = "counter", doc = "Bytes of records that only IBM uses." }
records_internal = { unit = "count", kind = "counter", doc = "Records that only IBM uses." }
bytes_raw = { unit = "bytes", kind = "counter", doc = "Bytes of records kept undecoded (raw)." }
records_raw = { unit = "count", kind = "counter", doc = "Records kept undecoded (raw)." }
bytes_damaged = { unit = "bytes", kind = "counter", doc = "Bytes of damaged records." }
records_damaged = { unit = "count", kind = "counter", doc = "Damaged records." }
bytes_duplicate = { unit = "bytes", kind = "counter", doc = "Bytes of records that are equal to another record of the data." }
records_duplicate = { unit = "count", kind = "counter", doc = "Records that are equal to another record of the data; each record is counted once." }
---*/
SELECT source_id, source_name, source_bytes, source_sha256, framing, diagnosis, bytes_decoded, records_decoded, bytes_other_types, records_other_types, bytes_internal, records_internal, bytes_raw, records_raw, bytes_damaged, records_damaged,
  coalesce(bytes_duplicate, 0) AS bytes_duplicate, coalesce(records_duplicate, 0) AS records_duplicate
FROM decoded.source
