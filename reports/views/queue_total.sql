/*---
id      = "queue_total"
title   = "Queues over the selected period, from accounting"
grain   = "one row per lpar, qmgr and base queue"
needs   = ["queue_use"]
classes = ["116.1"]
note    = "Queues without accounting are not included."

[columns]
lpar = {}
qmgr = {}
qsg = {}
base_name = { unit = "text", doc = "Name of the queue." }
cf_structure = { unit = "text", doc = "CF structure of a shared queue." }
is_shared = { unit = "flag", doc = "The queue is shared." }
is_topic = { unit = "flag", kind = "code", doc = "All uses of the name were those of a topic, which has no page set." }
page_set_id = { unit = "id", doc = "Page set of the queue; null if not known." }
pool_id = { unit = "id", doc = "Buffer pool of the queue; null if not known." }
index_type = { unit = "text", doc = "Index type of the queue." }
queue_records = { unit = "count", doc = "Queue blocks: uses of the queue by a task in an accounting interval." }
applications = { unit = "count", doc = "Applications that used the queue." }
putting_applications = { unit = "count", doc = "Applications that put messages." }
getting_applications = { unit = "count", doc = "Applications that got messages from the queue." }
opens = { unit = "count", doc = "MQOPEN calls." }
closes = { unit = "count", doc = "MQCLOSE calls." }
gets = { unit = "count", doc = "MQGET calls." }
puts = { unit = "count", doc = "MQPUT calls." }
put1s = { unit = "count", doc = "MQPUT1 calls." }
inquires = { unit = "count", doc = "MQINQ calls." }
sets = { unit = "count", doc = "MQSET calls." }
valid_gets = { unit = "count", doc = "Gets that returned a message." }
valid_puts = { unit = "count", doc = "Messages put." }
gets_without_message = { unit = "count", doc = "Gets that returned no message." }
specific_gets = { unit = "count", doc = "Gets and browses for a specific message." }
any_gets = { unit = "count", doc = "Gets and browses for any message." }
messages_skipped = { unit = "count", doc = "Messages skipped in gets." }
expired_messages = { unit = "count", doc = "Expired messages found in gets." }
put_bytes = { unit = "bytes", doc = "Bytes put." }
get_bytes = { unit = "bytes", doc = "Bytes got." }
persistent_gets = { unit = "count", doc = "Persistent messages got." }
persistent_mqputs = { unit = "count", doc = "Persistent messages put by MQPUT." }
persistent_mqput1s = { unit = "count", doc = "Persistent messages put by MQPUT1." }
puts_to_waiting_getter = { unit = "count", doc = "Puts that went directly to a waiting getter." }
generated_messages = { unit = "count", doc = "Messages generated." }
depth_high = { unit = "count", doc = "Highest queue depth." }
time_on_queue_high_us = { unit = "us", doc = "Longest time a message was on the queue." }
time_on_queue_low_us = { unit = "us", doc = "Shortest time a message was on the queue." }
average_time_on_queue_us = { unit = "us", doc = "Mean time on the queue of the messages got." }
queue_mq_cpu_us = { unit = "us", doc = "CPU time of the calls on the queue." }
queue_mq_et_us = { unit = "us", doc = "Elapsed time of the calls on the queue." }
get_cpu_us = { unit = "us", doc = "CPU time of MQGET." }
put_cpu_us = { unit = "us", doc = "CPU time of MQPUT and MQPUT1." }
attention = { unit = "text", doc = "Marks for display: G gets without message, X messages skipped, E expired, P put but never got, O opened for every call." }
---*/
WITH total AS (
  SELECT
    lpar, qmgr, qsg, base_name,
    max(cf_structure) AS cf_structure,
    bool_or(is_shared) AS is_shared,
    max(page_set_id) AS page_set_id,
    max(pool_id) AS pool_id,
    max(index_type) AS index_type,
    count(*) AS queue_records,
    count(DISTINCT application) AS applications,
    count(DISTINCT application) FILTER (WHERE valid_puts > 0) AS putting_applications,
    count(DISTINCT application) FILTER (WHERE coalesce(valid_destructive_gets, valid_gets) > 0) AS getting_applications,
    sum(opens)::BIGINT AS opens,
    sum(closes)::BIGINT AS closes,
    sum(gets)::BIGINT AS gets,
    sum(puts)::BIGINT AS puts,
    sum(put1s)::BIGINT AS put1s,
    sum(inquires)::BIGINT AS inquires,
    sum(sets)::BIGINT AS sets,
    sum(valid_gets)::BIGINT AS valid_gets,
    sum(valid_puts)::BIGINT AS valid_puts,
    sum(gets_without_message)::BIGINT AS gets_without_message,
    sum(specific_gets)::BIGINT AS specific_gets,
    sum(any_gets)::BIGINT AS any_gets,
    sum(messages_skipped)::BIGINT AS messages_skipped,
    sum(expired_messages)::BIGINT AS expired_messages,
    sum(put_bytes)::BIGINT AS put_bytes,
    sum(get_bytes)::BIGINT AS get_bytes,
    sum(persistent_gets)::BIGINT AS persistent_gets,
    sum(persistent_mqputs)::BIGINT AS persistent_mqputs,
    sum(persistent_mqput1s)::BIGINT AS persistent_mqput1s,
    sum(puts_to_waiting_getter)::BIGINT AS puts_to_waiting_getter,
    sum(generated_messages)::BIGINT AS generated_messages,
    max(depth_high) AS depth_high,
    max(time_on_queue_high_us) AS time_on_queue_high_us,
    min(time_on_queue_low_us) FILTER (WHERE time_on_queue_total_us > 0) AS time_on_queue_low_us,
    sum(time_on_queue_total_us) / nullif(sum(coalesce(valid_destructive_gets, valid_gets)), 0) AS average_time_on_queue_us,
    sum(queue_mq_cpu_us)::BIGINT AS queue_mq_cpu_us,
    bool_and(coalesce(is_topic, false)) AS is_topic,
    sum(queue_mq_et_us)::BIGINT AS queue_mq_et_us,
    sum(get_cpu_us)::BIGINT AS get_cpu_us,
    sum(put_cpu_us + put1_cpu_us)::BIGINT AS put_cpu_us
  FROM queue_use
  GROUP BY lpar, qmgr, qsg, base_name
)
SELECT
  *,
  CASE WHEN gets_without_message > 10 * valid_gets THEN 'G' ELSE '' END
    || CASE WHEN messages_skipped > gets THEN 'X' ELSE '' END
    || CASE WHEN expired_messages > 0 THEN 'E' ELSE '' END
    || CASE WHEN valid_puts > 0 AND valid_gets = 0 AND NOT is_shared THEN 'P' ELSE '' END
    || CASE WHEN opens >= puts + gets AND opens > 100 THEN 'O' ELSE '' END AS attention
FROM total
