/*---
id      = "queue_statistics_total"
title   = "Queues over the selected period, from queue statistics"
grain   = "one row per lpar, qmgr and queue"
needs   = ["queue_statistics"]
classes = ["115.216"]
note    = "Dynamic queues whose names differ in the generated part are one row. Depth, handles and ages of partial records are not included."

[columns]
base_name = { unit = "text", kind = "key", doc = "Name of the queue; the generated part of the name of dynamic queues is *.", label = "queue", screen = 1 }
page_set_id = { doc = "Page set of the queue at the end of the period; null if the queue has no page set." }
pool_id = { doc = "Buffer pool of the queue at the end of the period; null if the queue has no page set." }
statistics_puts = { unit = "count", doc = "MQPUT and MQPUT1 calls in queue statistics.", over = "add", label = "all puts", screen = 2 }
statistics_gets = { unit = "count", doc = "Destructive gets in queue statistics.", over = "add", label = "all gets", screen = 2 }
depth_last = { unit = "count", doc = "Depth in the last record that is not partial.", over_time = "last", across = "add", label = "depth", screen = 1 }
depth_low = { doc = "Lowest depth: low mark, or value at the end of an interval of records without low marks.", label = "lowest depth" }
depth_high = { doc = "Highest depth: high mark, or value at the end of an interval of records without high marks." }
input_handles_high = { doc = "Highest number of input handles.", label = "highest input handles" }
oldest_message_s = { doc = "Greatest age of the oldest message.", over = "max" }
queue_time_short_us = { doc = "Mean of the recent average times on the queue, weighted by the messages got." }
queue_time_long_us = { doc = "Mean of the long-term average times on the queue, weighted by the messages got." }
message_bytes_average = { doc = "Mean of the average message lengths, weighted by the messages put." }
seconds_since_last_get = { doc = "Shortest time from the last get to the end of an interval.", over = "min" }
never_got = { doc = "There were messages in each interval, but no get is recorded." }
no_reader_intervals = { unit = "count", doc = "Intervals that ended with messages and without a handle for input on this queue manager.", over = "max", label = "no reader", screen = 3 }
uncommitted_intervals = { unit = "count", doc = "Intervals that ended with uncommitted changes.", over = "max", label = "uncommitted" }
---*/
SELECT
  lpar, qmgr, qsg, regexp_replace(queue, '[0-9A-F]{16}$', '*') AS base_name,
  max(queue_kind)                                              AS queue_kind,
  bool_or(shared_queue)                                        AS shared_queue,
  max(cf_structure)                                            AS cf_structure,
  arg_max(page_set_id, interval_start_utc)                     AS page_set_id,
  arg_max(pool_id, interval_start_utc)                         AS pool_id,
  sum(messages_put)::BIGINT                                    AS statistics_puts,
  sum(destructive_gets)::BIGINT                                AS statistics_gets,
  sum(messages_put)::BIGINT                                    AS messages_put,
  sum(destructive_gets)::BIGINT                                AS destructive_gets,
  sum(put_failures)::BIGINT                                    AS put_failures,
  sum(put1_failures)::BIGINT                                   AS put1_failures,
  sum(gets_no_message)::BIGINT                                 AS gets_no_message,
  sum(gets_truncated)::BIGINT                                  AS gets_truncated,
  sum(get_wait_failures)::BIGINT                               AS get_wait_failures,
  sum(get_wait_redrives)::BIGINT                               AS get_wait_redrives,
  sum(expired_messages)::BIGINT                                AS expired_messages,
  sum(rolled_back_puts)::BIGINT                                AS rolled_back_puts,
  sum(rolled_back_gets)::BIGINT                                AS rolled_back_gets,
  arg_max(depth, interval_start_utc)                           AS depth_last,
  min(coalesce(depth_low, depth))                              AS depth_low,
  max(coalesce(depth_high, depth))                             AS depth_high,
  max(input_handles_high)                                      AS input_handles_high,
  max(oldest_message_s)                                        AS oldest_message_s,
  (sum(queue_time_short_us::DOUBLE * greatest(destructive_gets, 1))
    / sum(greatest(destructive_gets, 1)) FILTER (queue_time_short_us IS NOT NULL))::BIGINT AS queue_time_short_us,
  (sum(queue_time_long_us::DOUBLE * greatest(destructive_gets, 1))
    / sum(greatest(destructive_gets, 1)) FILTER (queue_time_long_us IS NOT NULL))::BIGINT AS queue_time_long_us,
  (sum(message_bytes_average::DOUBLE * greatest(messages_put, 1))
    / sum(greatest(messages_put, 1)) FILTER (message_bytes_average IS NOT NULL))::BIGINT AS message_bytes_average,
  min(seconds_since_last_get)                                  AS seconds_since_last_get,
  bool_and(never_got)                                          AS never_got,
  count(*) FILTER (no_reader)                                  AS no_reader_intervals,
  count(*) FILTER (uncommitted)                                AS uncommitted_intervals
FROM queue_statistics
GROUP BY lpar, qmgr, qsg, regexp_replace(queue, '[0-9A-F]{16}$', '*')
