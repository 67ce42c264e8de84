/*---
id      = "smds_io"
title   = "Input and output of shared message data sets by kind"
grain   = "one row per lpar, qmgr, interval, CF structure with a shared message data set, and kind of I/O that occurred"
needs   = ["smds"]
classes = ["115.2"]
mq_since = "7.1.0"
note    = "Helper of the rules: view smds has the three kinds as columns."

[columns]
io_kind = { unit = "text", kind = "key", doc = "Writes, reads, or reads from other members (their data sets)." }
smds_ios = { unit = "count", kind = "counter", doc = "I/Os of this kind." }
average_smds_io_us = { unit = "us", doc = "Average time of an I/O of this kind.", ratio = { numerator = "average_smds_io_us * smds_ios", denominator = "smds_ios" } }
pages_per_smds_io = { unit = "pages", doc = "Pages per I/O of this kind.", ratio = { numerator = "pages_per_smds_io * smds_ios", denominator = "smds_ios" } }
---*/
SELECT lpar, qmgr, cf_structure, interval_start_utc, interval_seconds, record_id, fragment,
  'writes' AS io_kind, smds_write_ios AS smds_ios, average_smds_write_us AS average_smds_io_us, pages_per_smds_write AS pages_per_smds_io
FROM smds
WHERE smds_write_ios > 0
UNION ALL
SELECT lpar, qmgr, cf_structure, interval_start_utc, interval_seconds, record_id, fragment,
  'reads', smds_read_ios, average_smds_read_us, pages_per_smds_read
FROM smds
WHERE smds_read_ios > 0
UNION ALL
SELECT lpar, qmgr, cf_structure, interval_start_utc, interval_seconds, record_id, fragment,
  'reads from other members', remote_read_ios, average_remote_read_us, remote_read_pages / nullif(remote_read_ios, 0)
FROM smds
WHERE remote_read_ios > 0
