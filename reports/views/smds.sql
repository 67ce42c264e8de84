/*---
id      = "smds"
title   = "Shared message data sets"
grain   = "one row per lpar, qmgr, interval and CF structure with a shared message data set"
needs   = ["decoded.qesd", "expansion", "growth_limit", "interval_cut", "queue_sharing_group"]
classes = ["115.2"]
mq_since = "7.1.0"

[columns]
cf_structure = { label = "structure", screen = 1 }
structure_number = { label = "structure no" }
smds_used_pct = { unit = "percent", doc = "Used data blocks when the record was written.", over_time = "last", ratio = { numerator = "smds_used_blocks", denominator = "smds_data_blocks", scale = 100 }, label = "used %", screen = 2 }
smds_used_high_pct = { unit = "percent", doc = "Highest number of data blocks in use, as a share of all.", over = "max", label = "most used %", screen = 1 }
smds_allocated_mib = { unit = "mib", doc = "Size of the data set.", over_time = "last", across = "add", label = "MiB", format = ",.0f", screen = 1 }
smds_high_used_mib = { unit = "mib", doc = "Part of the data set that was ever used.", over_time = "last", across = "add", label = "high used MiB", format = ",.0f" }
smds_percent_of_16_tib = { unit = "percent", doc = "Size as a share of the largest possible data set.", over_time = "last", across = "max", label = "of 16 TiB %" }
at_largest = { unit = "flag", doc = "The data set has its largest size, 16 TiB, so that no command enlarges it." }
smds_buffer_mib = { unit = "mib", doc = "Storage of the buffers.", over_time = "last", across = "add", label = "MiB" }
buffer_wait_pct = { unit = "percent", doc = "Waits as a share of the requests for a buffer.", ratio = { numerator = "pool_waits + busy_buffer_waits", denominator = "buffer_gets", scale = 100 }, label = "waits %" }
average_pool_wait_us = { unit = "us", doc = "Average wait for a free buffer.", ratio = { numerator = "pool_wait_us", denominator = "pool_waits" }, label = "avg pool wait µs", screen = 2 }
average_busy_buffer_wait_us = { unit = "us", doc = "Average wait for a busy buffer.", ratio = { numerator = "busy_buffer_wait_us", denominator = "busy_buffer_waits" }, label = "avg busy wait µs" }
smds_reads_saved_pct = { unit = "percent", doc = "Share of the reads that a buffer satisfied.", ratio = { numerator = "smds_reads_saved", denominator = "smds_read_requests", scale = 100 }, label = "reads saved %", screen = 1 }
buffer_valid_pct = { unit = "percent", doc = "Share of the buffer requests that found valid data.", ratio = { numerator = "buffer_gets_valid", denominator = "buffer_gets", scale = 100 }, label = "valid %", screen = 3 }
remote_read_share_pct = { unit = "percent", doc = "Share of the read I/Os to data sets of other queue managers.", ratio = { numerator = "remote_read_ios", denominator = "smds_read_ios + remote_read_ios", scale = 100 }, label = "remote %", screen = 2 }
average_smds_write_us = { unit = "us", doc = "Average write I/O.", ratio = { numerator = "smds_write_io_us", denominator = "smds_write_ios" }, label = "avg write µs", screen = 1 }
average_smds_read_us = { unit = "us", doc = "Average read I/O.", ratio = { numerator = "smds_read_io_us", denominator = "smds_read_ios" }, label = "avg read µs", screen = 1 }
average_remote_read_us = { unit = "us", doc = "Average read I/O to a data set of another queue manager.", ratio = { numerator = "remote_read_io_us", denominator = "remote_read_ios" }, label = "avg remote read µs", screen = 1 }
average_format_us = { unit = "us", doc = "Average format I/O.", ratio = { numerator = "format_io_us", denominator = "format_ios" }, label = "avg format µs" }
pages_per_smds_write = { unit = "pages", doc = "Pages per write I/O.", ratio = { numerator = "smds_write_pages", denominator = "smds_write_ios" }, label = "pages/write", screen = 2 }
pages_per_smds_read = { unit = "pages", doc = "Pages per read I/O.", ratio = { numerator = "smds_read_pages", denominator = "smds_read_ios" }, label = "pages/read", screen = 3 }
smds_mib_per_s = { unit = "mib_per_s", doc = "Data written and read per second.", over_time = "mean", across = "add", label = "MiB/s", screen = 1 }
overlapped_buffers = { unit = "buffers", doc = "Buffers that one large message can keep busy at once.", over_time = "last", across = "same", label = "overlapped" }
smds_encryption_cpu_us = { unit = "us", doc = "Estimated CPU time of data set encryption.", over = "add", label = "encryption CPU µs" }
---*/
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  q.cf_structure, q.structure_number, q.smds_blocks, q.smds_map_blocks, q.smds_data_blocks, q.smds_used_blocks,
  q.smds_free_blocks, q.smds_messages, q.smds_allocate_requests, q.smds_release_requests,
  q.smds_reallocate_requests, q.smds_cleanup_requests, q.smds_pages_allocated, q.smds_pages_freed,
  q.smds_pages_reallocated, q.smds_pages_cleaned, q.smds_failed_allocates, q.smds_messages_high,
  q.smds_used_blocks_high, q.smds_free_blocks_low, q.buffer_bytes, q.smds_buffers, q.shared_buffers_used,
  q.private_buffers_used, q.saved_buffers_free, q.empty_buffers_free, q.pool_waiters_now, q.buffer_waiters_now,
  q.buffer_gets, q.buffer_gets_valid, q.buffer_gets_matching_empty, q.buffer_gets_free_empty,
  q.buffer_gets_stolen, q.buffer_gets_none, q.smds_read_requests, q.smds_reads_saved, q.smds_reads_partly_saved,
  q.smds_write_requests, q.buffers_freed_with_data, q.buffers_freed_empty, q.pool_waits, q.busy_buffer_waits,
  q.pool_wait_us, q.busy_buffer_wait_us, q.buffers_used_high, q.buffers_free_low, q.pool_waiters_high,
  q.buffer_waiters_high, q.high_allocated_cis, q.high_used_cis, q.ci_bytes, q.ca_bytes, q.format_ios,
  q.format_pages, q.format_io_us, q.format_wait_us, q.smds_write_ios, q.smds_write_pages, q.smds_write_io_us,
  q.smds_write_wait_us, q.smds_read_ios, q.smds_read_pages, q.smds_read_io_us, q.smds_read_wait_us,
  q.remote_read_ios, q.remote_read_pages, q.remote_read_io_us, q.remote_read_wait_us, q.smds_encrypted,
  pct(q.smds_used_blocks, q.smds_data_blocks)                    AS smds_used_pct,
  pct(q.smds_used_blocks_high, q.smds_data_blocks)               AS smds_used_high_pct,
  q.high_allocated_cis::DOUBLE * q.ci_bytes / 1048576            AS smds_allocated_mib,
  q.high_used_cis::DOUBLE * q.ci_bytes / 1048576                 AS smds_high_used_mib,
  100 * q.high_allocated_cis::DOUBLE * q.ci_bytes / 17592186044416 AS smds_percent_of_16_tib,
  q.high_allocated_cis::DOUBLE * q.ci_bytes / 1048576 >= 0.999 * k.largest_value AS at_largest,
  coalesce(e.did_not_expand, false)                              AS did_not_expand,
  q.smds_buffers::DOUBLE * q.buffer_bytes / 1048576              AS smds_buffer_mib,
  pct(q.pool_waits + q.busy_buffer_waits, q.buffer_gets)         AS buffer_wait_pct,
  q.pool_wait_us / nullif(q.pool_waits, 0)                       AS average_pool_wait_us,
  q.busy_buffer_wait_us / nullif(q.busy_buffer_waits, 0)         AS average_busy_buffer_wait_us,
  pct(q.smds_reads_saved, q.smds_read_requests)                  AS smds_reads_saved_pct,
  pct(q.buffer_gets_valid, q.buffer_gets)                        AS buffer_valid_pct,
  pct(q.remote_read_ios, q.smds_read_ios + q.remote_read_ios)    AS remote_read_share_pct,
  q.smds_write_io_us / nullif(q.smds_write_ios, 0)               AS average_smds_write_us,
  q.smds_read_io_us / nullif(q.smds_read_ios, 0)                 AS average_smds_read_us,
  q.remote_read_io_us / nullif(q.remote_read_ios, 0)             AS average_remote_read_us,
  q.format_io_us / nullif(q.format_ios, 0)                       AS average_format_us,
  q.smds_write_pages / nullif(q.smds_write_ios, 0)               AS pages_per_smds_write,
  q.smds_read_pages / nullif(q.smds_read_ios, 0)                 AS pages_per_smds_read,
  (q.smds_write_pages + q.smds_read_pages + q.remote_read_pages)::DOUBLE * q.ci_bytes / 1048576
    / nullif(q.interval_us / 1e6, 0)                             AS smds_mib_per_s,
  CASE WHEN q.buffer_bytes > 0 THEN least(10, floor(4194304 / q.buffer_bytes))::BIGINT END AS overlapped_buffers,
  CASE WHEN q.smds_encrypted
    THEN (0.7 * q.smds_write_pages + 0.7 * q.smds_read_pages + 0.8 * q.remote_read_pages) * q.ci_bytes / 4096
  END                                                            AS smds_encryption_cpu_us
FROM decoded.qesd AS q
JOIN growth_limit AS k ON k.object_kind = 'shared message data set'
LEFT JOIN expansion AS e ON e.record_id = q.record_id AND e.expanding_object = 'structure ' || q.cf_structure AND e.did_not_expand
LEFT JOIN interval_cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
