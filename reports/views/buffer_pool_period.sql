/*---
id      = "buffer_pool_period"
title   = "Buffer pools over the period"
grain   = "one row per lpar, qmgr and pool"
needs   = ["buffer_pool"]
classes = ["115.215"]
note    = "Intervals in which the pool has 0 buffers are ignored. Fragments and intervals after a start count for events and pages, but not for shares of buffers, medians and peaks."

[columns]
record_id = { doc = "Record of the interval with the fewest stealable buffers, or of the last interval." }
intervals = { unit = "count", doc = "Number of intervals.", over = "add", label = "intervals", screen = 2 }
period_hours = { unit = "h", doc = "Time from the start of the first interval of the pool to the end of its last one.", over = "max" }
days_covered = { unit = "days", doc = "Time that the intervals cover, rounded to a tenth of a day.", over = "max" }
restarts = { unit = "count", doc = "Intervals in which the queue manager started.", over = "add" }
buffers_now = { unit = "buffers", doc = "Buffers in the last interval.", over_time = "last", across = "add", label = "buffers", screen = 1 }
buffers_changed = { unit = "flag", doc = "The pool was altered within the period.", label = "altered" }
pool_mib_now = { unit = "mib", doc = "Size of the pool in the last interval.", over_time = "last", across = "add", label = "MiB", screen = 2 }
above_bar = { doc = "Buffer pool was above the 2 GB bar all the time.", label = "above bar", screen = 2 }
page_fixed = { doc = "Buffer pool pages were page-fixed all the time." }
page_sets_on_pool = { doc = "Highest number of open page sets that used the pool." }
lowest_free_pct_min = { unit = "percent", doc = "Lowest share of stealable buffers of all intervals.", over = "min", label = "lowest free %", screen = 1 }
lowest_free_at_utc = { unit = "ts_utc", doc = "Start of the interval with the lowest share.", label = "at", screen = 1 }
lowest_free_pct_median = { unit = "percent", doc = "Median over the intervals of their lowest shares.", over = "none", why = "A median or percentile does not follow from those of the rows.", label = "median %", screen = 2 }
highest_used_pct_max = { unit = "percent", doc = "Highest number of buffers in use in any interval, as a share of the pool.", over = "max", label = "highest used %" }
intervals_below_15_pct = { unit = "count", doc = "Intervals in which less than 15 % of the buffers were stealable.", over = "add", label = "below 15 %" }
intervals_below_5_pct = { unit = "count", doc = "Intervals in which less than 5 % of the buffers were stealable.", over = "add" }
share_below_15_pct = { unit = "percent", doc = "Share of the intervals in which less than 15 % of the buffers were stealable.", ratio = { numerator = "share_below_15_pct * intervals", denominator = "intervals" }, label = "time below 15 %", screen = 1 }
share_below_5_pct = { unit = "percent", doc = "Share of the intervals in which less than 5 % of the buffers were stealable.", ratio = { numerator = "share_below_5_pct * intervals", denominator = "intervals" }, label = "time below 5 %" }
intervals_with_synchronous_writes = { unit = "count", doc = "Intervals in which the synchronous write threshold was reached.", over = "add", label = "with DMC", screen = 2 }
intervals_with_no_buffers = { unit = "count", doc = "Intervals in which a request found no stealable buffer.", over = "add", label = "with SOS", screen = 2 }
intervals_with_deferred_writes = { unit = "count", doc = "Intervals in which the deferred write process started.", over = "add", label = "with DWT", screen = 2 }
intervals_with_reads = { unit = "count", doc = "Intervals in which pages were read.", over = "add", label = "with reads", screen = 3 }
reread_ratio = { unit = "ratio", doc = "Pages read per page written, with at least one page assumed to be written.", ratio = { numerator = "pages_read", denominator = "greatest(pages_written, 1)" } }
page_set_ios_per_s_peak = { unit = "per_s", doc = "Highest rate of page set I/O of any interval.", over = "max", label = "peak I/O per s", screen = 3 }
buffers_for_20pct_free_p99 = { unit = "buffers", doc = "Buffers that would have kept 20 % free in 99 of 100 intervals.", over = "none", why = "A median or percentile does not follow from those of the rows.", label = "for 20 % free, 99 %" }
long_lived = { unit = "flag", doc = "The messages stay longer than the buffers hold them, which is as it should be: in at least half of eight or more intervals pages were read or deferred writes started, about as many pages (half to twice) were read as written, and no put or get waited for buffers. Never pool 0, nor a pool declared for short-lived messages.", label = "long-lived messages" }
oversized = { unit = "flag", doc = "At most half of the pool was ever used.", label = "oversized" }
health = { unit = "text", doc = "critical, warning, oversized (from 7 days of data on, and not pool 0) or ok; for display only, findings come from rules.", label = "health", screen = 1 }
---*/
WITH
pool AS (
  SELECT *, coalesce(judgeable(interval_seconds, fragment), true) AND NOT coalesce(startup_interval OR suspect_first, false) AS usable
  FROM buffer_pool
  WHERE buffers > 0
),
summed AS (
  SELECT
    lpar, qmgr, pool_id,
    max(qsg)                                                              AS qsg,
    coalesce(arg_min(record_id, (lowest_free_pct, interval_start_utc)) FILTER (usable AND lowest_free_pct IS NOT NULL), max(record_id)) AS record_id,
    count(*)                                                              AS intervals,
    epoch_us(max(interval_end_utc) - min(interval_start_utc)) / 3.6e9     AS period_hours,
    round(sum(interval_seconds) / 86400, 1)                               AS days_covered,
    count(*) FILTER (startup_interval OR suspect_first)                   AS restarts,
    coalesce(arg_max(buffers, interval_start_utc), max(buffers))          AS buffers_now,
    min(buffers) < max(buffers)                                           AS buffers_changed,
    coalesce(arg_max(pool_mib, interval_start_utc), max(pool_mib))        AS pool_mib_now,
    bool_and(above_bar)                                                   AS above_bar,
    bool_and(page_fixed)                                                  AS page_fixed,
    any_value(pool_role)                                                  AS pool_role,
    max(page_sets_on_pool)                                                AS page_sets_on_pool,
    min(lowest_free_pct) FILTER (usable)                                  AS lowest_free_pct_min,
    arg_min(interval_start_utc, (lowest_free_pct, interval_start_utc)) FILTER (usable AND lowest_free_pct IS NOT NULL) AS lowest_free_at_utc,
    median(lowest_free_pct) FILTER (usable)                               AS lowest_free_pct_median,
    max(highest_used_pct) FILTER (usable)                                 AS highest_used_pct_max,
    count(lowest_free_pct) FILTER (usable)                                AS intervals_with_low,
    count(*) FILTER (usable AND lowest_free_pct < 15)                     AS below_15,
    count(*) FILTER (usable AND lowest_free_pct < 5)                      AS below_5,
    count(*) FILTER (synchronous_write_hits > 0)                          AS intervals_with_synchronous_writes,
    count(*) FILTER (no_buffer_waits > 0)                                 AS intervals_with_no_buffers,
    count(*) FILTER (deferred_write_starts > 0)                           AS intervals_with_deferred_writes,
    count(*) FILTER (pages_read > 0)                                      AS intervals_with_reads,
    count(*) FILTER (pages_read > 0 OR deferred_write_starts > 0)         AS intervals_beyond_buffers,
    sum(pages_read)::BIGINT                                               AS pages_read,
    sum(pages_written)::BIGINT                                            AS pages_written,
    sum(page_gets_old)::BIGINT                                            AS page_gets_old,
    sum(steals)::BIGINT                                                   AS steals,
    sum(deferred_write_starts)::BIGINT                                    AS deferred_write_starts,
    max(page_set_ios_per_s) FILTER (usable)                               AS page_set_ios_per_s_peak,
    max(buffers_for_15pct_free) FILTER (usable)                           AS buffers_for_15pct_free,
    ceil(quantile_cont(highest_used, 0.99) FILTER (usable) / 0.80)::BIGINT AS buffers_for_20pct_free_p99,
    max(buffers_at_105pct)                                                AS buffers_at_105pct
  FROM pool
  GROUP BY lpar, qmgr, pool_id
),
classified AS (
  SELECT
    *,
    -- MP16, 'Interpretation of MQ statistics', point 3.
    coalesce(
      pool_id > 0 AND pool_role IS DISTINCT FROM 'short' AND intervals >= 8 AND 2 * intervals_beyond_buffers >= intervals
        AND intervals_with_synchronous_writes + intervals_with_no_buffers = 0
        AND pages_read >= 1000 AND pages_read BETWEEN pages_written / 2 AND 2 * pages_written,
      false
    ) AS long_lived
  FROM summed
)
SELECT
  lpar, qmgr, qsg, pool_id, record_id, intervals, period_hours, days_covered, restarts, buffers_now, buffers_changed, pool_mib_now,
  above_bar, page_fixed, pool_role, page_sets_on_pool, lowest_free_pct_min, lowest_free_at_utc, lowest_free_pct_median, highest_used_pct_max,
  -- An interval without a low-water mark is neither below nor above.
  CASE WHEN intervals_with_low > 0 THEN below_15 END                      AS intervals_below_15_pct,
  CASE WHEN intervals_with_low > 0 THEN below_5 END                       AS intervals_below_5_pct,
  pct(below_15, intervals_with_low)                                       AS share_below_15_pct,
  pct(below_5, intervals_with_low)                                        AS share_below_5_pct,
  intervals_with_synchronous_writes, intervals_with_no_buffers, intervals_with_deferred_writes, intervals_with_reads,
  pages_read, pages_written, page_gets_old, steals, deferred_write_starts,
  pages_read / nullif(pages_written, 0)                                   AS read_to_written_ratio,
  CASE WHEN pages_written IS NOT NULL THEN pages_read / greatest(pages_written, 1) END AS reread_ratio,
  page_set_ios_per_s_peak,
  CASE WHEN pages_read IS NOT NULL AND page_gets_old > 0
    THEN greatest(0, 100 * (1 - pages_read / page_gets_old)) END          AS pool_hit_pct,
  buffers_for_15pct_free, buffers_for_20pct_free_p99, buffers_at_105pct,
  long_lived,
  highest_used_pct_max <= 50                                              AS oversized,
  CASE
    WHEN intervals_with_no_buffers > 0 OR intervals_with_synchronous_writes > 0 OR below_5 > 0 THEN 'critical'
    -- Pool 0 and pools for short-lived messages should never start the deferred write process or read pages.
    WHEN (below_15 > 0 AND NOT long_lived) OR ((pool_id = 0 OR pool_role = 'short') AND (intervals_with_deferred_writes > 0 OR intervals_with_reads > 0)) THEN 'warning'
    -- One or two days do not show that a pool is too large, and for pool 0 any size is acceptable.
    WHEN highest_used_pct_max <= 50 AND pool_id > 0 AND days_covered >= 7 THEN 'oversized'
    ELSE 'ok'
  END                                                                     AS health
FROM classified
