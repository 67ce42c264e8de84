/*---
id      = "log"
title   = "Log manager"
grain   = "one row per lpar, qmgr and interval"
needs   = ["decoded.qjst", "decoded.qjst_log_io", "interval_cut", "queue_sharing_group", "site_input"]
classes = ["115.1"]

[columns]
cis_created = { label = "CIs created" }
checkpoints = { label = "checkpoints", screen = 1 }
cis_written_serially = { label = "CIs serially" }
log_threshold_writes = { label = "threshold writes" }
log_buffer_page_ins = { label = "page-ins", screen = 3 }
new_logs_copy1 = { label = "new logs", screen = 2 }
new_logs_copy2 = { label = "new logs copy 2" }
log_writes = { unit = "count", doc = "Requests to write to the log: wait, no wait and force.", over = "add", label = "writes", screen = 1 }
log_reads = { unit = "count", doc = "Requests to read from the log: output buffer, active and archive log.", over = "add", label = "reads", screen = 1 }
log_buffer_wait_pct = { unit = "percent", doc = "Waits for a log buffer as a share of the control intervals created; use the count, not this share, to judge.", ratio = { numerator = "log_buffer_waits", denominator = "cis_created", scale = 100 }, label = "buffer waits %" }
archive_read_pct = { unit = "percent", doc = "Share of the log reads that went to archive logs.", ratio = { numerator = "log_reads_archive", denominator = "log_reads", scale = 100 }, label = "archive %" }
reads_delayed_pct = { unit = "percent", doc = "Share of the log reads delayed by tape contention.", ratio = { numerator = "tape_contention_delays", denominator = "log_reads", scale = 100 }, label = "delayed %" }
read_write_ratio = { unit = "ratio", doc = "Log reads per log write.", ratio = { numerator = "log_reads", denominator = "log_writes" }, label = "reads/writes" }
copy1_cis = { unit = "count", doc = "Control intervals written to log copy 1.", over = "add" }
copy2_cis = { unit = "count", doc = "Control intervals written to log copy 2.", over = "add" }
log_copies = { unit = "count", doc = "Active log copies that were written.", over = "max", label = "copies", screen = 2 }
log_mib_created = { unit = "mib", doc = "New log data.", over = "add", label = "log MiB", screen = 1 }
log_created_mib_per_s = { unit = "mib_per_s", doc = "New log data per second, which fills the active log.", over_time = "mean", across = "add", label = "log MiB/s", screen = 1 }
log_created_mib_per_h = { unit = "mib_per_h", doc = "New log data per hour.", over_time = "mean", across = "add" }
log_written_mib_per_s = { unit = "mib_per_s", doc = "Log data written per second, all copies together.", over_time = "mean", across = "add", label = "both MiB/s", format = ".2f", screen = 2 }
copy1_mib_per_s = { unit = "mib_per_s", doc = "Log data written to copy 1 per second.", over_time = "mean", across = "add", label = "copy 1 MiB/s", screen = 1 }
copy2_mib_per_s = { unit = "mib_per_s", doc = "Log data written to copy 2 per second.", over_time = "mean", across = "add", label = "copy 2 MiB/s", format = ".2f", screen = 1 }
pages_per_log_io = { unit = "pages", doc = "Control intervals per write I/O.", ratio = { numerator = "cis_written", denominator = "log_write_requests" }, label = "pages/I/O", screen = 1 }
rewritten_cis = { unit = "count", doc = "Control intervals written more than once.", over = "add", label = "rewritten CIs" }
rewritten_pct = { unit = "percent", doc = "Share of the control intervals of copy 1 that were written again.", ratio = { numerator = "rewritten_cis", denominator = "copy1_cis", scale = 100 }, label = "rewritten %", screen = 1 }
copy1_io_us = { unit = "us", doc = "I/O time of copy 1.", over = "add", label = "copy 1 I/O µs", screen = 3 }
copy2_io_us = { unit = "us", doc = "I/O time of copy 2.", over = "add", label = "copy 2 I/O µs", screen = 3 }
copy1_request_us = { unit = "us", doc = "Time that the logger was suspended for copy 1.", over = "add" }
copy2_request_us = { unit = "us", doc = "Time that the logger was suspended for copy 2.", over = "add" }
zhl_sync_us = { unit = "us", doc = "Time spent in synchronous zHyperLink writes.", over = "add", label = "sync µs" }
logger_task_busy_pct = { unit = "percent", doc = "Time that the logger task was not idle.", over = "mean", label = "logger %", screen = 1 }
logger_io_busy_pct = { unit = "percent", doc = "Suspend time of the slower copy, as a share of the interval.", over = "mean", label = "I/O busy %", screen = 1 }
logger_io_busy_by_io_time_pct = { unit = "percent", doc = "Alternative value: I/O time of the slower copy minus synchronous zHyperLink time.", over = "mean", label = "by I/O time %", screen = 2 }
logger_spin_pct = { unit = "percent", doc = "Time that the logger task spent spinning in zHyperLink writes.", over = "mean", label = "spin %", screen = 1 }
io_standard_deviation_us = { unit = "us", doc = "Standard deviation of the one-page I/O time of copy 1.", over = "max", label = "std dev µs", screen = 3 }
longest_log_io_us = { unit = "us", doc = "Longest log I/O of the interval.", over = "max", label = "longest log I/O µs", screen = 2 }
log_switch_checkpoints = { unit = "count", doc = "Checkpoints in the counter that log switches caused: 0 before 9.0, when it left them out; null from 9.0 to 9.1.1, when switches are not counted.", over = "add", label = "of log switches", screen = 1 }
log_writes_per_checkpoint = { unit = "count", doc = "Log write requests per checkpoint.", ratio = { numerator = "log_writes", denominator = "checkpoints" }, label = "writes/checkpoint", format = ",.0f", screen = 2 }
estimated_logload = { unit = "count", doc = "Log write requests per checkpoint that was not caused by a log switch.", ratio = { numerator = "log_writes", denominator = "checkpoints - log_switch_checkpoints" }, label = "est. LOGLOAD", format = ",.0f", screen = 1 }
minutes_per_checkpoint = { unit = "min", doc = "Minutes between checkpoints.", ratio = { numerator = "interval_seconds / 60", denominator = "checkpoints" }, label = "min/checkpoint", screen = 2 }
minutes_per_log_switch = { unit = "min", doc = "Minutes between switches of the active log.", ratio = { numerator = "interval_seconds / 60", denominator = "new_logs_copy1" }, label = "min/switch", screen = 1 }
mib_per_log_switch = { unit = "mib", doc = "Pages written to copy 1 per switch; a page that is written again counts again, but takes no more room.", ratio = { numerator = "(copy1_cis * 4096) / 1048576", denominator = "new_logs_copy1" }, label = "MiB/switch", format = ",.0f", screen = 1 }
offload_pct = { unit = "percent", doc = "Offloaded control intervals as a share of those created.", ratio = { numerator = "cis_offloaded", denominator = "cis_created", scale = 100 }, label = "offloaded %", screen = 1 }
compression_pct = { unit = "percent", doc = "Space saved by log compression.", ratio = { numerator = "compress_bytes_in - compress_bytes_out", denominator = "compress_bytes_in", scale = 100 }, label = "compressed %", screen = 3 }
zhl_requests = { unit = "count", doc = "zHyperLink write requests.", over = "add", label = "requests", screen = 1 }
zhl_sync = { unit = "count", doc = "zHyperLink writes that ran synchronously.", over = "add", label = "sync", screen = 2 }
zhl_async = { unit = "count", doc = "zHyperLink writes that became asynchronous.", over = "add", label = "async", screen = 2 }
zhl_switch = { unit = "count", doc = "Asynchronous writes at a log switch.", over = "add", label = "at switch", screen = 3 }
zhl_sync_pct = { unit = "percent", doc = "Share of the zHyperLink requests that ran synchronously.", ratio = { numerator = "zhl_sync", denominator = "zhl_requests", scale = 100 }, label = "sync %", screen = 1 }
zhl_async_pct = { unit = "percent", doc = "Share of the zHyperLink requests that became asynchronous.", ratio = { numerator = "zhl_async", denominator = "zhl_requests", scale = 100 }, label = "async %" }
zhl_async_pct_without_switch = { unit = "percent", doc = "Share of the zHyperLink requests that became asynchronous, without those at a log switch.", ratio = { numerator = "greatest(0, (zhl_async - zhl_switch))", denominator = "zhl_requests", scale = 100 }, label = "async % less switch", screen = 2 }
zhl_average_1ci_us = { unit = "us", doc = "Average zHyperLink write of one control interval.", ratio = { numerator = "zhl_total_1ci_us", denominator = "zhl_sync_1ci" }, label = "avg 1 CI µs", screen = 1 }
zhl_average_multi_us = { unit = "us", doc = "Average zHyperLink write of several control intervals.", ratio = { numerator = "zhl_total_multi_us", denominator = "zhl_sync_multi" }, label = "avg multi µs", screen = 1 }
zhl_async_per_switch = { unit = "ratio", doc = "Asynchronous writes per log switch.", ratio = { numerator = "zhl_switch", denominator = "new_logs_copy1" }, label = "async/switch", screen = 3 }
zhl_pages_per_switch = { unit = "pages", doc = "Control intervals written asynchronously per log switch.", ratio = { numerator = "zhl_switch_cis", denominator = "new_logs_copy1" }, label = "pages/switch" }
dasd_mib_per_s = { unit = "mib_per_s", doc = "Load on the DASD: log copies, plus archive copies and mirroring from the site file.", over_time = "mean", across = "add", label = "DASD MiB/s", format = ".2f", screen = 2 }
log_closure_error = { unit = "count", doc = "Control intervals written minus the sum of the copies; a few are normal.", over = "add", label = "CI difference" }
---*/
WITH
unsigned AS (
  -- IBM's fastest log writes 976 MiB/s, 250,000 control intervals of each copy; a million a second is twice both copies. The counters left out,
  -- such as checkpoints and data sets, cannot reach two billion: below zero they are damage.
  SELECT
    * REPLACE (
      unsigned_word(log_writes_wait, interval_us / 1e6, 1e6) AS log_writes_wait,
      unsigned_word(log_writes_nowait, interval_us / 1e6, 1e6) AS log_writes_nowait,
      unsigned_word(log_writes_force, interval_us / 1e6, 1e6) AS log_writes_force,
      unsigned_word(log_buffer_waits, interval_us / 1e6, 1e6) AS log_buffer_waits,
      unsigned_word(log_reads_buffer, interval_us / 1e6, 1e6) AS log_reads_buffer,
      unsigned_word(log_reads_active, interval_us / 1e6, 1e6) AS log_reads_active,
      unsigned_word(log_reads_archive, interval_us / 1e6, 1e6) AS log_reads_archive,
      unsigned_word(cis_created, interval_us / 1e6, 1e6) AS cis_created,
      unsigned_word(log_buffer_write_calls, interval_us / 1e6, 1e6) AS log_buffer_write_calls,
      unsigned_word(cis_offloaded, interval_us / 1e6, 1e6) AS cis_offloaded,
      unsigned_word(log_suspends, interval_us / 1e6, 1e6) AS log_suspends,
      unsigned_word(log_write_requests, interval_us / 1e6, 1e6) AS log_write_requests,
      unsigned_word(cis_written, interval_us / 1e6, 1e6) AS cis_written,
      unsigned_word(cis_written_serially, interval_us / 1e6, 1e6) AS cis_written_serially,
      unsigned_word(log_threshold_writes, interval_us / 1e6, 1e6) AS log_threshold_writes,
      unsigned_word(log_buffer_page_ins, interval_us / 1e6, 1e6) AS log_buffer_page_ins,
      unsigned_word(compress_requests, interval_us / 1e6, 1e6) AS compress_requests,
      unsigned_word(compress_failures, interval_us / 1e6, 1e6) AS compress_failures,
      unsigned_word(decompress_requests, interval_us / 1e6, 1e6) AS decompress_requests,
      unsigned_word(decompress_failures, interval_us / 1e6, 1e6) AS decompress_failures
    )
  FROM decoded.qjst
),
io_times AS (
  SELECT
    record_id, section,
    (sum(io_cis) FILTER (log_copy = 1))::BIGINT           AS copy1_cis,
    (sum(io_cis) FILTER (log_copy = 2))::BIGINT           AS copy2_cis,
    (sum(io_total_us) FILTER (log_copy = 1))::BIGINT      AS copy1_io_us,
    (sum(io_total_us) FILTER (log_copy = 2))::BIGINT      AS copy2_io_us,
    (sum(request_total_us) FILTER (log_copy = 1))::BIGINT AS copy1_request_us,
    (sum(request_total_us) FILTER (log_copy = 2))::BIGINT AS copy2_request_us,
    max(io_count) FILTER (log_copy = 1 AND io_type = 1)   AS one_page_count,
    max(io_total_us) FILTER (log_copy = 1 AND io_type = 1) AS one_page_us,
    max(believed(io_longest_us, io_total_us, CASE WHEN previous_utc = io_longest_at_utc THEN previous_us END)) AS longest_log_io_us
  FROM (
    SELECT *, lag(io_longest_at_utc) OVER file AS previous_utc, lag(io_longest_us) OVER file AS previous_us
    FROM decoded.qjst_log_io
    WINDOW file AS (PARTITION BY lpar, qmgr, log_copy, io_type ORDER BY interval_start_utc, record_id)
  )
  GROUP BY record_id, section
),
counted AS (
  SELECT
    q.*,
    -- Elements of the array that are all zero have no row: 0 if the section contains the array, null if it is too short for it.
    CASE WHEN q.has_log_io THEN coalesce(n.copy1_cis, 0) END         AS copy1_cis,
    CASE WHEN q.has_log_io THEN coalesce(n.copy2_cis, 0) END         AS copy2_cis,
    CASE WHEN q.has_log_io THEN coalesce(n.copy1_io_us, 0) END       AS copy1_io_us,
    CASE WHEN q.has_log_io THEN coalesce(n.copy2_io_us, 0) END       AS copy2_io_us,
    CASE WHEN q.has_log_io THEN coalesce(n.copy1_request_us, 0) END  AS copy1_request_us,
    CASE WHEN q.has_log_io THEN coalesce(n.copy2_request_us, 0) END  AS copy2_request_us,
    CASE WHEN q.has_log_io AND n.record_id IS NULL THEN 0 ELSE n.longest_log_io_us END AS longest_log_io_us,
    n.one_page_count, n.one_page_us,
    q.interval_us / 1e6                                              AS seconds,
    q.log_writes_wait + q.log_writes_nowait + q.log_writes_force     AS log_writes,
    q.log_reads_buffer + q.log_reads_active + q.log_reads_archive    AS log_reads,
    coalesce(q.zhl_total_1ci_us, 0) + coalesce(q.zhl_total_multi_us, 0) AS zhl_sync_us,
    q.zhl_requests_1ci + q.zhl_requests_multi                        AS zhl_requests,
    q.zhl_sync_1ci + q.zhl_sync_multi                                AS zhl_sync,
    q.zhl_async_1ci + q.zhl_async_multi                              AS zhl_async,
    q.zhl_switch_1ci + q.zhl_switch_multi                            AS zhl_switch,
    -- Before 9.0 the checkpoint counter excludes log switches. Levels are compared by number, never as text.
    CASE WHEN try_cast(split_part(q.mq_version, '.', 1) AS INTEGER) >= 9
      THEN CASE WHEN q.new_logs_copy1 < q.checkpoints THEN q.new_logs_copy1 WHEN q.new_logs_copy1 IS NOT NULL THEN q.checkpoints END
      ELSE 0 END AS log_switch_checkpoints
  FROM unsigned AS q
  LEFT JOIN io_times AS n ON n.record_id = q.record_id AND n.section = q.section
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  q.log_writes_wait, q.log_writes_nowait, q.log_writes_force, q.log_buffer_waits, q.log_reads_buffer,
  q.log_reads_active, q.log_reads_archive, q.tape_contention_delays, q.bsds_accesses, q.cis_created,
  q.log_buffer_write_calls, q.archive_read_allocations, q.archive_write_allocations, q.cis_offloaded,
  q.checkpoints, q.log_reads_delayed, q.lookahead_mounts_tried, q.lookahead_mounts_ok, q.log_suspends,
  q.log_write_requests, q.cis_written, q.cis_written_serially, q.log_threshold_writes, q.log_buffer_page_ins,
  q.compress_requests, q.compress_failures, q.compress_bytes_in, q.compress_bytes_out, q.decompress_requests,
  q.decompress_failures, q.decompress_bytes_out, q.decompress_bytes_in, q.logger_idle_us, q.io_time_sum_squares,
  q.new_logs_copy1, q.new_logs_copy2, q.new_logs_zhyperwrite_capable, q.new_logs_zhyperwrite_enabled,
  q.new_logs_encrypted, q.new_logs_zhyperlink_capable, q.new_logs_zhyperlink_enabled, q.zhl_requests_1ci,
  q.zhl_requests_multi, q.zhl_cis_tried, q.zhl_sync_1ci, q.zhl_sync_multi, q.zhl_cis_sync, q.zhl_async_1ci,
  q.zhl_async_multi, q.zhl_cis_async, q.zhl_switch_1ci, q.zhl_switch_multi, q.zhl_switch_cis,
  believed(q.zhl_longest_1ci_us, q.zhl_total_1ci_us, NULL) AS zhl_longest_1ci_us, q.zhl_shortest_1ci_us, q.zhl_total_1ci_us,
  believed(q.zhl_longest_multi_us, q.zhl_total_multi_us, NULL) AS zhl_longest_multi_us,
  q.zhl_shortest_multi_us, q.zhl_total_multi_us, q.zhl_time_sum_squares,
  q.log_writes,
  q.log_reads,
  pct(q.log_buffer_waits, q.cis_created)                         AS log_buffer_wait_pct,
  pct(q.log_reads_archive, q.log_reads)                          AS archive_read_pct,
  pct(q.tape_contention_delays, q.log_reads)                     AS reads_delayed_pct,
  q.log_reads / nullif(q.log_writes, 0)                          AS read_write_ratio,
  q.copy1_cis,
  q.copy2_cis,
  CASE WHEN q.copy2_cis > 0 THEN 2 WHEN q.copy1_cis > 0 THEN 1 END AS log_copies,
  pages_mib(q.cis_created)                                       AS log_mib_created,
  per_s(pages_mib(q.cis_created), q.seconds)                     AS log_created_mib_per_s,
  3600 * q.cis_created * 4096 / 1048576 / nullif(q.seconds, 0)   AS log_created_mib_per_h,
  per_s(pages_mib(q.cis_written), q.seconds)                     AS log_written_mib_per_s,
  per_s(pages_mib(q.copy1_cis), q.seconds)                       AS copy1_mib_per_s,
  per_s(pages_mib(q.copy2_cis), q.seconds)                       AS copy2_mib_per_s,
  q.cis_written / nullif(q.log_write_requests, 0)                AS pages_per_log_io,
  q.copy1_cis - q.cis_created                                    AS rewritten_cis,
  pct(q.copy1_cis - q.cis_created, q.copy1_cis)                  AS rewritten_pct,
  q.copy1_io_us,
  q.copy2_io_us,
  q.copy1_request_us,
  q.copy2_request_us,
  q.zhl_sync_us,
  pct(q.interval_us - q.logger_idle_us, q.interval_us) AS logger_task_busy_pct,
  -- Both copies are assumed to be written in parallel, so the slower one counts. copy1 is null if the section has no array.
  100 * CASE WHEN q.copy1_request_us IS NOT NULL THEN greatest(q.copy1_request_us, q.copy2_request_us) END
    / nullif(q.interval_us, 0)                                   AS logger_io_busy_pct,
  100 * CASE WHEN q.copy1_io_us IS NOT NULL THEN greatest(0, greatest(q.copy1_io_us, q.copy2_io_us) - q.zhl_sync_us) END
    / nullif(q.interval_us, 0)                                   AS logger_io_busy_by_io_time_pct,
  pct(q.zhl_sync_us, q.interval_us)                              AS logger_spin_pct,
  CASE WHEN q.one_page_count > 0 AND q.io_time_sum_squares IS NOT NULL
    THEN sqrt(greatest(0, q.io_time_sum_squares / q.one_page_count - power(q.one_page_us / q.one_page_count, 2)))
  END                                                            AS io_standard_deviation_us,
  q.longest_log_io_us,
  q.log_switch_checkpoints,
  q.log_writes / nullif(q.checkpoints, 0)                        AS log_writes_per_checkpoint,
  q.log_writes / nullif(q.checkpoints - q.log_switch_checkpoints, 0) AS estimated_logload,
  q.seconds / 60 / nullif(q.checkpoints, 0)                      AS minutes_per_checkpoint,
  q.seconds / 60 / nullif(q.new_logs_copy1, 0)                   AS minutes_per_log_switch,
  pages_mib(q.copy1_cis) / nullif(q.new_logs_copy1, 0)           AS mib_per_log_switch,
  pct(q.cis_offloaded, q.cis_created)                            AS offload_pct,
  100 * (1 - q.compress_bytes_out / nullif(q.compress_bytes_in, 0)) AS compression_pct,
  q.zhl_requests,
  q.zhl_sync,
  q.zhl_async,
  q.zhl_switch,
  pct(q.zhl_sync, q.zhl_requests)                                AS zhl_sync_pct,
  pct(q.zhl_async, q.zhl_requests)                               AS zhl_async_pct,
  CASE WHEN q.zhl_async IS NOT NULL AND q.zhl_switch IS NOT NULL
    THEN pct(greatest(0, q.zhl_async - q.zhl_switch), q.zhl_requests)
  END                                                            AS zhl_async_pct_without_switch,
  q.zhl_total_1ci_us / nullif(q.zhl_sync_1ci, 0)                 AS zhl_average_1ci_us,
  q.zhl_total_multi_us / nullif(q.zhl_sync_multi, 0)             AS zhl_average_multi_us,
  q.zhl_switch / nullif(q.new_logs_copy1, 0)                     AS zhl_async_per_switch,
  q.zhl_switch_cis / nullif(q.new_logs_copy1, 0)                 AS zhl_pages_per_switch,
  per_s(pages_mib(q.copy1_cis), q.seconds)
    * (CASE WHEN q.copy2_cis > 0 THEN 2 WHEN q.copy1_cis > 0 THEN 1 END
       + CASE WHEN q.cis_offloaded > 0 THEN s.archive_copies ELSE 0 END
       + CASE WHEN s.metro_mirror THEN CASE WHEN q.copy2_cis > 0 THEN 2 ELSE 1 END WHEN NOT s.metro_mirror THEN 0 END)
                                                                 AS dasd_mib_per_s,
  q.cis_written - q.copy1_cis - q.copy2_cis                      AS log_closure_error
FROM counted AS q
LEFT JOIN interval_cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
