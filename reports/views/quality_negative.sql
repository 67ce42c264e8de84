/*---
id      = "quality_negative"
title   = "Counters below zero"
grain   = "one row per lpar, qmgr, interval and structure"
needs   = ["decoded.qmst", "decoded.qjst", "decoded.qpst"]
classes = ["115.1", "115.2", "115.215"]
note    = "A signed 32-bit counter becomes negative when it exceeds 2147483647."

[columns]
counter_group = { unit = "text", doc = "Message manager, log manager or buffer manager." }
lowest_counter = { unit = "number", doc = "Lowest value of a counter.", over = "min" }
read_unsigned = { unit = "flag", doc = "Views read all negative counters as unsigned words, because the interval can hold as many." }
---*/
WITH counted AS (
  -- The rates are those of views message_manager, log and buffer_pool. `never` has counters that they do not read unsigned.
  SELECT
    lpar, qmgr, record_id, interval_start_utc, interval_us, 'message manager' AS counter_group, 1e6 AS most_per_s,
    [
      opens, closes, gets, puts, put1s, inquires, inquire_likes, sets, end_of_waits, handle_closes, subscribes,
      subscription_requests, callbacks, controls, statuses, publications
    ] AS counters,
    []::BIGINT[] AS never
  FROM decoded.qmst
  UNION ALL
  SELECT
    lpar, qmgr, record_id, interval_start_utc, interval_us, 'log manager', 1e6,
    [
      log_writes_wait, log_writes_nowait, log_writes_force, log_buffer_waits, log_reads_buffer, log_reads_active,
      log_reads_archive, cis_created, log_buffer_write_calls, cis_offloaded, log_suspends, log_write_requests,
      cis_written, cis_written_serially, log_threshold_writes, log_buffer_page_ins, compress_requests, compress_failures,
      decompress_requests, decompress_failures
    ],
    [
      tape_contention_delays, bsds_accesses, archive_read_allocations, archive_write_allocations, checkpoints,
      log_reads_delayed, lookahead_mounts_tried, lookahead_mounts_ok, new_logs_copy1, new_logs_copy2,
      new_logs_zhyperwrite_capable, new_logs_zhyperwrite_enabled, new_logs_encrypted
    ]
  FROM decoded.qjst
  UNION ALL
  SELECT
    lpar, qmgr, record_id, interval_start_utc, interval_us, 'buffer manager', 2e6,
    [
      page_gets_old, page_gets_new, pages_read, set_writes, pages_written, write_ios, immediate_writes,
      deferred_write_starts, synchronous_write_hits, steals, steal_contention, no_buffer_waits
    ],
    []
  FROM decoded.qpst
)
SELECT
  lpar, qmgr, min(record_id) AS record_id, interval_start_utc, counter_group,
  least(min(list_min(counters)), min(list_min(never)))         AS lowest_counter,
  coalesce(min(list_min(never)) >= 0, true)
    AND bool_and(coalesce(unsigned_word(list_max(list_filter(counters, lambda c: c < 0)), interval_us / 1e6, most_per_s) >= 0, true)) AS read_unsigned
FROM counted
GROUP BY lpar, qmgr, interval_start_utc, counter_group
