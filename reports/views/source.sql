/*---
id      = "source"
title   = "Inputs"
grain   = "one row per input"
needs   = ["decoded.source"]

[columns]
source_name = { doc = "Base name of the input, without a directory." }
framing = { doc = "Format of the file: rdw, bdw, no-rdw or length-prefixed." }
bytes_decoded = { doc = "Bytes of decoded records." }
records_decoded = { doc = "Decoded records." }
bytes_other_types = { doc = "Bytes of records of other types." }
records_other_types = { doc = "Records of other types." }
bytes_internal = { doc = "Bytes of records that only IBM uses." }
records_internal = { doc = "Records that only IBM uses." }
bytes_raw = { doc = "Bytes of records kept undecoded (raw)." }
records_raw = { doc = "Records kept undecoded (raw)." }
bytes_damaged = { doc = "Bytes of damaged records." }
records_damaged = { doc = "Damaged records." }
bytes_duplicate = { doc = "Bytes of records that are equal to another record of the data." }
records_duplicate = { doc = "Records that are equal to another record of the data; each record is counted once." }
---*/
SELECT source_id, source_name, source_bytes, source_sha256, framing, diagnosis, bytes_decoded, records_decoded, bytes_other_types, records_other_types, bytes_internal, records_internal, bytes_raw, records_raw, bytes_damaged, records_damaged,
  coalesce(bytes_duplicate, 0) AS bytes_duplicate, coalesce(records_duplicate, 0) AS records_duplicate
FROM decoded.source
