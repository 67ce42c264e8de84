/*---
id      = "queue_use"
title   = "Use of queues by tasks"
grain   = "one row per queue block: task interval and queue (open name, base name)"
needs   = ["decoded.wq", "decoded.wq_cf", "task_identity", "task_continuation", "queue_sharing_group"]
keep    = false                          # one row for each of millions of tasks
classes = ["116.1"]
note    = "The base name is the queue; the open name may be an alias. Blocks of 116.2 belong to the task interval of task_record_id."

[columns]
base_name = { label = "queue", screen = 1 }
queue_disposition = { label = "disposition" }
close_cpu_us = { label = "close CPU µs" }
get_bytes = { label = "get bytes" }
valid_gets = { label = "valid gets", screen = 3 }
is_shared = { unit = "flag", doc = "The queue is shared, by its disposition or because it has a CF structure.", label = "shared", screen = 3 }
page_set_known = { unit = "flag", doc = "The record shows the page set of the queue: page set 0 and pool 0 may also mean that the queue did not use a page set." }
is_temporary_dynamic = { unit = "flag", doc = "The open created the queue from a model queue." }
page_set_id = { unit = "id", kind = "key", doc = "Page set of the queue; null if not known.", label = "page set", screen = 3 }
pool_id = { unit = "id", kind = "key", doc = "Buffer pool of the queue; null if not known. For temporary dynamic queues, the pool of the page set.", label = "pool id" }
queue_mq_cpu_us = { unit = "us", doc = "CPU time of the calls on the queue.", over = "add", label = "CPU µs", screen = 1 }
queue_mq_et_us = { unit = "us", doc = "Elapsed time of the calls on the queue.", over = "add", label = "elapsed µs" }
queue_mq_wait_us = { unit = "us", doc = "Elapsed time minus CPU time of the calls on the queue.", over = "add" }
topic_srb_us = { unit = "us", doc = "SRB time of publish and subscribe work.", over = "add", label = "SRB µs", screen = 1 }
queue_calls = { unit = "count", doc = "Calls on the queue.", over = "add" }
gets_without_message = { unit = "count", doc = "Gets that returned no message.", over = "add", label = "empty gets", screen = 1 }
gets_per_valid_get = { unit = "ratio", doc = "Gets per get that returned a message.", ratio = { numerator = "gets", denominator = "valid_gets" } }
valid_get_pct = { unit = "percent", doc = "Share of the gets that returned a message.", ratio = { numerator = "valid_gets", denominator = "gets", scale = 100 } }
specific_gets = { unit = "count", doc = "Gets and browses for a specific message.", over = "add", label = "specific gets", screen = 2 }
any_gets = { unit = "count", doc = "Gets and browses for any message.", over = "add", label = "any gets", screen = 3 }
browses = { unit = "count", doc = "Browse calls.", over = "add", label = "browses", screen = 2 }
skipped_per_get = { unit = "ratio", doc = "Messages skipped per get.", ratio = { numerator = "messages_skipped", denominator = "gets" } }
pages_skipped_per_get = { unit = "ratio", doc = "Empty pages skipped per get.", ratio = { numerator = "pages_skipped", denominator = "gets" } }
average_get_et_us = { unit = "us", doc = "Mean elapsed time of a get.", ratio = { numerator = "get_et_us", denominator = "gets" }, label = "avg get µs" }
average_get_cpu_us = { unit = "us", doc = "Mean CPU time of a get.", ratio = { numerator = "get_cpu_us", denominator = "gets" }, label = "avg get CPU µs", screen = 1 }
average_put_et_us = { unit = "us", doc = "Mean elapsed time of an MQPUT.", ratio = { numerator = "put_et_us", denominator = "puts" } }
average_put_cpu_us = { unit = "us", doc = "Mean CPU time of an MQPUT.", ratio = { numerator = "put_cpu_us", denominator = "puts" } }
average_put1_et_us = { unit = "us", doc = "Mean elapsed time of an MQPUT1.", ratio = { numerator = "put1_et_us", denominator = "put1s" } }
average_put1_cpu_us = { unit = "us", doc = "Mean CPU time of an MQPUT1.", ratio = { numerator = "put1_cpu_us", denominator = "put1s" } }
average_open_et_us = { unit = "us", doc = "Mean elapsed time of an MQOPEN.", ratio = { numerator = "open_et_us", denominator = "opens" }, label = "avg open µs", screen = 1 }
average_open_cpu_us = { unit = "us", doc = "Mean CPU time of an MQOPEN.", ratio = { numerator = "open_cpu_us", denominator = "opens" }, label = "avg open CPU µs", screen = 1 }
average_close_et_us = { unit = "us", doc = "Mean elapsed time of an MQCLOSE.", ratio = { numerator = "close_et_us", denominator = "closes" } }
average_close_cpu_us = { unit = "us", doc = "Mean CPU time of an MQCLOSE.", ratio = { numerator = "close_cpu_us", denominator = "closes" }, label = "avg close CPU µs" }
max_gets_per_s_one_task = { unit = "per_s", doc = "Gets per second that one task could do with this CPU time per get.", ratio = { numerator = "nullif(gets, 0)", denominator = "get_cpu_us", scale = 1e+06 } }
average_put_bytes = { unit = "bytes", doc = "Mean size of the messages put.", ratio = { numerator = "put_bytes", denominator = "valid_puts" } }
average_get_bytes = { unit = "bytes", doc = "Mean size of the messages got.", ratio = { numerator = "get_bytes", denominator = "valid_gets" } }
average_time_on_queue_us = { unit = "us", doc = "Mean time on the queue of the messages got.", ratio = { numerator = "time_on_queue_total_us", denominator = "coalesce(valid_destructive_gets, valid_gets)" }, label = "average time on queue us" }
persistent_messages = { unit = "count", doc = "Persistent messages put and got.", over = "add", label = "persistent", screen = 2 }
persistent_put_pct = { unit = "percent", doc = "Share of the messages put that were persistent.", ratio = { numerator = "persistent_mqputs + persistent_mqput1s", denominator = "valid_puts", scale = 100 } }
puts_to_waiting_getter = { unit = "count", doc = "Puts that went directly to a waiting getter.", over = "add", label = "puts to a waiting getter" }
waiting_getter_pct = { unit = "percent", doc = "Share of the puts that went directly to a waiting getter.", ratio = { numerator = "puts_to_waiting_getter", denominator = "puts + put1s", scale = 100 } }
igq_puts = { unit = "count", doc = "Puts through intra-group queuing.", over = "add", label = "IGQ puts" }
queue_log_writes = { unit = "count", doc = "Log writes without force in calls on the queue.", over = "add" }
queue_log_forces = { unit = "count", doc = "Log writes with force in calls on the queue.", over = "add" }
queue_log_force_us = { unit = "us", doc = "Elapsed time of log writes with force in calls on the queue.", over = "add" }
queue_page_set_us = { unit = "us", doc = "Elapsed time of page set access in calls on the queue.", over = "add" }
queue_suspend_us = { unit = "us", doc = "Time suspended in calls on the queue.", over = "add" }
opens_with_cf = { unit = "count", doc = "Opens of a shared queue that went to the coupling facility; null for other queues and before version 6 of the section.", over = "add", label = "opens with CF", screen = 1 }
closes_with_cf = { unit = "count", doc = "Closes of a shared queue that went to the coupling facility; null for other queues and before version 6 of the section.", over = "add", label = "closes with CF", screen = 2 }
puts_per_open = { unit = "ratio", doc = "Puts and gets per open.", ratio = { numerator = "puts + gets", denominator = "opens" } }
readlist_requests = { unit = "count", doc = "CF requests of gets that read the list of a shared queue.", over = "add", label = "list reads", screen = 2 }
readlist_async_requests = { unit = "count", doc = "List reads of gets that ran asynchronously.", over = "add" }
move_requests = { unit = "count", doc = "CF requests of gets that removed a message from a shared queue.", over = "add", label = "moves", screen = 2 }
readlist_per_move = { unit = "ratio", doc = "Reads of the list per message removed from a shared queue.", ratio = { numerator = "readlist_requests", denominator = "move_requests" }, label = "list reads/move", screen = 1 }
queue_cf_requests = { unit = "count", doc = "CF requests of all calls on the queue.", over = "add" }
queue_cf_us = { unit = "us", doc = "Elapsed time of the CF requests.", over = "add" }
queue_cf_async_pct = { unit = "percent", doc = "Share of the CF requests that ran asynchronously.", ratio = { numerator = "queue_cf_async_pct * queue_cf_requests", denominator = "queue_cf_requests" } }
queue_group = { unit = "text", doc = "The queue, where all dynamic queues of a prefix are one: the 16 hexadecimal digits at the end of their names are *." }
---*/
WITH
cf AS (
  SELECT
    record_id, section,
    sum(cf_sync_requests + cf_async_requests) FILTER (WHERE verb = 3 AND cf_operation = 10)::BIGINT AS readlist_requests,
    sum(cf_async_requests) FILTER (WHERE verb = 3 AND cf_operation = 10)::BIGINT AS readlist_async_requests,
    sum(cf_sync_requests + cf_async_requests) FILTER (WHERE verb = 3 AND cf_operation = 12)::BIGINT AS move_requests,
    sum(cf_sync_requests + cf_async_requests)::BIGINT AS queue_cf_requests,
    sum(cf_async_requests)::BIGINT                    AS queue_cf_async_requests,
    sum(cf_sync_us + cf_async_us)::BIGINT             AS queue_cf_us
  FROM decoded.wq_cf
  GROUP BY record_id, section
),
block AS (
  SELECT
    *,
    coalesce(queue_disposition_code = 2, false) OR cf_structure IS NOT NULL AS is_shared,
    NOT (page_set_raw = 0 AND pool_raw = 0) AS page_set_known,
    open_cpu_us + close_cpu_us + get_cpu_us + put_cpu_us + put1_cpu_us + inquire_cpu_us + set_cpu_us
      + coalesce(callback_cpu_us, 0) AS queue_mq_cpu_us,
    open_et_us + close_et_us + get_et_us + put_et_us + put1_et_us + inquire_et_us + set_et_us
      + coalesce(callback_et_us, 0)  AS queue_mq_et_us
  FROM decoded.wq
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id, q.section,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  CASE WHEN f.record_id IS NULL THEN q.record_id ELSE f.task_record_id END AS task_record_id,
  q.task_correlator, q.open_name, q.base_name, q.opened_utc, q.closed_utc, q.queue_type, q.index_type,
  q.queue_disposition, q.page_set_raw, q.pool_raw, q.cf_structure, q.opens, q.open_et_us, q.open_cpu_us,
  q.open_suspends, q.open_suspend_us, q.opens_without_cf, q.closes, q.close_et_us, q.close_cpu_us, q.close_suspends,
  q.close_suspend_us, q.closes_without_cf, q.gets, q.get_et_us, q.get_cpu_us, q.browses_any, q.browses_specific,
  q.gets_any, q.gets_specific, q.get_errors, q.get_log_writes, q.get_log_write_us, q.get_log_forces,
  q.get_log_force_us, q.get_page_set_reads, q.get_page_set_us, q.get_suspends, q.get_suspend_us, q.pages_skipped,
  q.messages_skipped, q.expired_messages, q.puts, q.put_et_us, q.put_cpu_us, q.put_log_writes, q.put_log_write_us,
  q.put_log_forces, q.put_log_force_us, q.put_suspends, q.put_suspend_us, q.put_page_set_ios, q.put_page_set_us,
  q.put1s, q.put1_et_us, q.put1_cpu_us, q.put1_log_writes, q.put1_log_write_us, q.put1_log_forces,
  q.put1_log_force_us, q.put1_suspends, q.put1_suspend_us, q.put1_page_set_ios, q.put1_page_set_us, q.inquires,
  q.inquire_et_us, q.inquire_cpu_us, q.sets, q.set_et_us, q.set_cpu_us, q.set_log_writes, q.set_log_write_us, q.set_log_forces,
  q.set_log_force_us,
  q.callbacks, q.callback_et_us, q.callback_cpu_us, q.put_bytes, q.get_bytes, q.valid_puts, q.valid_gets,
  q.valid_destructive_gets, q.generated_messages, q.get_bytes_high, q.get_bytes_low, q.put_bytes_high,
  q.put_bytes_low, believed(q.time_on_queue_high_us, q.time_on_queue_total_us, NULL) AS time_on_queue_high_us, q.time_on_queue_low_us, q.time_on_queue_total_us, q.open_handles,
  q.total_requests, q.persistent_gets, q.persistent_mqputs, q.persistent_mqput1s, q.depth_high,
  q.mqputs_to_waiting_getter, q.mqput1s_to_waiting_getter, q.shared_queue_puts, q.igq_mqputs, q.igq_mqput1s,
  q.selector_opens, q.selector_length, q.published, q.topic_open_srb_us, q.topic_put_srb_us, q.topic_put1_srb_us,
  q.topic_close_srb_us, q.delayed_puts, q.streamed_messages, q.no_accounting, q.is_topic,
  q.is_shared,
  q.page_set_known,
  q.open_name <> q.base_name AND q.queue_type_code IN (1, 2) AND NOT coalesce(q.is_topic, false) AS is_temporary_dynamic,
  CASE WHEN q.page_set_known THEN q.page_set_raw END AS page_set_id,
  CASE WHEN q.page_set_known THEN q.pool_raw END AS pool_id,
  q.queue_mq_cpu_us,
  q.queue_mq_et_us,
  CASE WHEN q.queue_mq_et_us >= q.queue_mq_cpu_us THEN q.queue_mq_et_us - q.queue_mq_cpu_us ELSE q.queue_mq_et_us * 0
    END AS queue_mq_wait_us,
  coalesce(q.topic_open_srb_us, 0) + coalesce(q.topic_put_srb_us, 0) + coalesce(q.topic_put1_srb_us, 0) +
    coalesce(q.topic_close_srb_us, 0) AS topic_srb_us,
  q.opens + q.closes + q.gets + q.puts + q.put1s + q.inquires + q.sets + coalesce(q.callbacks, 0) AS queue_calls,
  CASE WHEN q.gets < q.valid_gets THEN 0 ELSE q.gets - q.valid_gets END AS gets_without_message,
  q.gets / nullif(q.valid_gets, 0) AS gets_per_valid_get,
  pct(q.valid_gets, q.gets) AS valid_get_pct,
  q.gets_specific + q.browses_specific AS specific_gets,
  q.gets_any + q.browses_any AS any_gets,
  q.browses_any + q.browses_specific AS browses,
  q.messages_skipped / nullif(q.gets, 0) AS skipped_per_get,
  q.pages_skipped / nullif(q.gets, 0) AS pages_skipped_per_get,
  q.get_et_us / nullif(q.gets, 0) AS average_get_et_us,
  q.get_cpu_us / nullif(q.gets, 0) AS average_get_cpu_us,
  q.put_et_us / nullif(q.puts, 0) AS average_put_et_us,
  q.put_cpu_us / nullif(q.puts, 0) AS average_put_cpu_us,
  q.put1_et_us / nullif(q.put1s, 0) AS average_put1_et_us,
  q.put1_cpu_us / nullif(q.put1s, 0) AS average_put1_cpu_us,
  q.open_et_us / nullif(q.opens, 0) AS average_open_et_us,
  q.open_cpu_us / nullif(q.opens, 0) AS average_open_cpu_us,
  q.close_et_us / nullif(q.closes, 0) AS average_close_et_us,
  q.close_cpu_us / nullif(q.closes, 0) AS average_close_cpu_us,
  1e6 * nullif(q.gets, 0) / nullif(q.get_cpu_us, 0) AS max_gets_per_s_one_task,
  q.put_bytes / nullif(q.valid_puts, 0) AS average_put_bytes,
  q.get_bytes / nullif(q.valid_gets, 0) AS average_get_bytes,
  q.time_on_queue_total_us / nullif(coalesce(q.valid_destructive_gets, q.valid_gets), 0) AS average_time_on_queue_us,
  q.persistent_gets + q.persistent_mqputs + q.persistent_mqput1s AS persistent_messages,
  pct(q.persistent_mqputs + q.persistent_mqput1s, q.valid_puts) AS persistent_put_pct,
  q.mqputs_to_waiting_getter + q.mqput1s_to_waiting_getter AS puts_to_waiting_getter,
  pct(q.mqputs_to_waiting_getter + q.mqput1s_to_waiting_getter, q.puts + q.put1s) AS waiting_getter_pct,
  q.igq_mqputs + q.igq_mqput1s AS igq_puts,
  q.get_log_writes + q.put_log_writes + q.put1_log_writes + q.set_log_writes AS queue_log_writes,
  q.get_log_forces + q.put_log_forces + q.put1_log_forces + q.set_log_forces AS queue_log_forces,
  q.get_log_force_us + q.put_log_force_us + q.put1_log_force_us + q.set_log_force_us AS queue_log_force_us,
  q.get_page_set_us + q.put_page_set_us + q.put1_page_set_us AS queue_page_set_us,
  q.get_suspend_us + q.put_suspend_us + q.put1_suspend_us + coalesce(q.open_suspend_us, 0) +
    coalesce(q.close_suspend_us, 0) AS queue_suspend_us,
  CASE WHEN q.is_shared THEN q.opens - q.opens_without_cf END AS opens_with_cf,
  CASE WHEN q.is_shared THEN q.closes - q.closes_without_cf END AS closes_with_cf,
  (q.puts + q.gets) / nullif(q.opens, 0) AS puts_per_open,
  CASE WHEN q.has_cf THEN coalesce(c.readlist_requests, 0) END AS readlist_requests,
  CASE WHEN q.has_cf THEN coalesce(c.readlist_async_requests, 0) END AS readlist_async_requests,
  CASE WHEN q.has_cf THEN coalesce(c.move_requests, 0) END AS move_requests,
  coalesce(c.readlist_requests, 0) / nullif(c.move_requests, 0) AS readlist_per_move,
  CASE WHEN q.has_cf THEN coalesce(c.queue_cf_requests, 0) END AS queue_cf_requests,
  CASE WHEN q.has_cf THEN coalesce(c.queue_cf_us, 0) END AS queue_cf_us,
  pct(c.queue_cf_async_requests, c.queue_cf_requests) AS queue_cf_async_pct,
  regexp_replace(q.base_name, '[0-9A-F]{16}$', '*') AS queue_group,
  t.application,
  t.application_group,
  t.connection_type_name,
  t.channel_name,
  t.operator_id
FROM block AS q
LEFT JOIN cf AS c ON c.record_id = q.record_id AND c.section = q.section
LEFT JOIN task_continuation AS f ON f.record_id = q.record_id
LEFT JOIN task_identity AS t ON t.record_id = q.record_id
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
