/*---
id       = "smds/io"
title    = "Shared message data set input and output"
question = "How much SMDS I/O is there, how long does it take, and is it on this queue manager's data set or another member's?"
needs    = ["smds"]
rules    = ["SM007"]
grain    = ["lpar", "qmgr", "interval_start_utc", "cf_structure"]
dd       = ["SMDS"]
wsc      = [11]
drill_down = ["smds/buffers"]
mq_since = "7.1.0"
note     = "Remote reads are reads from the data sets of other members of the group: their times depend on the volumes of the owner. Encryption CPU is estimated from the number of pages."

[columns]
format_ios = { label = "formats" }
format_pages = { label = "format pages" }
format_io_us = { label = "format I/O µs" }
format_wait_us = { label = "format wait µs" }
smds_write_ios = { label = "writes", screen = 1 }
smds_write_pages = { label = "write pages" }
smds_write_io_us = { label = "write I/O µs" }
smds_write_wait_us = { label = "write wait µs" }
smds_read_ios = { label = "reads", screen = 1 }
smds_read_pages = { label = "read pages" }
smds_read_io_us = { label = "read I/O µs" }
smds_read_wait_us = { label = "read wait µs" }
remote_read_ios = { label = "remote reads", screen = 1 }
remote_read_pages = { label = "remote pages" }
remote_read_io_us = { label = "remote I/O µs" }
remote_read_wait_us = { label = "remote wait µs" }
smds_encrypted = { label = "encrypted" }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, mq_version, cf_structure, structure_number, format_ios,
  format_pages, format_io_us, format_wait_us, average_format_us, smds_write_ios, smds_write_pages, smds_write_io_us,
  smds_write_wait_us, average_smds_write_us, pages_per_smds_write, smds_read_ios, smds_read_pages, smds_read_io_us,
  smds_read_wait_us, average_smds_read_us, pages_per_smds_read, remote_read_ios, remote_read_pages,
  remote_read_io_us, remote_read_wait_us, average_remote_read_us, remote_read_share_pct, smds_mib_per_s,
  smds_encrypted, smds_encryption_cpu_us
FROM smds
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc, cf_structure
