/*---
id       = "log/activity"
title    = "Log manager activity"
question = "What did the log manager do: writes, waits, reads by source, checkpoints, archive, compression?"
needs    = ["log"]
rules    = ["LG001", "LG015", "LG016", "LG017", "LG020", "LG021"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
dd       = ["LOG"]
wsc      = [2]
drill_down = ["log/rate", "log/io", "log/checkpoints"]
note     = "Writes and buffer waits count requests and control intervals of one log copy; write I/Os and CIs written count both copies. Before 9.0, checkpoints at log switches are not counted."

[columns]
log_writes_wait = { label = "writes wait" }
log_writes_nowait = { label = "writes no wait" }
log_writes_force = { label = "writes force" }
log_buffer_waits = { label = "buffer waits", screen = 1 }
log_reads_buffer = { label = "reads buffer" }
log_reads_active = { label = "reads active" }
log_reads_archive = { label = "archive reads", screen = 1 }
tape_contention_delays = { label = "tape delays" }
bsds_accesses = { label = "BSDS" }
cis_created = { screen = 1 }
log_buffer_write_calls = { label = "write calls" }
archive_read_allocations = { label = "read allocs" }
archive_write_allocations = { label = "archive allocs" }
cis_offloaded = { label = "CIs offloaded", screen = 2 }
offload_pct = { screen = 0 }
log_reads_delayed = { label = "reads delayed" }
lookahead_mounts_tried = { label = "mounts tried" }
lookahead_mounts_ok = { label = "mounts ok" }
log_suspends = { label = "suspends", screen = 3 }
log_write_requests = { label = "write I/Os", screen = 2 }
cis_written = { label = "CIs written", screen = 2 }
compress_requests = { label = "compressions" }
compress_failures = { label = "compress failures" }
compress_bytes_in = { label = "compress bytes in" }
compress_bytes_out = { label = "compress bytes out" }
decompress_requests = { label = "decompressions" }
decompress_failures = { label = "decompress failures" }
decompress_bytes_in = { label = "decompress bytes in" }
decompress_bytes_out = { label = "decompress bytes out" }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, log_writes_wait, log_writes_nowait, log_writes_force,
  log_writes, log_buffer_waits, log_buffer_wait_pct, log_reads_buffer, log_reads_active, log_reads_archive, log_reads,
  archive_read_pct, read_write_ratio, tape_contention_delays, reads_delayed_pct, bsds_accesses, cis_created,
  log_buffer_write_calls, archive_read_allocations, archive_write_allocations, cis_offloaded, offload_pct,
  checkpoints, log_reads_delayed, lookahead_mounts_tried, lookahead_mounts_ok, log_suspends, log_write_requests,
  cis_written, cis_written_serially, log_threshold_writes, log_buffer_page_ins, new_logs_copy1, new_logs_copy2,
  compress_requests, compress_failures, compress_bytes_in, compress_bytes_out, compression_pct, decompress_requests,
  decompress_failures, decompress_bytes_in, decompress_bytes_out, log_closure_error
FROM log
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
