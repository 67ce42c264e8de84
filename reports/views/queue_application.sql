/*---
id      = "queue_application"
title   = "Use of queues by applications over the period, from accounting"
grain   = "one row per lpar, qmgr, queue group, application group and index type"
needs   = ["queue_application_total"]
classes = ["116.1"]
note    = "All dynamic queues of a prefix are one queue group, and all clients of a channel one application group. Uses of topics are not included. The index type is part of the grain because a queue may get an index during the period; of one application it is the last by name."

[columns]
lpar = {}
qmgr = {}
queue_group = { unit = "text", doc = "The queue, where all dynamic queues of a prefix are one." }
application_group = { unit = "text", doc = "The application, where all addresses of a channel are one." }
connection_type_name = { unit = "text", doc = "Connection type as text." }
index_type = { unit = "text", kind = "code", doc = "Index type of the queue." }
is_shared = { unit = "flag", doc = "The queue is shared." }
is_temporary_dynamic = { unit = "flag", doc = "Opens created the queues from a model queue." }
model_queue = { unit = "text", doc = "Model queue that the queues were opened with." }
queue_records = { unit = "count", doc = "Queue blocks: uses of the queue by a task in an accounting interval." }
opens = { unit = "count", kind = "counter", doc = "MQOPEN calls." }
open_et_us = { unit = "us", kind = "counter", doc = "Elapsed time in MQOPEN." }
open_cpu_us = { unit = "us", kind = "counter", doc = "CPU time in MQOPEN." }
open_suspend_us = { unit = "us", kind = "counter", doc = "Time suspended in MQOPEN." }
closes = { unit = "count", kind = "counter", doc = "MQCLOSE calls." }
close_cpu_us = { unit = "us", kind = "counter", doc = "CPU time in MQCLOSE." }
gets = { unit = "count", kind = "counter", doc = "MQGET calls." }
get_cpu_us = { unit = "us", kind = "counter", doc = "CPU time in MQGET." }
get_bytes = { unit = "bytes", kind = "counter", doc = "Bytes got." }
valid_gets = { unit = "count", kind = "counter", doc = "Gets that returned a message." }
gets_without_message = { unit = "count", doc = "Gets that returned no message." }
get_errors = { unit = "count", kind = "counter", doc = "MQGET calls that failed." }
specific_gets = { unit = "count", doc = "Gets and browses for a specific message." }
any_gets = { unit = "count", doc = "Gets and browses for any message." }
browses = { unit = "count", doc = "Browse calls." }
messages_skipped = { unit = "count", kind = "counter", doc = "Messages skipped in MQGET." }
get_page_set_reads = { unit = "count", kind = "counter", doc = "Page set reads in MQGET." }
puts = { unit = "count", kind = "counter", doc = "MQPUT calls." }
put1s = { unit = "count", kind = "counter", doc = "MQPUT1 calls." }
valid_puts = { unit = "count", kind = "counter", doc = "Messages put." }
selector_opens = { unit = "count", kind = "counter", doc = "Calls that used a selector; counted in the accounting interval of the open only." }
selector_length = { unit = "bytes", kind = "high", doc = "Longest selector." }
readlist_requests = { unit = "count", doc = "CF requests of gets that read the list of a shared queue." }
move_requests = { unit = "count", doc = "CF requests of gets that removed a message from a shared queue." }
depth_high = { unit = "count", kind = "high", doc = "Highest queue depth that a task encountered." }
---*/
SELECT
  lpar, qmgr, base_name AS queue_group, application_group,
  max(connection_type_name)                AS connection_type_name,
  index_type,
  bool_or(is_shared)                       AS is_shared,
  bool_or(is_temporary_dynamic)            AS is_temporary_dynamic,
  max(model_queue)                         AS model_queue,
  sum(queue_records)::BIGINT               AS queue_records,
  sum(opens)::BIGINT                       AS opens,
  sum(open_et_us)::BIGINT                  AS open_et_us,
  sum(open_cpu_us)::BIGINT                 AS open_cpu_us,
  sum(open_suspend_us)::BIGINT             AS open_suspend_us,
  sum(closes)::BIGINT                      AS closes,
  sum(close_cpu_us)::BIGINT                AS close_cpu_us,
  sum(gets)::BIGINT                        AS gets,
  sum(get_cpu_us)::BIGINT                  AS get_cpu_us,
  sum(get_bytes)::BIGINT                   AS get_bytes,
  sum(valid_gets)::BIGINT                  AS valid_gets,
  sum(gets_without_message)::BIGINT        AS gets_without_message,
  sum(get_errors)::BIGINT                  AS get_errors,
  sum(specific_gets)::BIGINT               AS specific_gets,
  sum(any_gets)::BIGINT                    AS any_gets,
  sum(browses)::BIGINT                     AS browses,
  sum(messages_skipped)::BIGINT            AS messages_skipped,
  sum(get_page_set_reads)::BIGINT          AS get_page_set_reads,
  sum(puts)::BIGINT                        AS puts,
  sum(put1s)::BIGINT                       AS put1s,
  sum(valid_puts)::BIGINT                  AS valid_puts,
  sum(selector_opens)::BIGINT              AS selector_opens,
  max(selector_length)                     AS selector_length,
  sum(readlist_requests)::BIGINT           AS readlist_requests,
  sum(move_requests)::BIGINT               AS move_requests,
  max(depth_high)                          AS depth_high
FROM queue_application_total
WHERE NOT is_topic AND base_name IS NOT NULL
GROUP BY lpar, qmgr, base_name, application_group, index_type
