/*---
id      = "sequence_number"
title   = "Numbered records"
grain   = "one row per undamaged record that has a number, without those of record_doubt"
needs   = ["decoded.numbered_record", "sequence_start", "record_doubt"]
keep    = false
note    = "Helper of views sequence_block and sequence_gap. A run is the time from a start of a queue manager on an LPAR to the next one."

[columns]
source_offset = { kind = "text" }
run = { unit = "id", kind = "key", doc = "Number of the run of the queue manager in the data: starts that are not later than the record." }
counter = { unit = "id", kind = "key", doc = "What is counted: resource manager X'1A' = 1, X'F7' = 2, times 65536, plus the instrumentation identifier; 0 = records of all kinds." }
---*/
WITH started AS (
  SELECT lpar, qmgr, list(run_start_utc) AS starts
  FROM sequence_start
  GROUP BY lpar, qmgr
)
SELECT
  n.source_id, n.record_id, n.source_offset, n.record_class, n.lpar, n.qmgr, n.written_local, n.header_stck_utc, n.record_start_utc,
  n.instrumentation_sequence, n.trace_sequence,
  CASE WHEN s.starts IS NULL THEN 0 ELSE len(list_filter(s.starts, lambda start_utc: start_utc <= n.header_stck_utc)) END AS run,
  CASE n.resource_manager WHEN '1A' THEN 65536 ELSE 131072 END + n.instrumentation_id AS counter
FROM decoded.numbered_record AS n
LEFT JOIN started AS s ON s.lpar = n.lpar AND s.qmgr = n.qmgr
ANTI JOIN record_doubt AS d ON d.record_id = n.record_id
WHERE n.damage IS NULL
