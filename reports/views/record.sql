/*---
id      = "record"
title   = "SMF records of type 115 and 116"
grain   = "one row per logical record, including damaged and undecoded ones; records that repeat an earlier one are excluded"
needs   = ["decoded.record", "decoded.repeated_record"]
keep    = false

[columns]
record_id = {}
source_id = {}
smf_type = { unit = "id", kind = "key", doc = "SMF record type, 115 or 116." }
subtype = { unit = "id", kind = "key", doc = "SMF record subtype." }
record_class = { unit = "text", kind = "key", doc = "Type and subtype, such as 115.215." }
lpar = {}
qmgr = {}
qsg = {}
mq_version = {}
header_release = { unit = "text", kind = "code", doc = "Internal release in the record header, three digits." }
written_local = { unit = "ts_local", kind = "clock", doc = "Time the record was moved to the SMF buffer." }
header_stck_utc = { unit = "ts_utc", kind = "clock", doc = "Store clock of the standard header." }
gmt_offset_minutes = { unit = "min", kind = "clock", doc = "Local time minus GMT when the record was written." }
record_start_local = { unit = "ts_local", kind = "clock", doc = "Interval start of the standard header; null in headers without interval times." }
record_start_utc = { unit = "ts_utc", kind = "clock", doc = "Interval start of the standard header as GMT." }
record_us = { unit = "us", kind = "duration", doc = "Interval length of the standard header, on the scale of its record class." }
interval_start_utc = {}
interval_end_utc = {}
interval_us = {}
source_offset = { unit = "bytes", kind = "text", doc = "Offset of the first segment in the decompressed input." }
record_bytes = { unit = "bytes", kind = "gauge", doc = "Length of the joined record." }
segments = { unit = "count", kind = "gauge", doc = "Physical segments that were joined." }
damage = { unit = "text", kind = "code", doc = "Damage of the record; null if undamaged." }
record_hash = { unit = "id", kind = "key", doc = "Hash of the joined record (16 bytes): equal for the same record in two inputs." }
---*/
SELECT
  r.record_id, r.source_id, r.smf_type, r.subtype, r.record_class, r.lpar, r.qmgr, r.qsg, r.mq_version, r.header_release,
  r.written_local, r.header_stck_utc, r.gmt_offset_minutes, r.record_start_local, r.record_start_utc, r.record_us,
  r.interval_start_utc, r.interval_end_utc, r.interval_us,
  r.source_offset, r.record_bytes, r.segments, r.damage, r.record_hash
FROM decoded.record AS r
ANTI JOIN decoded.repeated_record AS d ON d.record_id = r.record_id
