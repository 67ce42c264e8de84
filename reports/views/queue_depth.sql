/*---
id      = "queue_depth"
title   = "Depth, handles and age of queues over the period"
grain   = "one row per lpar, qmgr and queue"
needs   = ["queue_statistics", "queue_total", "page_set"]
classes = ["115.216"]
note    = "Partial records are excluded, except from the number of puts and gets. Growth is measured between the ends of the first and the last interval. The index type comes from accounting."

[columns]
page_set_id = { doc = "Page set of a private queue.", screen = 3 }
cf_structure = { from = "queue_total", label = "structure", screen = 3 }
intervals = { unit = "count", doc = "Intervals with a complete record of the queue.", over = "max", label = "intervals" }
depth_first = { unit = "count", doc = "Depth at the end of the first interval.", over_time = "first", across = "add", label = "depth first", screen = 3 }
depth_last = { unit = "count", doc = "Depth at the end of the last interval.", over_time = "last", across = "add", label = "depth last", screen = 1 }
depth_high = { doc = "Highest depth; before 9.3.3 the highest at the end of an interval.", label = "depth high", screen = 1 }
depth_high_at_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the interval with the highest depth.", label = "highest at", screen = 2 }
depth_low = { doc = "Lowest depth; before 9.3.3 the lowest at the end of an interval.", label = "depth low", screen = 1 }
growth_per_h = { unit = "per_h", doc = "Messages by which the depth grew per hour.", over_time = "last", across = "add", label = "growth/h", format = ",.0f", screen = 2 }
intervals_rising_pct = { unit = "percent", doc = "Share of the intervals at whose end the queue was deeper than at the end of the previous one.", ratio = { numerator = "intervals_rising_pct * intervals", denominator = "intervals" }, label = "rising %", format = ".0f", screen = 2 }
share_of_max_depth_pct = { unit = "percent", doc = "Highest depth as a share of MAXDEPTH.", over = "max", label = "of MAXDEPTH %", screen = 2 }
hours_to_page_set_full = { unit = "h", doc = "Hours until the queue fills the unused pages of its page set at its growth over the period; null if the page set or the queue did not grow.", over = "min", label = "hours to full", screen = 3 }
oldest_message_s = { doc = "Highest age of the oldest message.", over = "max", label = "oldest s" }
input_handles_high = { doc = "Most input handles; before 9.3.3 the most at the end of an interval.", label = "input handles", screen = 1 }
intervals_without_reader = { unit = "count", doc = "Intervals that ended with messages on the queue and no input handle of this queue manager.", over = "max", label = "without reader", screen = 2 }
queue_time_long_us = { doc = "Highest long-term average of the time of messages on the queue.", over = "max", label = "time on queue µs" }
index_type = { doc = "Index type of the queue, from accounting." }
restart_index_messages = { unit = "count", doc = "Messages whose index is built again at restart: the last depth of a private queue with an index that takes persistent messages.", over_time = "last", across = "add", label = "index at restart" }
expiry_scan_cpu_us = { unit = "us", doc = "CPU time of one expiry scan of a shared queue at its last depth, 5 µs per message.", over_time = "last", across = "add", label = "expiry scan CPU µs" }
shape = { unit = "text", doc = "building up (deeper at the end, and in more than 70 % of the intervals), never empty, drains (empty at the end) or empty.", label = "shape", screen = 1 }
---*/
WITH
known AS (
  SELECT *, NOT depth_unknown AS complete, {'at': interval_start_utc, 'record': record_id} AS moment
  FROM queue_statistics
),
total AS (
  SELECT
    lpar, qmgr, queue,
    max(queue_kind)                                           AS queue_kind,
    bool_or(shared_queue)                                     AS shared_queue,
    max(page_set_id)                                          AS page_set_id,
    max(cf_structure)                                         AS cf_structure,
    count(*) FILTER (complete)                                AS intervals,
    arg_min(depth, moment) FILTER (complete)                  AS depth_first,
    arg_max(depth, moment) FILTER (complete)                  AS depth_last,
    max(coalesce(depth_high, depth)) FILTER (complete)        AS depth_high,
    arg_max(interval_start_utc, (coalesce(depth_high, depth), -epoch_us(interval_start_utc)))
      FILTER (complete AND coalesce(depth_high, depth) IS NOT NULL) AS depth_high_at_utc,
    min(coalesce(depth_low, depth)) FILTER (complete)         AS depth_low,
    epoch_us(max(interval_end_utc) FILTER (complete) - min(interval_end_utc) FILTER (complete)) / 3.6e9 AS hours,
    max(maxdepth)                                             AS maxdepth,
    sum(messages_put)::BIGINT                                 AS messages_put,
    sum(persistent_messages_put)::BIGINT                      AS persistent_messages_put,
    sum(destructive_gets)::BIGINT                             AS destructive_gets,
    sum(put_bytes) / nullif(sum(messages_put), 0)             AS average_put_bytes,
    max(oldest_message_s)                                     AS oldest_message_s,
    max(coalesce(input_handles_high, input_handles)) FILTER (complete) AS input_handles_high,
    count(*) FILTER (no_reader)                               AS intervals_without_reader,
    max(queue_time_long_us) FILTER (complete)                  AS queue_time_long_us,
    list(depth ORDER BY interval_start_utc, record_id) FILTER (complete) AS depths
  FROM known
  GROUP BY lpar, qmgr, queue
),
rising AS (
  -- Depths in the order of the intervals: a window over all queues would take most of the time.
  SELECT
    lpar, qmgr, queue,
    100 * len(list_filter(list_zip(depths[:-2], depths[2:]), lambda pair: pair[2] > pair[1])) / nullif(len(list_filter(depths[:-2], lambda depth: depth IS NOT NULL)), 0)
      AS intervals_rising_pct
  FROM total
),
room AS (
  SELECT
    lpar, qmgr, page_set_id,
    arg_max(unused_pages, interval_start_utc) AS unused_pages,
    arg_max(used_pages, interval_start_utc) > arg_min(used_pages, interval_start_utc) AS grows
  FROM page_set
  GROUP BY lpar, qmgr, page_set_id
)
SELECT
  t.lpar, t.qmgr, t.queue, t.queue_kind, t.shared_queue, t.page_set_id, t.cf_structure, t.intervals,
  t.depth_first, t.depth_last, t.depth_high, t.depth_high_at_utc, t.depth_low,
  (t.depth_last - t.depth_first) / nullif(t.hours, 0)                             AS growth_per_h,
  coalesce(r.intervals_rising_pct, CASE WHEN t.intervals > 1 THEN 0 END)          AS intervals_rising_pct,
  t.maxdepth,
  pct(t.depth_high, t.maxdepth)                                                   AS share_of_max_depth_pct,
  t.messages_put, t.destructive_gets,
  CASE WHEN p.grows AND t.depth_last > t.depth_first
    THEN p.unused_pages / nullif((t.depth_last - t.depth_first) / nullif(t.hours, 0) * pages_per_message(coalesce(t.average_put_bytes, 0)), 0)
  END                                                                             AS hours_to_page_set_full,
  t.oldest_message_s, t.input_handles_high, t.intervals_without_reader, t.queue_time_long_us,
  a.index_type,
  CASE WHEN NOT coalesce(t.shared_queue, false) AND a.index_type <> 'None' AND t.persistent_messages_put > 0 THEN t.depth_last END AS restart_index_messages,
  CASE WHEN t.shared_queue THEN 5 * t.depth_last END                              AS expiry_scan_cpu_us,
  CASE
    WHEN t.depth_last > t.depth_first AND r.intervals_rising_pct > 70 THEN 'building up'
    WHEN t.depth_low > 0 THEN 'never empty'
    WHEN t.depth_high > 0 AND t.depth_last = 0 THEN 'drains'
    WHEN t.depth_high = 0 THEN 'empty'
    WHEN t.depth_high > 0 THEN 'holds messages'
  END                                                                             AS shape
FROM total AS t
LEFT JOIN rising AS r ON r.lpar = t.lpar AND r.qmgr = t.qmgr AND r.queue = t.queue
LEFT JOIN room AS p ON p.lpar = t.lpar AND p.qmgr = t.qmgr AND p.page_set_id = t.page_set_id
LEFT JOIN queue_total AS a ON a.lpar = t.lpar AND a.qmgr = t.qmgr AND a.base_name = regexp_replace(t.queue, '[0-9A-F]{16}$', '*')
