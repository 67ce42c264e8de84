/*---
id      = "buffer_pool"
title   = "Buffer pools"
grain   = "one row per lpar, qmgr, interval and pool"
needs   = ["decoded.qpst", "buffer_pool_page_set", "interval_cut", "queue_sharing_group", "site_input"]
classes = ["115.215"]

[columns]
pool_id = { from = "decoded.qpst", label = "pool", screen = 1 }
pages_read = { label = "read", screen = 1 }
set_writes = { label = "set writes" }
pages_written = { label = "written", screen = 1 }
immediate_writes = { label = "immed. writes", screen = 2 }
deferred_write_starts = { label = "DWT", screen = 1 }
steals = { label = "steals", screen = 2 }
steal_contention = { label = "steal cont." }
page_fixed = { label = "fixed" }
pool_mib = { unit = "mib", doc = "Size of the pool.", over_time = "last", across = "add", label = "MiB" }
lowest_free_pct = { unit = "percent", doc = "Lowest share of stealable buffers in the interval.", over = "min", label = "lowest free %", screen = 1 }
current_free_pct = { unit = "percent", doc = "Share of stealable buffers when the record was written.", over_time = "last", ratio = { numerator = "current_stealable", denominator = "buffers", scale = 100 }, label = "free now %", screen = 2 }
highest_used = { unit = "buffers", doc = "Highest number of buffers in use.", over = "max", label = "highest used" }
highest_used_pct = { unit = "percent", doc = "Highest number of buffers in use, as a share of the pool.", over = "max", label = "highest used %" }
pool_hit_pct = { unit = "percent", doc = "Share of the gets of existing pages that needed no read.", ratio = { numerator = "greatest(0, page_gets_old - pages_read)", denominator = "page_gets_old", scale = 100 }, label = "hit %", format = ".2f", screen = 2 }
old_to_new_ratio = { unit = "ratio", doc = "Gets of existing pages per get of a new page.", ratio = { numerator = "page_gets_old", denominator = "page_gets_new" }, label = "gets old/new", screen = 3 }
read_to_written_ratio = { unit = "ratio", doc = "Pages read per page written.", ratio = { numerator = "pages_read", denominator = "pages_written" }, label = "read/written", screen = 1 }
pages_per_write = { unit = "pages", doc = "Pages written per write I/O.", ratio = { numerator = "pages_written", denominator = "write_ios" }, label = "pages/write", screen = 3 }
page_set_ios = { unit = "count", doc = "Pages read and write I/Os.", over = "add", label = "I/Os" }
page_set_ios_per_s = { unit = "per_s", doc = "Pages read and write I/Os per second.", over_time = "mean", across = "add", label = "I/O per s", screen = 1 }
page_gets_old_per_s = { unit = "per_s", doc = "Page gets for old pages per second.", over_time = "mean", across = "add" }
page_gets_new_per_s = { unit = "per_s", doc = "Page gets for new pages per second.", over_time = "mean", across = "add" }
set_writes_per_s = { unit = "per_s", doc = "Page updates per second.", over_time = "mean", across = "add" }
steal_contention_pct = { unit = "percent", doc = "Share of the steals with contention.", ratio = { numerator = "steal_contention", denominator = "steals", scale = 100 }, label = "cont. %", screen = 2 }
net_steals = { unit = "count", doc = "Steals without contention.", over = "add", label = "net steals" }
buffers_for_15pct_free = { unit = "buffers", doc = "Buffers that would have kept 15 % free at the highest use.", over = "max", label = "for 15 % free", screen = 1 }
buffers_at_105pct = { unit = "buffers", doc = "105 % of the pages, if one page set uses the pool: more buffers gain nothing.", over_time = "last", across = "add", label = "105 % of page set" }
pool_role = { unit = "text", doc = "short, bulk or other from the site file." }
pressure = { unit = "text", doc = "The worst sign of pressure in the interval; for display only, findings come from rules.", label = "pressure", screen = 1 }
---*/
WITH
page_set_records AS (
  SELECT lpar, qmgr, interval_start_utc FROM buffer_pool_page_set GROUP BY lpar, qmgr, interval_start_utc
),
pool AS (
  SELECT
    q.* REPLACE (
      unsigned_word(q.page_gets_old, q.interval_us / 1e6, 2e6) AS page_gets_old,
      unsigned_word(q.page_gets_new, q.interval_us / 1e6, 2e6) AS page_gets_new,
      unsigned_word(q.pages_read, q.interval_us / 1e6, 2e6) AS pages_read,
      unsigned_word(q.set_writes, q.interval_us / 1e6, 2e6) AS set_writes,
      unsigned_word(q.pages_written, q.interval_us / 1e6, 2e6) AS pages_written,
      unsigned_word(q.write_ios, q.interval_us / 1e6, 2e6) AS write_ios,
      unsigned_word(q.immediate_writes, q.interval_us / 1e6, 2e6) AS immediate_writes,
      unsigned_word(q.deferred_write_starts, q.interval_us / 1e6, 2e6) AS deferred_write_starts,
      unsigned_word(q.synchronous_write_hits, q.interval_us / 1e6, 2e6) AS synchronous_write_hits,
      unsigned_word(q.steals, q.interval_us / 1e6, 2e6) AS steals,
      unsigned_word(q.steal_contention, q.interval_us / 1e6, 2e6) AS steal_contention,
      unsigned_word(q.no_buffer_waits, q.interval_us / 1e6, 2e6) AS no_buffer_waits
    ),
    pct(q.lowest_stealable, q.buffers)              AS lowest_free_pct,
    nullif(q.interval_us / 1e6, 0)                  AS seconds,
    -- Without 115.201 records the page set columns of a queue manager are null; with them, a pool without page sets has 0.
    CASE WHEN r.lpar IS NOT NULL THEN coalesce(p.page_sets_on_pool, 0) END      AS page_sets_on_pool,
    CASE WHEN r.lpar IS NOT NULL THEN coalesce(p.page_set_pages_on_pool, 0) END AS page_set_pages_on_pool,
    p.busiest_page_set, p.immediate_write_page_set
  FROM decoded.qpst AS q
  LEFT JOIN page_set_records AS r
    ON r.lpar = q.lpar AND r.qmgr = q.qmgr AND r.interval_start_utc = q.interval_start_utc
  LEFT JOIN buffer_pool_page_set AS p
    ON p.lpar = q.lpar AND p.qmgr = q.qmgr AND p.interval_start_utc = q.interval_start_utc AND p.pool_id = q.pool_id
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  q.pool_id, q.buffers, q.lowest_stealable, q.current_stealable, q.page_gets_old, q.page_gets_new, q.pages_read,
  q.set_writes, q.pages_written, q.write_ios, q.immediate_writes, q.deferred_write_starts,
  q.synchronous_write_hits, q.steals, q.steal_contention, q.no_buffer_waits, q.above_bar, q.page_fixed,
  pages_mib(q.buffers)                                           AS pool_mib,
  q.lowest_free_pct,
  pct(q.current_stealable, q.buffers)                            AS current_free_pct,
  q.buffers - q.lowest_stealable                                 AS highest_used,
  pct(q.buffers - q.lowest_stealable, q.buffers)                 AS highest_used_pct,
  -- greatest() ignores nulls, so the null is handled explicitly.
  CASE WHEN q.pages_read IS NOT NULL AND q.page_gets_old > 0
    THEN greatest(0, 100 * (1 - q.pages_read / q.page_gets_old)) END AS pool_hit_pct,
  q.page_gets_old / nullif(q.page_gets_new, 0)                   AS old_to_new_ratio,
  q.pages_read / nullif(q.pages_written, 0)                      AS read_to_written_ratio,
  q.pages_written / nullif(q.write_ios, 0)                       AS pages_per_write,
  q.pages_read + q.write_ios                                     AS page_set_ios,
  (q.pages_read + q.write_ios) / q.seconds                       AS page_set_ios_per_s,
  q.page_gets_old / q.seconds                                    AS page_gets_old_per_s,
  q.page_gets_new / q.seconds                                    AS page_gets_new_per_s,
  q.set_writes / q.seconds                                       AS set_writes_per_s,
  pct(q.steal_contention, q.steals)                              AS steal_contention_pct,
  q.steals - q.steal_contention                                  AS net_steals,
  ceil((q.buffers - q.lowest_stealable) / 0.85)::BIGINT          AS buffers_for_15pct_free,
  q.page_sets_on_pool,
  q.page_set_pages_on_pool,
  q.busiest_page_set,
  q.immediate_write_page_set,
  CASE WHEN q.page_sets_on_pool = 1 THEN ceil(1.05 * q.page_set_pages_on_pool)::BIGINT END AS buffers_at_105pct,
  s.pool_role_by_pool[q.pool_id]                                 AS pool_role,
  CASE
    WHEN q.no_buffer_waits > 0 THEN 'no buffers'
    WHEN q.synchronous_write_hits > 0 THEN 'synchronous writes'
    WHEN q.lowest_free_pct < 15 THEN 'below 15 % free'
    WHEN q.deferred_write_starts > 0 THEN 'deferred write started'
    ELSE 'ok'
  END AS pressure
FROM pool AS q
LEFT JOIN interval_cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
