/*---
id      = "interval_headline"
title   = "Key figures of each interval"
grain   = "one row per lpar, qmgr and interval"
needs   = ["interval_cut", "queue_sharing_group", "message_manager", "log", "buffer_pool", "page_set", "cf_structure", "smds", "db2", "storage", "storage_region", "channel_initiator", "chinit_interval"]
keep    = true                           # expensive, and read more than once
note    = "Columns of a record class that was not collected are null, never 0."

[columns]
lowest_pool_free_pct = { unit = "percent", doc = "Lowest share of stealable buffers of all pools.", over = "min", label = "pool free %", screen = 1 }
lowest_pool_id = { unit = "id", doc = "The pool with this share.", label = "pool" }
synchronous_write_hits = { doc = "Number of times the synchronous write threshold was reached, all pools.", label = "synchronous writes", screen = 2 }
no_buffer_waits = { doc = "Number of times no buffer was available, all pools.", label = "no buffer" }
page_set_ios_per_s = { doc = "Pages read and write I/Os per second, all pools.", label = "page set I/O/s", screen = 0 }
fullest_page_set_pct = { unit = "percent", doc = "Pages in use of the fullest page set.", over = "max", label = "page set %", screen = 2 }
fullest_page_set_id = { unit = "id", doc = "The page set with this share.", label = "page set" }
page_set_fulls = { unit = "count", doc = "Number of times a page set was full.", over = "add", label = "page set full" }
page_set_expansions = { unit = "count", doc = "Page sets that are larger than in the previous interval, except after restarts.", over = "add", label = "expansions" }
cf_calls_per_s = { doc = "Calls to CF structures per second." }
cf_redrives = { unit = "count", doc = "Redrives of CF calls.", over = "add" }
cf_redrive_pct = { unit = "percent", doc = "Redrives as a share of the CF calls.", ratio = { numerator = "cf_redrives", denominator = "cf_calls", scale = 100 }, label = "redrives %" }
smds_waits = { unit = "count", doc = "Waits for a buffer of shared message data sets.", over = "add", label = "SMDS waits", screen = 3 }
---*/
WITH
-- One row per interval each, even if a record is in the data twice.
request AS (
  SELECT
    lpar, qmgr, interval_start_utc,
    max(puts_per_s) AS puts_per_s, max(gets_per_s) AS gets_per_s, max(mqi_calls_per_s) AS mqi_calls_per_s,
    max(persistent_puts) AS persistent_puts, max(nonpersistent_puts) AS nonpersistent_puts, max(persistent_put_pct) AS persistent_put_pct
  FROM message_manager
  GROUP BY lpar, qmgr, interval_start_utc
),
logged AS (
  SELECT
    lpar, qmgr, interval_start_utc,
    max(log_created_mib_per_s) AS log_created_mib_per_s, max(logger_task_busy_pct) AS logger_task_busy_pct,
    max(log_buffer_waits) AS log_buffer_waits, max(longest_log_io_us) AS longest_log_io_us, max(checkpoints) AS checkpoints,
    max(log_reads_archive) AS log_reads_archive
  FROM log
  GROUP BY lpar, qmgr, interval_start_utc
),
pools AS (
  SELECT
    lpar, qmgr, interval_start_utc,
    min(lowest_free_pct)                AS lowest_pool_free_pct,
    -- The second term only breaks ties: the lowest number wins.
    arg_min(pool_id, lowest_free_pct + 1e-9 * pool_id) AS lowest_pool_id,
    sum(synchronous_write_hits)::BIGINT AS synchronous_write_hits,
    sum(no_buffer_waits)::BIGINT        AS no_buffer_waits,
    sum(page_set_ios_per_s)             AS page_set_ios_per_s
  FROM buffer_pool
  GROUP BY lpar, qmgr, interval_start_utc
),
page_sets AS (
  SELECT
    lpar, qmgr, interval_start_utc,
    max(used_pct)                       AS fullest_page_set_pct,
    arg_max(page_set_id, used_pct - 1e-9 * page_set_id) AS fullest_page_set_id,
    sum(full_count)::BIGINT             AS page_set_fulls,
    CASE WHEN count(grown_pages) > 0 THEN count(*) FILTER (grown_pages > 0) END AS page_set_expansions
  FROM page_set
  GROUP BY lpar, qmgr, interval_start_utc
),
structures AS (
  SELECT
    lpar, qmgr, interval_start_utc,
    sum(cf_calls_per_s)                 AS cf_calls_per_s,
    sum(cf_calls)::BIGINT               AS cf_calls,
    sum(single_redrives + multiple_redrives)::BIGINT AS cf_redrives,
    pct(sum(single_redrives + multiple_redrives), sum(cf_calls)) AS cf_redrive_pct,
    sum(structure_fulls)::BIGINT        AS structure_fulls
  FROM cf_structure
  GROUP BY lpar, qmgr, interval_start_utc
),
data_sets AS (
  SELECT lpar, qmgr, interval_start_utc, sum(pool_waits + busy_buffer_waits)::BIGINT AS smds_waits
  FROM smds
  GROUP BY lpar, qmgr, interval_start_utc
),
servers AS (
  SELECT lpar, qmgr, interval_start_utc, max(db2_queue_high) AS db2_queue_high
  FROM db2
  GROUP BY lpar, qmgr, interval_start_utc
),
stored AS (
  SELECT lpar, qmgr, interval_start_utc, max(sos_set) AS sos_set
  FROM storage
  GROUP BY lpar, qmgr, interval_start_utc
),
region AS (
  SELECT lpar, qmgr, interval_start_utc, min(available_31_mib) AS available_31_mib
  FROM storage_region
  GROUP BY lpar, qmgr, interval_start_utc
),
channels AS (
  -- A record of the channel initiator starts a little later than the interval it belongs to.
  SELECT
    i.lpar, i.qmgr, i.cut_start_utc,
    max(c.active_channels_pct) AS active_channels_pct, min(c.adapters_idle) AS adapters_idle,
    max(c.adapter_busiest_pct) AS adapter_busiest_pct, max(c.dispatcher_busiest_pct) AS dispatcher_busiest_pct,
    max(c.ssl_busiest_pct) AS ssl_busiest_pct
  FROM channel_initiator AS c
  JOIN chinit_interval AS i ON i.record_id = c.record_id
  WHERE i.cut_start_utc IS NOT NULL
  GROUP BY i.lpar, i.qmgr, i.cut_start_utc
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_seconds, q.interval_us,
  q.fragment, q.startup_interval, q.suspect_first, q.baseline_ok,
  m.puts_per_s, m.gets_per_s, m.mqi_calls_per_s, m.persistent_puts, m.nonpersistent_puts, m.persistent_put_pct,
  l.log_created_mib_per_s, l.logger_task_busy_pct, l.log_buffer_waits, l.longest_log_io_us, l.checkpoints, l.log_reads_archive,
  p.lowest_pool_free_pct, p.lowest_pool_id, p.synchronous_write_hits, p.no_buffer_waits, p.page_set_ios_per_s,
  t.fullest_page_set_pct, t.fullest_page_set_id, t.page_set_fulls, t.page_set_expansions,
  f.cf_calls_per_s, f.cf_calls, f.cf_redrives, f.cf_redrive_pct, f.structure_fulls, d.smds_waits, b.db2_queue_high, s.sos_set, r.available_31_mib,
  c.active_channels_pct, c.adapters_idle, c.adapter_busiest_pct, c.dispatcher_busiest_pct, c.ssl_busiest_pct
FROM interval_cut AS q
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
LEFT JOIN request AS m ON m.lpar = q.lpar AND m.qmgr = q.qmgr AND m.interval_start_utc = q.interval_start_utc
LEFT JOIN logged AS l ON l.lpar = q.lpar AND l.qmgr = q.qmgr AND l.interval_start_utc = q.interval_start_utc
LEFT JOIN pools AS p ON p.lpar = q.lpar AND p.qmgr = q.qmgr AND p.interval_start_utc = q.interval_start_utc
LEFT JOIN page_sets AS t ON t.lpar = q.lpar AND t.qmgr = q.qmgr AND t.interval_start_utc = q.interval_start_utc
LEFT JOIN structures AS f ON f.lpar = q.lpar AND f.qmgr = q.qmgr AND f.interval_start_utc = q.interval_start_utc
LEFT JOIN data_sets AS d ON d.lpar = q.lpar AND d.qmgr = q.qmgr AND d.interval_start_utc = q.interval_start_utc
LEFT JOIN servers AS b ON b.lpar = q.lpar AND b.qmgr = q.qmgr AND b.interval_start_utc = q.interval_start_utc
LEFT JOIN stored AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr AND s.interval_start_utc = q.interval_start_utc
LEFT JOIN region AS r ON r.lpar = q.lpar AND r.qmgr = q.qmgr AND r.interval_start_utc = q.interval_start_utc
LEFT JOIN channels AS c ON c.lpar = q.lpar AND c.qmgr = q.qmgr AND c.cut_start_utc = q.interval_start_utc
