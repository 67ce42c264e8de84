/*---
id      = "record"
title   = "SMF records of type 115 and 116"
grain   = "one row per logical record, including damaged and undecoded ones; records that repeat an earlier one are excluded"
needs   = ["decoded.record", "decoded.repeated_record"]
keep    = false

[columns]
smf_type = { doc = "SMF record type, 115 or 116.", label = "type", screen = 1 }
source_offset = { kind = "text" }
record_bytes = { kind = "gauge", over = "add" }
segments = { kind = "gauge", over = "add" }
---*/
SELECT
  r.record_id, r.source_id, r.smf_type, r.subtype, r.record_class, r.lpar, r.qmgr, r.qsg, r.mq_version, r.header_release,
  r.written_local, r.header_stck_utc, r.gmt_offset_minutes, r.record_start_local, r.record_start_utc, r.record_us,
  r.interval_start_utc, r.interval_end_utc, r.interval_us,
  r.source_offset, r.record_bytes, r.segments, r.damage, r.record_hash
FROM decoded.record AS r
ANTI JOIN decoded.repeated_record AS d ON d.record_id = r.record_id
