/*---
id      = "record_duplicate"
title   = "Records that repeat an earlier record"
grain   = "one row per record that is equal to an earlier one"
needs   = ["decoded.record", "decoded.repeated_record"]
note    = "Records are equal if all bytes after the record descriptor word are equal. The first of several equal records is not listed."

[columns]
record_bytes = { kind = "gauge" }
cut_start_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the statistics interval in the record; null if it has no start." }
---*/
SELECT
  r.record_id, r.source_id, r.lpar, r.qmgr, r.record_class, r.record_bytes, r.written_local, d.first_record_id,
  CASE WHEN r.smf_type = 115 THEN coalesce(r.record_start_utc, r.interval_start_utc) END AS cut_start_utc
FROM decoded.record AS r
JOIN decoded.repeated_record AS d ON d.record_id = r.record_id
