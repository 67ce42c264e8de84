/*---
id      = "source"
title   = "Inputs"
grain   = "one row per input"
needs   = ["decoded.source"]


[columns]
source_bytes = { over = "add" }
---*/
SELECT source_id, source_name, source_bytes, source_sha256, framing, diagnosis, bytes_decoded, records_decoded, bytes_other_types, records_other_types, bytes_internal, records_internal, bytes_raw, records_raw, bytes_damaged, records_damaged,
  coalesce(bytes_duplicate, 0) AS bytes_duplicate, coalesce(records_duplicate, 0) AS records_duplicate,
  coalesce(bytes_skipped, 0) AS bytes_skipped
FROM decoded.source
