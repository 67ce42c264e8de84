/*---
id      = "log_period"
title   = "Log manager over the whole period"
grain   = "one row per lpar and qmgr"
needs   = ["log", "log_io", "site_input"]
classes = ["115.1"]
note    = "Helper of period rules and reports: sums of all intervals, and ratios of sums, never means of ratios."

[columns]
intervals = { unit = "count", doc = "Statistics intervals with log data.", over = "add" }
interval_hours = { unit = "h", doc = "Length of all intervals together, in whole seconds, because timers may be microseconds short.", over = "max" }
copy1_cis = { doc = "Control intervals written to log copy 1; null if no record contains the table of log I/O." }
copy2_cis = { doc = "Control intervals written to log copy 2; null if no record contains the table of log I/O." }
log_switches = { unit = "count", doc = "New logs of copy 1 that were started; null before 9.1.2.", over = "add" }
log_mib_per_h = { unit = "mib_per_h", doc = "New log data per hour.", across = "add", ratio = { numerator = "log_mib_created", denominator = "interval_hours" } }
peak_mib_per_s = { unit = "mib_per_s", doc = "New log data per second in the busiest interval that is no fragment.", over = "max" }
offloaded_mib = { unit = "mib", doc = "Log data written to archives.", over = "add" }
unarchived_mib = { unit = "mib", doc = "New log data that is not archived at the end of the data, at least: the largest sum of data created minus data archived over trailing intervals since the last start or gap. The current log is part of it.", over_time = "last", across = "add" }
unarchived_since_utc = { unit = "ts_utc", doc = "Start of these intervals." }
log_end_utc = { unit = "ts_utc", doc = "End of the last interval with log data." }
unarchived_log_mib = { unit = "mib", doc = "Size of the logs with which unarchived_logs is computed: active_log_mb of the site file, otherwise from 9.1.2 on log_size_mib, or the most new log data between two switches if that is more.", over_time = "last", across = "same" }
unarchived_logs = { unit = "ratio", doc = "New log data that is not archived at the end of the data, in logs.", ratio = { numerator = "unarchived_mib", denominator = "unarchived_log_mib" } }
log_size_at_most_mib = { unit = "mib", doc = "Largest possible size of the logs: new log data divided by the number of logs filled completely (switches minus 1).", over = "min" }
log_size_mib = { unit = "mib", doc = "Log data of one active log, at least: archived per switch from 9.1.2 on (or new log data divided by switches plus 1, if that is more, as without archives); before, archived per data set, with archive_copies of the site file; otherwise null. ARCHIVE LOG switches logs that are not full, which lowers it.", over = "max" }
active_log_mib = { unit = "mib", doc = "All active logs of one copy together, from the site file.", over_time = "last", across = "same" }
retention_h = { unit = "h", doc = "Hours of log data that the active logs hold at the rate of the period.", over = "min" }
active_logs_seen = { unit = "count", doc = "Different active logs of copy 1 that appear with a longest I/O: the minimum number of logs.", over = "max" }
plain_log_writes = { unit = "count", doc = "Log write requests in stretches without log switch, restart or gap that have at least two checkpoints.", over = "add" }
plain_checkpoints = { unit = "count", doc = "Checkpoints in those stretches; null if log switches cannot be distinguished (9.0 to 9.1.1).", over = "add" }
logload_at_most = { unit = "count", doc = "Largest possible LOGLOAD: plain_log_writes divided by the plain checkpoints except the first of each stretch.", over = "min" }
logload_in_force = { unit = "count", doc = "LOGLOAD from the site file, otherwise logload_at_most.", over_time = "last", across = "same" }
logload_basis = { unit = "text", doc = "Where logload_in_force comes from." }
logload_declared = { unit = "flag", doc = "The site file declares LOGLOAD." }
median_mib_per_checkpoint = { unit = "mib", doc = "New log data per checkpoint in the usual interval that had one.", over = "none", why = "A median or percentile does not follow from those of the rows.", label = "usual MiB/checkpoint", screen = 2 }
worst_mib_per_checkpoint = { unit = "mib", doc = "New log data per checkpoint in the worst interval that had one.", over = "max", label = "worst MiB/checkpoint", screen = 1 }
compress_failure_pct = { unit = "percent", doc = "Share of the compression requests that failed.", ratio = { numerator = "compress_failures", denominator = "compress_requests", scale = 100 } }
new_logs = { unit = "count", doc = "New log data sets of both copies that were started.", over = "add" }
zhyperwrite_unused_logs = { unit = "count", doc = "New logs that could use zHyperWrite but did not.", over = "add" }
zhyperlink_unused_logs = { unit = "count", doc = "New logs that could use zHyperLink but did not.", over = "add" }
fast_write_unused_logs = { unit = "count", doc = "New logs that could use zHyperWrite but did not, plus those that could use zHyperLink but did not.", over = "add" }
zhl_used = { unit = "flag", doc = "New logs had zHyperLink enabled, or writes used it; null before 9.4." }
zhl_write_sessions = { unit = "count", doc = "zHyperLink write sessions that the queue manager needs: log copies times stripes, doubled if mirrored.", over = "add" }
zhl_sessions_together = { unit = "count", doc = "Write sessions of all queue managers that use zHyperLink, plus the other sessions from the site file.", over = "same" }
single_logging_accepted = { doc = "Single logging is intended, or the queue manager is a test (role); no if the site file does not declare it." }
offload_off_accepted = { doc = "OFFLOAD=NO is intended, or the queue manager is a test (role); no if the site file does not declare it." }
low_logload_accepted = { doc = "A LOGLOAD below the recommended range is intended, or the queue manager is a test (role); no if the site file does not declare it." }
---*/
WITH
named AS (
  -- The values are zero if there was no longest I/O.
  SELECT lpar, qmgr, count(DISTINCT io_longest_log) AS active_logs_seen
  FROM log_io
  WHERE log_copy = 1 AND io_longest_log >= 'A'
  GROUP BY lpar, qmgr
),
-- A log switch or a restart takes its own checkpoint and resets the count for LOGLOAD, so LOGLOAD is only visible between them. Before 9.0
-- checkpoints at log switches are not counted; from 9.1.2 the switches are. Between two checkpoints LOGLOAD requests were written.
cut AS (
  SELECT
    lpar, qmgr, interval_start_utc, log_writes, checkpoints, cis_created, cis_offloaded, new_logs_copy1, log_mib_created,
    CASE WHEN try_cast(split_part(mq_version, '.', 1) AS INTEGER) < 9 THEN false ELSE new_logs_copy1 > 0 END AS switched,
    startup_interval OR interval_start_utc > lag(interval_end_utc) OVER near + INTERVAL 2 SECONDS AS interrupted
  FROM log
  WINDOW near AS (PARTITION BY lpar, qmgr ORDER BY interval_start_utc)
),
numbered AS (
  SELECT
    lpar, qmgr, log_writes, checkpoints, switched, new_logs_copy1, log_mib_created,
    sum(CASE WHEN switched OR interrupted THEN 1 ELSE 0 END) OVER (PARTITION BY lpar, qmgr ORDER BY interval_start_utc) AS stretch
  FROM cut
),
stretched AS (
  SELECT
    lpar, qmgr, stretch, sum(log_writes) AS log_writes, sum(checkpoints) AS checkpoints,
    sum(log_mib_created) FILTER (new_logs_copy1 = 0) AS unswitched_mib
  FROM numbered
  WHERE NOT switched
  GROUP BY lpar, qmgr, stretch
),
plain AS (
  SELECT
    lpar, qmgr,
    coalesce(sum(log_writes) FILTER (checkpoints > 1), 0)::BIGINT      AS plain_log_writes,
    coalesce(sum(checkpoints) FILTER (checkpoints > 1), 0)::BIGINT     AS plain_checkpoints,
    coalesce(sum(checkpoints - 1) FILTER (checkpoints > 1), 0)::BIGINT AS plain_spans,
    max(unswitched_mib)                                                AS unswitched_mib
  FROM stretched
  GROUP BY lpar, qmgr
),
remaining AS (
  SELECT
    lpar, qmgr, interval_start_utc,
    sum(cis_created - cis_offloaded) OVER (PARTITION BY lpar, qmgr ORDER BY interval_start_utc DESC)::BIGINT AS unarchived,
    max(CASE WHEN interrupted THEN interval_start_utc END) OVER (PARTITION BY lpar, qmgr) AS last_cut_utc
  FROM cut
),
-- Each such sum is at most the data that waits, because none waited less than nothing before it. What a gap has archived is not known.
waiting AS (
  SELECT
    lpar, qmgr, greatest(0, max(unarchived)) AS unarchived_cis,
    arg_max(interval_start_utc, (unarchived, interval_start_utc)) FILTER (unarchived > 0) AS unarchived_since_utc
  FROM remaining
  WHERE coalesce(interval_start_utc >= last_cut_utc, true)
  GROUP BY lpar, qmgr
),
summed AS (
  SELECT
    lpar, qmgr, max(qsg) AS qsg,
    arg_max(mq_version, interval_start_utc)                    AS mq_version,
    arg_max(record_id, (cis_created, -epoch_us(interval_start_utc))) FILTER (cis_created IS NOT NULL) AS record_id,
    count(*)                                                   AS intervals,
    max(interval_end_utc)                                      AS log_end_utc,
    round(sum(interval_us) / 1e6) / 3600                       AS interval_hours,
    sum(cis_created)::BIGINT                                   AS cis_created,
    sum(cis_offloaded)::BIGINT                                 AS cis_offloaded,
    sum(archive_write_allocations)::BIGINT                     AS archive_write_allocations,
    sum(copy1_cis)::BIGINT                                     AS copy1_cis,
    sum(copy2_cis)::BIGINT                                     AS copy2_cis,
    sum(log_writes)::BIGINT                                    AS log_writes,
    sum(checkpoints)::BIGINT                                   AS checkpoints,
    sum(new_logs_copy1)::BIGINT                                AS log_switches,
    sum(log_mib_created)                                       AS log_mib_created,
    max(log_created_mib_per_s) FILTER (judgeable(interval_us / 1e6, fragment)) AS peak_mib_per_s,
    median(log_mib_created / nullif(checkpoints, 0))           AS median_mib_per_checkpoint,
    max(log_mib_created / nullif(checkpoints, 0))              AS worst_mib_per_checkpoint,
    sum(compress_requests)::BIGINT                             AS compress_requests,
    sum(compress_failures)::BIGINT                             AS compress_failures,
    sum(compress_bytes_in)::BIGINT                             AS compress_bytes_in,
    sum(compress_bytes_out)::BIGINT                            AS compress_bytes_out,
    (sum(new_logs_copy1) + sum(new_logs_copy2))::BIGINT        AS new_logs,
    sum(new_logs_zhyperwrite_capable)::BIGINT                  AS new_logs_zhyperwrite_capable,
    sum(new_logs_zhyperwrite_enabled)::BIGINT                  AS new_logs_zhyperwrite_enabled,
    sum(new_logs_zhyperlink_capable)::BIGINT                   AS new_logs_zhyperlink_capable,
    sum(new_logs_zhyperlink_enabled)::BIGINT                   AS new_logs_zhyperlink_enabled,
    sum(new_logs_encrypted)::BIGINT                            AS new_logs_encrypted,
    sum(zhl_requests)::BIGINT                                  AS zhl_requests
  FROM log
  GROUP BY lpar, qmgr
),
declared AS (
  SELECT
    q.*, n.active_logs_seen, p.plain_log_writes, p.plain_checkpoints, p.plain_spans, p.unswitched_mib, w.unarchived_cis, w.unarchived_since_utc,
    s.active_log_mb, s.logload AS site_logload, s.log_stripes, s.zhl_other_sessions,
    coalesce(s.single_logging_accepted, s.role = 'test', false) AS single_logging_accepted,
    coalesce(s.offload_off_accepted, s.role = 'test', false) AS offload_off_accepted,
    coalesce(s.low_logload_accepted, s.role = 'test', false) AS low_logload_accepted,
    CASE WHEN q.new_logs_zhyperwrite_capable IS NOT NULL
      THEN greatest(0, q.new_logs_zhyperwrite_capable - q.new_logs_zhyperwrite_enabled) END AS zhyperwrite_unused_logs,
    CASE WHEN q.new_logs_zhyperlink_capable IS NOT NULL
      THEN greatest(0, q.new_logs_zhyperlink_capable - q.new_logs_zhyperlink_enabled) END AS zhyperlink_unused_logs,
    s.archive_copies, s.active_logs * s.active_log_mb          AS active_log_mib,
    CASE WHEN q.copy2_cis > 0 THEN 2 WHEN q.copy1_cis > 0 THEN 1 END AS log_copies,
    CASE WHEN s.metro_mirror THEN 2 WHEN NOT s.metro_mirror THEN 1 END AS mirror_factor,
    q.new_logs_zhyperlink_enabled > 0 OR q.zhl_requests > 0    AS zhl_used
  FROM summed AS q
  LEFT JOIN named AS n ON n.lpar = q.lpar AND n.qmgr = q.qmgr
  LEFT JOIN plain AS p ON p.lpar = q.lpar AND p.qmgr = q.qmgr
  LEFT JOIN waiting AS w ON w.lpar = q.lpar AND w.qmgr = q.qmgr
  LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
),
sessions AS (
  SELECT
    *,
    CASE WHEN zhl_used THEN log_copies * log_stripes * mirror_factor END AS zhl_write_sessions,
    -- More archived than created means that older logs were archived: then it is not the data of these switches.
    CASE
      WHEN log_switches > 0 THEN greatest(
        log_mib_created / (log_switches + 1),
        CASE WHEN cis_offloaded <= cis_created THEN pages_mib(cis_offloaded) / log_switches END
      )
      WHEN log_switches IS NULL THEN pages_mib(cis_offloaded) * archive_copies / nullif(archive_write_allocations, 0)
    END AS log_size_mib
  FROM declared
),
sized AS (
  -- ARCHIVE LOG makes the average log smaller than its data set, which holds at least what was written between two switches. Before 9.1.2 nothing shows that.
  SELECT *, coalesce(active_log_mb, CASE WHEN log_switches > 0 THEN greatest(log_size_mib, unswitched_mib) END) AS unarchived_log_mib
  FROM sessions
)
SELECT
  lpar, qmgr, qsg, mq_version, record_id, intervals, interval_hours,
  cis_created, cis_offloaded, archive_write_allocations, copy1_cis, copy2_cis, log_copies, log_writes, checkpoints, log_switches,
  log_mib_created,
  log_mib_created / nullif(interval_hours, 0)                  AS log_mib_per_h,
  peak_mib_per_s,
  pages_mib(cis_offloaded)                                     AS offloaded_mib,
  pages_mib(unarchived_cis)                                    AS unarchived_mib,
  unarchived_since_utc, log_end_utc, unarchived_log_mib,
  pages_mib(unarchived_cis) / nullif(unarchived_log_mib, 0)    AS unarchived_logs,
  CASE WHEN log_switches > 1 THEN log_mib_created / (log_switches - 1) END AS log_size_at_most_mib,
  log_size_mib,
  active_log_mib,
  active_log_mib / nullif(log_mib_created / nullif(interval_hours, 0), 0) AS retention_h,
  active_logs_seen,
  plain_log_writes, plain_checkpoints,
  plain_log_writes / nullif(plain_spans, 0)                    AS logload_at_most,
  coalesce(site_logload, plain_log_writes / nullif(plain_spans, 0)) AS logload_in_force,
  CASE WHEN site_logload IS NOT NULL THEN 'according to the site file'
    ELSE 'at most, estimated from ' || format('{:,} checkpoints in {:,} log writes', plain_checkpoints, plain_log_writes) END AS logload_basis,
  site_logload IS NOT NULL                                     AS logload_declared,
  median_mib_per_checkpoint, worst_mib_per_checkpoint,
  compress_requests, compress_failures, compress_bytes_in, compress_bytes_out,
  pct(compress_bytes_in - compress_bytes_out, compress_bytes_in) AS compression_pct,
  pct(compress_failures, compress_requests)                    AS compress_failure_pct,
  new_logs, new_logs_zhyperwrite_capable, new_logs_zhyperwrite_enabled, new_logs_zhyperlink_capable, new_logs_zhyperlink_enabled,
  new_logs_encrypted, zhl_requests, zhyperwrite_unused_logs, zhyperlink_unused_logs,
  zhyperwrite_unused_logs + coalesce(zhyperlink_unused_logs, 0) AS fast_write_unused_logs,
  zhl_used, zhl_write_sessions,
  CASE WHEN zhl_write_sessions IS NOT NULL
    THEN (sum(zhl_write_sessions) OVER () + max(zhl_other_sessions) OVER ())::BIGINT
  END                                                          AS zhl_sessions_together,
  single_logging_accepted, offload_off_accepted, low_logload_accepted
FROM sized
