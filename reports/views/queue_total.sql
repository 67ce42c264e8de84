/*---
id      = "queue_total"
title   = "Queues over the selected period, from accounting"
grain   = "one row per lpar, qmgr and base queue"
needs   = ["queue_application_total", "decoded.wq", "site_queue"]
classes = ["116.1"]
note    = "Queues without accounting are not included. Dynamic queues whose names differ in the generated part are one row."

[columns]
base_name = { from = "queue_application_total" }
is_topic = { from = "queue_application_total" }
no_accounting = { from = "queue_application_total" }
applications = { unit = "count", doc = "Applications that used the queue.", over = "max", label = "applications", screen = 2 }
putting_applications = { unit = "count", doc = "Applications that put messages.", over = "max", label = "putting" }
getting_applications = { unit = "count", doc = "Applications that got messages from the queue.", over = "max", label = "getting" }
open_et_us = { label = "open µs" }
open_cpu_us = { label = "open CPU µs" }
close_et_us = { label = "close µs" }
close_cpu_us = { label = "close CPU µs" }
get_et_us = { label = "get µs" }
get_cpu_us = { label = "get CPU µs" }
valid_gets = { label = "valid gets", screen = 1 }
get_bytes = { label = "get bytes" }
persistent_gets = { label = "persistent gets" }
put_et_us = { label = "put µs" }
put_cpu_us = { label = "put CPU µs" }
put1_et_us = { label = "put1 µs" }
put1_cpu_us = { label = "put1 CPU µs" }
valid_puts = { label = "valid puts", screen = 1 }
put_bytes = { label = "put bytes" }
mqputs_to_waiting_getter = { label = "MQPUTs to a waiting getter" }
mqput1s_to_waiting_getter = { label = "MQPUT1s to a waiting getter" }
generated_messages = { label = "generated" }
persistent_mqputs = { label = "persistent MQPUTs" }
persistent_mqput1s = { label = "persistent MQPUT1s" }
depth_high = { label = "highest depth", screen = 1 }
time_on_queue_low_us = { label = "shortest on queue µs" }
longest_time_task = { unit = "text", doc = "Application that got the message that was on the queue longest.", label = "longest got by", screen = 1 }
top_application = { unit = "text", doc = "Application with the most CPU time in calls on the queue.", label = "most CPU by", screen = 1 }
queue_names = { unit = "count", doc = "Queues in the row: more than one if the generated part of their names is shown as *.", over = "max", label = "queues" }
average_time_on_queue_us = { unit = "us", doc = "Mean time on the queue of the messages got.", ratio = { numerator = "time_on_queue_total_us", denominator = "coalesce(valid_destructive_gets, valid_gets)" } }
attention = { unit = "text", doc = "Marks for display: G gets without message, X messages or empty pages skipped, E expired, P put but never got, O opened for every call.", label = "marks", screen = 1 }
---*/
WITH
generated AS (
  SELECT lpar, qmgr, regexp_replace(base_name, '[0-9A-F]{16}$', '*') AS base_name, count(DISTINCT base_name) AS names
  FROM decoded.wq
  WHERE regexp_matches(base_name, '[0-9A-F]{16}$')
  GROUP BY ALL
)
SELECT
  t.lpar, t.qmgr, t.qsg, t.base_name,
  max(cf_structure)                              AS cf_structure,
  bool_or(is_shared)                             AS is_shared,
  bool_and(is_topic)                             AS is_topic,
  bool_or(no_accounting)                         AS no_accounting,
  max(page_set_id)                               AS page_set_id,
  max(pool_id)                                   AS pool_id,
  max(index_type)                                AS index_type,
  sum(queue_records)::BIGINT                     AS queue_records,
  count(DISTINCT application)                    AS applications,
  count(DISTINCT application) FILTER (valid_puts > 0) AS putting_applications,
  count(DISTINCT application) FILTER (coalesce(valid_destructive_gets, valid_gets) > 0) AS getting_applications,
  sum(opens)::BIGINT                             AS opens,
  sum(open_et_us)::BIGINT                        AS open_et_us,
  sum(open_cpu_us)::BIGINT                       AS open_cpu_us,
  sum(closes)::BIGINT                            AS closes,
  sum(close_et_us)::BIGINT                       AS close_et_us,
  sum(close_cpu_us)::BIGINT                      AS close_cpu_us,
  sum(gets)::BIGINT                              AS gets,
  sum(get_et_us)::BIGINT                         AS get_et_us,
  sum(get_cpu_us)::BIGINT                        AS get_cpu_us,
  sum(valid_gets)::BIGINT                        AS valid_gets,
  sum(valid_destructive_gets)::BIGINT            AS valid_destructive_gets,
  sum(browses_any)::BIGINT                       AS browses_any,
  sum(browses_specific)::BIGINT                  AS browses_specific,
  sum(gets_any)::BIGINT                          AS gets_any,
  sum(gets_specific)::BIGINT                     AS gets_specific,
  sum(get_bytes)::BIGINT                         AS get_bytes,
  sum(get_page_set_reads)::BIGINT                AS get_page_set_reads,
  sum(get_page_set_us)::BIGINT                   AS get_page_set_us,
  sum(persistent_gets)::BIGINT                   AS persistent_gets,
  sum(pages_skipped)::BIGINT                     AS pages_skipped,
  sum(messages_skipped)::BIGINT                  AS messages_skipped,
  sum(expired_messages)::BIGINT                  AS expired_messages,
  sum(puts)::BIGINT                              AS puts,
  sum(put_et_us)::BIGINT                         AS put_et_us,
  sum(put_cpu_us)::BIGINT                        AS put_cpu_us,
  sum(put1s)::BIGINT                             AS put1s,
  sum(put1_et_us)::BIGINT                        AS put1_et_us,
  sum(put1_cpu_us)::BIGINT                       AS put1_cpu_us,
  sum(valid_puts)::BIGINT                        AS valid_puts,
  sum(put_bytes)::BIGINT                         AS put_bytes,
  sum(mqputs_to_waiting_getter)::BIGINT          AS mqputs_to_waiting_getter,
  sum(mqput1s_to_waiting_getter)::BIGINT         AS mqput1s_to_waiting_getter,
  sum(generated_messages)::BIGINT                AS generated_messages,
  sum(persistent_mqputs)::BIGINT                 AS persistent_mqputs,
  sum(persistent_mqput1s)::BIGINT                AS persistent_mqput1s,
  sum(inquires)::BIGINT                          AS inquires,
  sum(inquire_cpu_us)::BIGINT                    AS inquire_cpu_us,
  sum(sets)::BIGINT                              AS sets,
  sum(set_cpu_us)::BIGINT                        AS set_cpu_us,
  sum(callback_cpu_us)::BIGINT                   AS callback_cpu_us,
  sum(streamed_messages)::BIGINT                 AS streamed_messages,
  sum(time_on_queue_total_us)::BIGINT            AS time_on_queue_total_us,
  sum(queue_mq_cpu_us)::BIGINT                   AS queue_mq_cpu_us,
  sum(queue_mq_et_us)::BIGINT                    AS queue_mq_et_us,
  sum(topic_srb_us)::BIGINT                      AS topic_srb_us,
  sum(gets_without_message)::BIGINT              AS gets_without_message,
  sum(specific_gets)::BIGINT                     AS specific_gets,
  sum(any_gets)::BIGINT                          AS any_gets,
  sum(puts_to_waiting_getter)::BIGINT            AS puts_to_waiting_getter,
  sum(igq_puts)::BIGINT                          AS igq_puts,
  sum(readlist_requests)::BIGINT                 AS readlist_requests,
  sum(move_requests)::BIGINT                     AS move_requests,
  max(depth_high)                                AS depth_high,
  max(time_on_queue_high_us)                     AS time_on_queue_high_us,
  min(time_on_queue_low_us)                      AS time_on_queue_low_us,
  (min({'us': -time_on_queue_high_us, 'name': application}) FILTER (time_on_queue_high_us > 0))['name'] AS longest_time_task,
  (min({'us': -time_on_queue_high_us, 'name': application, 'record': longest_task_record_id}) FILTER (time_on_queue_high_us > 0))['record'] AS longest_task_record_id,
  min({'cpu': -queue_mq_cpu_us, 'name': application})['name'] AS top_application,
  coalesce(max(g.names), 1)                      AS queue_names,
  sum(time_on_queue_total_us) / nullif(coalesce(sum(valid_destructive_gets), sum(valid_gets)), 0) AS average_time_on_queue_us,
  max(s.queue_kind)                              AS queue_kind,
  CASE WHEN sum(gets_without_message) > 10 * sum(valid_gets) THEN 'G' ELSE '' END
    || CASE WHEN sum(messages_skipped + pages_skipped) > sum(gets) THEN 'X' ELSE '' END
    || CASE WHEN sum(expired_messages) > 0 THEN 'E' ELSE '' END
    || CASE WHEN sum(valid_puts) > 0 AND sum(valid_gets) = 0 AND NOT bool_or(is_shared) THEN 'P' ELSE '' END
    || CASE WHEN sum(opens) >= sum(puts) + sum(gets) AND sum(opens) > 100 THEN 'O' ELSE '' END AS attention
FROM queue_application_total AS t
LEFT JOIN generated AS g ON g.lpar = t.lpar AND g.qmgr = t.qmgr AND g.base_name = t.base_name
LEFT JOIN site_queue AS s ON s.lpar = t.lpar AND s.qmgr = t.qmgr AND s.queue = t.base_name
GROUP BY t.lpar, t.qmgr, t.qsg, t.base_name
