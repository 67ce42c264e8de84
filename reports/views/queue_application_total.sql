/*---
id      = "queue_application_total"
title   = "Queues by application over the selected period, from accounting"
grain   = "one row per lpar, qmgr, queue and application"
needs   = ["queue_use"]
classes = ["116.1"]
note    = "The one sum over all queue blocks that the reports about queues share. Dynamic queues whose names differ in the generated part are one row. Queues without accounting are not included. The index type is that of the last use of the queue."

[columns]
base_name = { doc = "Name of the queue; the generated part of the name of dynamic queues is *." }
application = { kind = "key" }
application_group = { kind = "key" }
connection_type_name = { label = "connection", screen = 3 }
is_topic = { doc = "All uses of the name were those of a topic, which has no page set." }
no_accounting = { doc = "Accounting was off for the queue in some uses.", label = "accounting off" }
queue_records = { unit = "count", doc = "Queue blocks: uses of the queue by a task in an accounting interval.", over = "add", label = "blocks", screen = 3 }
model_queue = { unit = "text", doc = "Model queue that the queues were opened with." }
get_errors = { label = "get errors" }
operator_id = { doc = "User ID of the application; null if it used several.", screen = 3 }
open_names = { unit = "text", doc = "Names under which the application opened the queue, five at most: an alias or a model queue has another name than its queue.", label = "opened as", screen = 2 }
opened_as = { unit = "text", doc = "Names of remote queues and aliases under which the application opened the queue, five at most; null if it used the name of the queue." }
first_used_utc = { unit = "ts_utc", doc = "Start of the first accounting interval with a use of the queue.", over = "min", label = "first used" }
last_used_utc = { unit = "ts_utc", doc = "End of the last accounting interval with a use of the queue.", over = "max", label = "last used" }
longest_task_record_id = { unit = "id", kind = "key", doc = "Record 116.1 of the task interval with the longest time that a message was on the queue." }
---*/
WITH used AS (
  SELECT
    lpar, qmgr, qsg, queue_group AS base_name, application, application_group, connection_type_name,
    max(cf_structure)                              AS cf_structure,
    arg_min(index_type, (-epoch_us(interval_end_utc), index_type = 'None', index_type)) AS index_type,
    max(queue_disposition)                         AS queue_disposition,
    bool_or(is_shared)                             AS is_shared,
    bool_and(coalesce(is_topic, false))            AS is_topic,
    bool_or(no_accounting)                         AS no_accounting,
    max(page_set_id)                               AS page_set_id,
    max(pool_id)                                   AS pool_id,
    count(*)                                       AS queue_records,
    sum(opens)::BIGINT                             AS opens,
    sum(open_et_us)::BIGINT                        AS open_et_us,
    sum(open_cpu_us)::BIGINT                       AS open_cpu_us,
    sum(open_suspend_us)::BIGINT                   AS open_suspend_us,
    max(open_name) FILTER (is_temporary_dynamic)   AS model_queue,
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
    sum(get_errors)::BIGINT                        AS get_errors,
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
    sum(selector_opens)::BIGINT                    AS selector_opens,
    sum(time_on_queue_total_us)::BIGINT            AS time_on_queue_total_us,
    sum(queue_mq_cpu_us)::BIGINT                   AS queue_mq_cpu_us,
    sum(queue_mq_et_us)::BIGINT                    AS queue_mq_et_us,
    sum(topic_srb_us)::BIGINT                      AS topic_srb_us,
    sum(gets_without_message)::BIGINT              AS gets_without_message,
    sum(specific_gets)::BIGINT                     AS specific_gets,
    sum(any_gets)::BIGINT                          AS any_gets,
    sum(browses)::BIGINT                           AS browses,
    sum(puts_to_waiting_getter)::BIGINT            AS puts_to_waiting_getter,
    sum(igq_puts)::BIGINT                          AS igq_puts,
    sum(readlist_requests)::BIGINT                 AS readlist_requests,
    sum(move_requests)::BIGINT                     AS move_requests,
    max(depth_high)                                AS depth_high,
    max(time_on_queue_high_us)                     AS time_on_queue_high_us,
    max(selector_length)                           AS selector_length,
    min(time_on_queue_low_us) FILTER (time_on_queue_total_us > 0) AS time_on_queue_low_us,
    CASE WHEN min(operator_id) = max(operator_id) THEN min(operator_id) END AS operator_id,
    max(channel_name)                              AS channel_name,
    list_aggregate(list_sort(list(DISTINCT regexp_replace(open_name, '[0-9A-F]{16}$', '*')))[1:5], 'string_agg', ', ') AS open_names,
    nullif(array_to_string(list_sort(list(DISTINCT open_name) FILTER (open_name <> base_name AND NOT is_temporary_dynamic))[1:5], ', '), '') AS opened_as,
    bool_or(is_temporary_dynamic)                  AS is_temporary_dynamic,
    min(interval_start_utc)                        AS first_used_utc,
    max(interval_end_utc)                          AS last_used_utc,
    arg_max(task_record_id, (time_on_queue_high_us, -epoch_us(interval_start_utc), -task_record_id)) FILTER (time_on_queue_high_us > 0) AS longest_task_record_id
  FROM queue_use
  WHERE base_name IS NOT NULL
  GROUP BY lpar, qmgr, qsg, queue_group, application, application_group, connection_type_name
)
-- A queue may get an index during the period, or lose it: the last use by any application counts, of several at once one with an index.
SELECT * REPLACE (first_value(index_type IGNORE NULLS) OVER (
  PARTITION BY lpar, qmgr, base_name ORDER BY last_used_utc DESC NULLS LAST, index_type = 'None', index_type
  ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
) AS index_type)
FROM used
