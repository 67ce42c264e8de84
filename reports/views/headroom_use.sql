/*---
id      = "headroom_use"
title   = "Use of every limit in every interval"
grain   = "one row per lpar, qmgr, limit, subject and interval"
needs   = ["page_set", "storage_region", "channel_initiator", "log", "log_site", "buffer_pool", "cf_structure", "smds", "site_input"]
classes = ["115.1", "115.2", "115.7", "115.201", "115.215", "115.231"]
note    = "Helper of view headroom_step: without fragments and startup intervals. Rows without a use are left out, unless there is no limit to use."

[columns]
used_value = { unit = "number", doc = "Use in the unit of the limit.", over = "max" }
limit_value = { unit = "number", doc = "The limit; null if it is not known or there is none.", over_time = "last", across = "same" }
---*/
WITH
-- A page set that may expand has two limits: its present size, where it expands, and the largest size.
page_set_use AS (
  SELECT
    lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds,
    unnest([1, 2]::BIGINT[])                                              AS limit_number,
    'page set ' || page_set_id                                            AS limit_subject,
    used_pages::DOUBLE                                                    AS used_value,
    unnest([total_pages, CASE WHEN can_grow THEN largest_pages END])::DOUBLE AS limit_value,
    unnest([full_count, NULL])::BIGINT                                    AS limit_events,
    true                                                                  AS limit_ends_service,
    unnest(['record', CASE WHEN NOT can_grow THEN NULL WHEN largest_pages < 16777216 THEN 'site file' ELSE 'product' END]) AS limit_source,
    unnest([
      CASE WHEN can_grow THEN 'expands' END,
      CASE WHEN largest_pages >= 16777216 AND total_pages <= 1048576 THEN 'may end at 4 GB: page_set_max_gb is not in the site file' END
    ])                                                                    AS limit_note
  FROM page_set
  WHERE status = 'Available' AND settled(interval_seconds, fragment, startup_interval)
),
-- The 31-bit limit is the region without the short-on-storage reserve, the 64-bit limit is MEMLIMIT without the cushion. Memory objects are not compared
-- with MEMLIMIT: most of them do not count for it.
region_use AS (
  SELECT
    lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds,
    unnest([3, 4]::BIGINT[])                                              AS limit_number,
    unnest([used_31_bytes, used_64_bytes]) / 1048576                      AS used_value,
    unnest([
      region_31_bytes - sos_reserve_31_bytes, CASE WHEN memlimit_set THEN memlimit_mib * 1048576 - cushion_64_bytes END
    ]) / 1048576                                                          AS limit_value,
    true                                                                  AS limit_ends_service,
    unnest(['record', CASE WHEN memlimit_set THEN 'record' ELSE 'no limit' END]) AS limit_source,
    unnest([NULL, CASE WHEN NOT memlimit_set THEN 'no MEMLIMIT' END])     AS limit_note
  FROM storage_region
  WHERE settled(interval_seconds, fragment, startup_interval)
),
chinit_use AS (
  SELECT
    lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds,
    unnest(range(5, 12))                                                  AS limit_number,
    unnest([
      chinit_31_mib::DOUBLE, chinit_64_mib, current_channels, active_channels, adapter_average_pct, dispatcher_busiest_pct, ssl_busiest_pct
    ])                                                                    AS used_value,
    unnest([
      chinit_31_total_mib::DOUBLE, chinit_64_limit_mib, nullif(max_channels, 0), nullif(max_active_channels, 0), 100, 100, 100
    ])                                                                    AS limit_value,
    true                                                                  AS limit_ends_service,
    unnest([
      CASE WHEN chinit_31_total_assumed THEN 'assumed' ELSE 'site file' END,
      CASE WHEN chinit_64_no_limit THEN 'no limit' WHEN chinit_64_limit_mib IS NOT NULL THEN 'record' END, 'record', 'record', 'product', 'product', 'product'
    ])                                                                    AS limit_source,
    unnest([
      CASE WHEN chinit_31_total_assumed THEN '1466 MiB assumed: chin_31bit_total_mb is not in the site file' END,
      CASE WHEN chinit_64_no_limit THEN 'no MEMLIMIT' END, NULL, NULL, adapters_idle || ' of ' || adapters || ' idle', NULL, NULL
    ])                                                                    AS limit_note
  FROM channel_initiator
  WHERE settled(interval_seconds, fragment, startup_interval)
),
-- The volume of a day is that of the 24 hours before the end of the interval, or of the part of them that the data covers.
volume AS (
  SELECT
    lpar, qmgr, record_id, interval_start_utc, interval_start_local, interval_seconds, fragment, startup_interval, logger_task_busy_pct,
    sum(log_mib_created) OVER (
      PARTITION BY lpar, qmgr ORDER BY interval_start_utc RANGE BETWEEN INTERVAL 86399 SECONDS PRECEDING AND CURRENT ROW
    ) AS log_mib_in_a_day
  FROM log
),
log_use AS (
  SELECT
    q.lpar, q.qmgr, q.interval_start_utc, q.interval_start_local, q.interval_seconds,
    unnest([12, 15, 16]::BIGINT[])                                        AS limit_number,
    unnest([q.logger_task_busy_pct::DOUBLE, r.busier_copy_mib_per_s, q.log_mib_in_a_day]) AS used_value,
    unnest([100::DOUBLE, nullif(r.log_peak_mb_s, 0), nullif(s.active_logs * s.active_log_mb, 0)]) AS limit_value,
    unnest([true, true, false])                                           AS limit_ends_service,
    unnest([
      'product', CASE WHEN r.log_peak_mb_s > 0 THEN 'site file' END, CASE WHEN s.active_logs * s.active_log_mb > 0 THEN 'site file' END
    ])                                                                    AS limit_source,
    unnest([
      NULL, CASE WHEN r.log_peak_mb_s > 0 THEN NULL ELSE 'log_peak_mb_s is not in the site file' END,
      CASE WHEN s.active_logs * s.active_log_mb > 0 THEN NULL ELSE 'active_logs and active_log_mb are not in the site file' END
    ])                                                                    AS limit_note
  FROM volume AS q
  JOIN log_site AS r ON r.record_id = q.record_id
  LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
  WHERE settled(q.interval_seconds, q.fragment, q.startup_interval)
),
-- Below 15 % free the deferred write process starts, below 5 % puts write synchronously.
pool_use AS (
  SELECT
    lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds,
    unnest([13, 14]::BIGINT[])                                            AS limit_number,
    'buffer pool ' || pool_id                                             AS limit_subject,
    100 - lowest_free_pct                                                 AS used_value,
    unnest([85::DOUBLE, 95])                                              AS limit_value,
    unnest([false, true])                                                 AS limit_ends_service,
    'product'                                                             AS limit_source
  FROM buffer_pool
  WHERE lowest_free_pct IS NOT NULL AND settled(interval_seconds, fragment, startup_interval)
),
-- A structure-full event counts for entries or elements, whichever has the higher share according to the site file, or by the initial ratio of 6 elements
-- per entry.
structure AS (
  SELECT
    q.*,
    coalesce(q.cf_entries, CASE WHEN q.admin_structure THEN s.csq_admin_entsmax END) AS most_entries,
    coalesce(q.elements_used_pct > q.entries_used_pct, q.runs_out_first = 'elements', false) AS elements_first
  FROM cf_structure AS q
  LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
  WHERE q.group_member
),
structure_use AS (
  SELECT
    lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds,
    unnest([19, 20]::BIGINT[])                                            AS limit_number,
    'structure ' || cf_structure                                          AS limit_subject,
    qsg                                                                   AS limit_owner,
    unnest([entries_high, elements_high])::DOUBLE                         AS used_value,
    unnest([nullif(most_entries, 0), nullif(cf_elements, 0)])::DOUBLE     AS limit_value,
    unnest([CASE WHEN elements_first THEN 0 ELSE structure_fulls END, CASE WHEN elements_first THEN structure_fulls ELSE 0 END])::BIGINT AS limit_events,
    true                                                                  AS limit_ends_service,
    unnest([CASE WHEN most_entries > 0 THEN 'site file' END, CASE WHEN cf_elements > 0 THEN 'site file' END]) AS limit_source,
    unnest([
      CASE WHEN most_entries > 0 THEN NULL ELSE 'cf_entries is not in the site file' END,
      CASE WHEN cf_elements > 0 THEN NULL ELSE 'cf_elements is not in the site file' END
    ])                                                                    AS limit_note
  FROM structure
  WHERE settled(interval_seconds, fragment, startup_interval)
),
smds_use AS (
  SELECT
    lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds,
    unnest([17, 18]::BIGINT[])                                            AS limit_number,
    'SMDS of ' || cf_structure                                            AS limit_subject,
    unnest([smds_used_blocks_high::DOUBLE, smds_allocated_mib])           AS used_value,
    unnest([smds_data_blocks::DOUBLE, 16777216])                          AS limit_value,
    unnest([smds_failed_allocates, NULL])::BIGINT                         AS limit_events,
    true                                                                  AS limit_ends_service,
    unnest(['record', 'product'])                                         AS limit_source
  FROM smds
  WHERE smds_data_blocks > 0 AND settled(interval_seconds, fragment, startup_interval)
),
every_use AS (
  SELECT * FROM page_set_use WHERE limit_value IS NOT NULL
  UNION ALL BY NAME SELECT * FROM region_use
  UNION ALL BY NAME SELECT * FROM chinit_use
  UNION ALL BY NAME SELECT * FROM log_use
  UNION ALL BY NAME SELECT * FROM pool_use
  UNION ALL BY NAME SELECT * FROM structure_use
  UNION ALL BY NAME SELECT * FROM smds_use
)
SELECT
  lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds, limit_number, limit_subject, limit_owner,
  used_value, limit_value, limit_events, limit_ends_service, limit_source, limit_note
FROM every_use
WHERE used_value IS NOT NULL OR limit_source = 'no limit'
