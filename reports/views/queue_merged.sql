/*---
id      = "queue_merged"
title   = "Depth of queues in steps of at least five minutes"
grain   = "one row per lpar, qmgr, queue and interval, where shorter intervals are merged up to five minutes"
needs   = ["queue_interval", "interval_step"]
classes = ["115.216"]
note    = "Helper of rules QU006 and QU030. Of a shared queue there are the rows of the first member by name, with the figures of all members. Incomplete rows at the end of a run of intervals are excluded."

[columns]
depth = { doc = "Depth at the end of the row." }
lowest_depth = { doc = "Lowest depth in the row; before 9.3.3 the lowest at the end of an interval." }
previous_lowest_depth = { unit = "count", doc = "The same in the row before.", over_time = "last", across = "same" }
group_input_handles = { doc = "Most input handles, summed over the members.", over = "max" }
depth_high = { doc = "Highest depth in the row." }
oldest_message_s = { doc = "Age of the oldest message at the end of the row." }
group_handles_last = { doc = "Input handles at the end of the row, summed over the members; null instead of 0 while a member is missing." }
members_missing = { doc = "Most members of the group without queue statistics in the row; 0 for a private queue." }
---*/
WITH merged AS (
  SELECT
    q.lpar, q.qmgr, q.queue,
    arg_max(q.record_id, q.interval_start_utc)       AS record_id,
    min(q.interval_start_utc)                        AS interval_start_utc,
    sum(q.interval_seconds)                          AS interval_seconds,
    bool_or(q.retained_queue)                        AS retained_queue,
    arg_max(q.depth, q.interval_start_utc)           AS depth,
    min(q.lowest_depth)                              AS lowest_depth,
    sum(q.group_puts)::BIGINT                        AS group_puts,
    sum(q.group_gets)::BIGINT                        AS group_gets,
    max(q.group_input_handles)                       AS group_input_handles,
    max(q.depth_high)                                AS depth_high,
    arg_max(q.oldest_message_s, q.interval_start_utc) AS oldest_message_s,
    arg_max_null(q.group_handles_last, q.interval_start_utc) AS group_handles_last,
    max(q.members_missing)                           AS members_missing,
    arg_max(q.no_reader_text, q.interval_start_utc)  AS no_reader_text
  FROM queue_interval AS q
  JOIN interval_step AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr AND s.interval_start_utc = q.interval_start_utc
  WHERE q.group_reporter
  GROUP BY q.lpar, q.qmgr, q.queue, s.run, s.part
  HAVING count(*) = max(s.together)
)
SELECT
  lpar, qmgr, record_id, interval_start_utc, interval_seconds, queue, retained_queue, depth, lowest_depth,
  lag(lowest_depth) OVER (PARTITION BY lpar, qmgr, queue ORDER BY interval_start_utc) AS previous_lowest_depth,
  group_puts, group_gets, group_input_handles, depth_high, oldest_message_s, group_handles_last, members_missing, no_reader_text
FROM merged
