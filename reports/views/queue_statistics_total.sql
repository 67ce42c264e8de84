/*---
id      = "queue_statistics_total"
title   = "Queues over the selected period, from queue statistics"
grain   = "one row per lpar, qmgr and queue"
needs   = ["queue_statistics"]
classes = ["115.216"]
note    = "Dynamic queues whose names differ in the generated part are one row. Depth, handles and ages of partial records are not included."

[columns]
lpar = {}
qmgr = {}
qsg = {}
base_name = { unit = "text", kind = "key", doc = "Name of the queue; the generated part of the name of dynamic queues is *." }
queue_kind = { unit = "text", doc = "Purpose of the queue, from its name and the site file." }
shared_queue = { unit = "flag", kind = "code", doc = "The queue is shared." }
cf_structure = { unit = "text", kind = "key", doc = "CF structure of a shared queue." }
page_set_id = { unit = "id", kind = "key", doc = "Page set of the queue at the end of the period; null if the queue has no page set." }
pool_id = { unit = "id", kind = "key", doc = "Buffer pool of the queue at the end of the period; null if the queue has no page set." }
statistics_puts = { unit = "count", doc = "MQPUT and MQPUT1 calls in queue statistics." }
statistics_gets = { unit = "count", doc = "Destructive gets in queue statistics." }
messages_put = { unit = "count", doc = "Messages put by MQPUT and MQPUT1." }
destructive_gets = { unit = "count", kind = "counter", doc = "Destructive MQGET calls." }
put_failures = { unit = "count", kind = "counter", doc = "MQPUT calls that failed." }
put1_failures = { unit = "count", kind = "counter", doc = "MQPUT1 calls that failed." }
gets_no_message = { unit = "count", kind = "counter", doc = "Gets that failed because no message was available." }
gets_truncated = { unit = "count", kind = "counter", doc = "Gets that failed because the message was truncated." }
get_wait_failures = { unit = "count", kind = "counter", doc = "Gets with wait that failed." }
get_wait_redrives = { unit = "count", kind = "counter", doc = "Gets with wait that were redriven." }
expired_messages = { unit = "count", kind = "counter", doc = "Messages expired." }
rolled_back_puts = { unit = "count", kind = "counter", doc = "Puts rolled back." }
rolled_back_gets = { unit = "count", kind = "counter", doc = "Gets rolled back." }
depth_last = { unit = "count", doc = "Depth in the last record that is not partial." }
depth_low = { unit = "count", kind = "low", doc = "Lowest depth: low mark, or value at the end of an interval of records without low marks." }
depth_high = { unit = "count", kind = "high", doc = "Highest depth: high mark, or value at the end of an interval of records without high marks." }
input_handles_high = { unit = "count", kind = "high", doc = "Highest number of input handles." }
oldest_message_s = { unit = "s", doc = "Greatest age of the oldest message." }
queue_time_short_us = { unit = "us", doc = "Mean of the recent average times on the queue." }
queue_time_long_us = { unit = "us", doc = "Mean of the long-term average times on the queue." }
message_bytes_average = { unit = "bytes", doc = "Mean of the average message lengths." }
seconds_since_last_get = { unit = "s", doc = "Shortest time from the last get to the end of an interval." }
never_got = { unit = "flag", doc = "There were messages in each interval, but no get is recorded." }
no_reader_intervals = { unit = "count", doc = "Intervals that ended with messages and without a handle for input." }
uncommitted_intervals = { unit = "count", doc = "Intervals that ended with uncommitted changes." }
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
  avg(queue_time_short_us)::BIGINT                             AS queue_time_short_us,
  avg(queue_time_long_us)::BIGINT                              AS queue_time_long_us,
  avg(message_bytes_average)::BIGINT                           AS message_bytes_average,
  min(seconds_since_last_get)                                  AS seconds_since_last_get,
  bool_and(never_got)                                          AS never_got,
  count(*) FILTER (no_reader)                                  AS no_reader_intervals,
  count(*) FILTER (uncommitted)                                AS uncommitted_intervals
FROM queue_statistics
GROUP BY lpar, qmgr, qsg, regexp_replace(queue, '[0-9A-F]{16}$', '*')
