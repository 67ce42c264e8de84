/*---
id      = "sequence_block"
title   = "Numbers of records in blocks of 32"
grain   = "one row per lpar, qmgr, run, counter and block of numbers"
needs   = ["sequence_number"]
keep    = true                            # a row for 32 records, read by two views
note    = "Helper of views sequence_gap and record_sequence: a sum over tens of millions of records needs no sorting."

[columns]
block = { unit = "id", kind = "key", doc = "Number of a record divided by 32." }
numbers_present = { unit = "id", kind = "internal", doc = "Bit n is set if the record with number 32 * block + n is present.", over = "none", why = "bits" }
records = { unit = "count", doc = "Records with a number of the block.", over = "add" }
first_class = { unit = "text", doc = "Lowest class of the records." }
last_class = { unit = "text", doc = "Highest class of the records; another one than first_class if two classes share the identifier." }
first_stck_utc = { unit = "ts_utc", kind = "clock", doc = "Store clock of the first record of the block." }
last_stck_utc = { unit = "ts_utc", kind = "clock", doc = "Store clock of the last record of the block." }
first_total = { unit = "id", kind = "key", doc = "Lowest number over all kinds of the records." }
last_total = { unit = "id", kind = "key", doc = "Highest number over all kinds of the records." }
first_written_local = { unit = "ts_local", kind = "clock", doc = "Time at which the first record of the block was written." }
last_written_local = { unit = "ts_local", kind = "clock", doc = "Time at which the last record of the block was written." }
---*/
SELECT
  lpar, qmgr, run::BIGINT AS run, counter::BIGINT AS counter, instrumentation_sequence // 32 AS block,
  bit_or(1::BIGINT << (instrumentation_sequence % 32)) AS numbers_present,
  count(*) AS records,
  min(record_class) AS first_class, max(record_class) AS last_class,
  min(header_stck_utc) AS first_stck_utc, max(header_stck_utc) AS last_stck_utc,
  min(trace_sequence) AS first_total, max(trace_sequence) AS last_total,
  min(written_local) AS first_written_local, max(written_local) AS last_written_local
FROM sequence_number
GROUP BY lpar, qmgr, run, counter, block
UNION ALL
SELECT
  lpar, qmgr, run::BIGINT, 0::BIGINT, trace_sequence // 32 AS block,
  bit_or(1::BIGINT << (trace_sequence % 32)),
  count(*),
  min(record_class), max(record_class),
  min(header_stck_utc), max(header_stck_utc),
  min(trace_sequence), max(trace_sequence),
  min(written_local), max(written_local)
FROM sequence_number
WHERE trace_sequence > 0
GROUP BY lpar, qmgr, run, block
