/*---
id       = "page_set"
title    = "Page sets"
grain    = "one row per lpar, qmgr, interval and page set"
needs    = ["decoded.qis1", "buffer_pool", "expansion", "growth_limit", "interval_cut", "queue_sharing_group", "site_input"]
classes  = ["115.201"]
mq_since = "9.0.0"
note     = "Page sets that are not available have no activity; they are included, with their state in column status."

[columns]
page_set_id = { label = "page set", screen = 1 }
pool_id = { from = "decoded.qis1", label = "pool", screen = 1 }
full_count = { label = "full", screen = 1 }
read_pages = { label = "pages read", screen = 3 }
expansions = { doc = "Number of times the page set was expanded, as MQ counts it; whether in the interval or since the start is not confirmed. grown_pages compares sizes instead.", over_time = "last", across = "max", label = "expansions" }
stripes = { label = "stripes" }
expansion_method = { label = "expansion", screen = 1 }
encrypted = { label = "encrypted", screen = 3 }
page_set_mib = { unit = "mib", doc = "Size of the page set.", over_time = "last", across = "add", label = "MiB", format = ",.1f", screen = 3 }
growth = { unit = "text", doc = "Whether the page set can grow: not allowed (EXPAND(NONE)), at its largest size, did not expand, allowed, or allowed if the data set has a secondary extent (EXPAND(USER)); null if the method is not set.", label = "growth", screen = 3 }
can_grow = { unit = "flag", doc = "The page set can grow: false for the first three of column growth." }
at_largest = { unit = "flag", doc = "The page set has its largest size (16,776,178 pages, or that of the site file), so that no command enlarges it." }
used_pages = { unit = "pages", doc = "Pages in use.", over_time = "last", across = "add", label = "used", screen = 1 }
used_pct = { unit = "percent", doc = "Pages in use as a share of the page set.", over_time = "last", ratio = { numerator = "used_pages", denominator = "total_pages", scale = 100 }, label = "used %", screen = 1 }
identity_error_pages = { unit = "pages", doc = "Pages that are neither unused nor counted as holding data; 0 in consistent records.", over_time = "last", across = "add", label = "unexplained" }
pages_written_outside_checkpoint = { unit = "pages", doc = "Pages written minus those written by checkpoints.", over = "add", label = "outside checkpoints", screen = 1 }
average_deferred_write_us = { unit = "us", doc = "Average time of a deferred write.", ratio = { numerator = "deferred_write_us", denominator = "deferred_write_ios" }, label = "deferred µs", screen = 1 }
average_immediate_write_us = { unit = "us", doc = "Average time of an immediate write.", ratio = { numerator = "immediate_write_us", denominator = "immediate_write_ios" }, label = "immediate µs", screen = 1 }
average_read_us = { unit = "us", doc = "Average time of a read.", ratio = { numerator = "read_us", denominator = "read_ios" }, label = "read µs", screen = 1 }
pages_per_deferred_write = { unit = "pages", doc = "Pages per deferred write; up to 16.", ratio = { numerator = "deferred_write_pages", denominator = "deferred_write_ios" }, label = "pages/write", screen = 2 }
pages_per_immediate_write = { unit = "pages", doc = "Pages per immediate write.", ratio = { numerator = "immediate_write_pages", denominator = "immediate_write_ios" }, label = "pages/immediate write" }
pages_per_read = { unit = "pages", doc = "Pages per read.", ratio = { numerator = "read_pages", denominator = "read_ios" }, label = "pages/read" }
page_set_io_count = { unit = "count", doc = "I/Os of all kinds.", over = "add", label = "I/Os" }
page_set_io_count_per_s = { unit = "per_s", doc = "I/Os of all kinds per second.", over_time = "mean", across = "add", label = "I/Os per s", screen = 2 }
page_set_mib_per_s = { unit = "mib_per_s", doc = "Data read and written per second.", over_time = "mean", across = "add", label = "MiB/s", screen = 2 }
deferred_writes_at_once = { unit = "ratio", doc = "Deferred writes active at the same time, on average over the interval. Their times overlap: do not derive a data rate from them.", over = "mean", label = "at once" }
grown_pages = { unit = "pages", doc = "Pages by which the page set is larger than in the previous interval; null for the first interval, after a restart and where the page set was not available.", over = "add", label = "grown", screen = 1 }
put_cursor_page = { unit = "id", doc = "Page of the highest put cursor; inferred, because the low byte looks like a slot number." }
encryption_cpu_us = { unit = "us", doc = "Estimated CPU time of data set encryption: 0.7 µs per page read or written immediately, 2.6 µs per page of a deferred write.", over = "add" }
percent_of_64_gib = { unit = "percent", doc = "Size of the page set as a share of the largest possible, 64 GiB.", over_time = "last", across = "max", label = "of 64 GB %", screen = 2 }
largest_pages = { unit = "pages", doc = "Pages that the data set can have: page_set_max_gb of the site file, otherwise the largest possible, 64 GiB; at least its present size.", over_time = "last", across = "same" }
percent_of_largest = { unit = "percent", doc = "Size of the page set as a share of largest_pages.", over_time = "last", ratio = { numerator = "total_pages", denominator = "largest_pages", scale = 100 } }
buffers = { doc = "Buffers of the pool that the page set uses.", over_time = "last", across = "max" }
lowest_free_pct = { doc = "Lowest share of stealable buffers of that pool in the interval." }
---*/
WITH counted AS (
  SELECT
    q.*,
    nullif(interval_us / 1e6, 0)                                                  AS seconds,
    total_pages - unused_pages                                                    AS used_pages,
    floor(262144 * least(64, coalesce(s.page_set_max_gb_by_page_set[q.page_set_id], 64)))::BIGINT AS most_pages,
    deferred_write_ios + immediate_write_ios + read_ios                           AS page_set_io_count,
    pages_mib(deferred_write_pages + immediate_write_pages + read_pages)          AS moved_mib,
    k.largest_value
  FROM decoded.qis1 AS q
  JOIN growth_limit AS k ON k.object_kind = 'page set'
  LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
),
cut AS (
  -- A restart may have replaced a data set by a larger one: sizes before and after it are not compared.
  SELECT
    *, count(*) FILTER (restart_seen) OVER (PARTITION BY lpar, qmgr ORDER BY interval_start_utc) AS restarts_before
  FROM interval_cut
),
grown AS (
  -- The last pages up to the largest size are no room for an extent, of 64 GiB and of the size in the site file.
  SELECT
    q.*, coalesce(e.did_not_expand, false) AS did_not_expand, q.total_pages >= q.most_pages - (16777216 - q.largest_value) AS at_largest,
    CASE
      WHEN q.expansion_method_code = 3 THEN 'not allowed'
      WHEN q.total_pages >= q.most_pages - (16777216 - q.largest_value) THEN 'at its largest size'
      WHEN e.did_not_expand THEN 'did not expand'
      WHEN q.expansion_method_code = 1 THEN 'allowed if the data set has a secondary extent'
      WHEN q.expansion_method_code = 2 THEN 'allowed'
    END AS growth
  FROM counted AS q
  LEFT JOIN expansion AS e ON e.record_id = q.record_id AND e.expanding_object = 'page set ' || q.page_set_id AND e.did_not_expand
),
pool AS (
  -- Several records may report a pool for one interval; a page set has one row for each of its own records.
  SELECT lpar, qmgr, interval_start_utc, pool_id, max(buffers) AS buffers, min(lowest_free_pct) AS lowest_free_pct
  FROM buffer_pool
  GROUP BY lpar, qmgr, interval_start_utc, pool_id
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  q.page_set_id, q.pool_id, q.total_pages, q.unused_pages, q.persistent_pages, q.nonpersistent_pages, q.full_count, q.put_cursor_high,
  q.deferred_write_ios, q.deferred_write_pages, q.deferred_write_us,
  q.immediate_write_ios, q.immediate_write_pages, q.immediate_write_us,
  q.read_ios, q.read_pages, q.read_us, q.checkpoint_pages,
  q.expansions, q.stripes, q.expansion_method, q.status, q.expansion_flag, q.encrypted,
  pages_mib(q.total_pages)                                       AS page_set_mib,
  q.growth,
  CASE WHEN q.growth IN ('not allowed', 'at its largest size', 'did not expand') THEN false WHEN q.growth IS NOT NULL THEN true END AS can_grow,
  q.at_largest,
  q.did_not_expand,
  q.used_pages,
  pct(q.used_pages, q.total_pages)                               AS used_pct,
  q.used_pages - q.persistent_pages - q.nonpersistent_pages      AS identity_error_pages,
  q.deferred_write_pages + q.immediate_write_pages - q.checkpoint_pages AS pages_written_outside_checkpoint,
  q.deferred_write_us / nullif(q.deferred_write_ios, 0)          AS average_deferred_write_us,
  q.immediate_write_us / nullif(q.immediate_write_ios, 0)        AS average_immediate_write_us,
  q.read_us / nullif(q.read_ios, 0)                              AS average_read_us,
  q.deferred_write_pages / nullif(q.deferred_write_ios, 0)       AS pages_per_deferred_write,
  q.immediate_write_pages / nullif(q.immediate_write_ios, 0)     AS pages_per_immediate_write,
  q.read_pages / nullif(q.read_ios, 0)                           AS pages_per_read,
  q.page_set_io_count,
  q.page_set_io_count / q.seconds                                AS page_set_io_count_per_s,
  q.moved_mib / q.seconds                                        AS page_set_mib_per_s,
  q.deferred_write_us / nullif(q.interval_us, 0)                 AS deferred_writes_at_once,
  CASE
    WHEN q.status_code = 0 AND lag(q.status_code) OVER earlier = 0 AND i.restarts_before = lag(i.restarts_before) OVER earlier
      THEN greatest(0, q.total_pages - lag(q.total_pages) OVER earlier)
  END                                                            AS grown_pages,
  q.put_cursor_high >> 8                                         AS put_cursor_page,
  CASE WHEN q.encrypted
    THEN 0.7::DOUBLE * (q.read_pages + q.immediate_write_pages) + 2.6::DOUBLE * q.deferred_write_pages
  END                                                            AS encryption_cpu_us,
  100 * q.total_pages / 16777216                                 AS percent_of_64_gib,
  greatest(q.total_pages, q.most_pages)                          AS largest_pages,
  pct(q.total_pages, greatest(q.total_pages, q.most_pages))      AS percent_of_largest,
  b.buffers,
  b.lowest_free_pct
FROM grown AS q
LEFT JOIN cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
LEFT JOIN pool AS b
  ON b.lpar = q.lpar AND b.qmgr = q.qmgr AND b.interval_start_utc = q.interval_start_utc AND b.pool_id = q.pool_id
WINDOW earlier AS (PARTITION BY q.lpar, q.qmgr, q.page_set_id ORDER BY q.interval_start_utc, q.record_id)
