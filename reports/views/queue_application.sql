/*---
id      = "queue_application"
title   = "Use of queues by applications over the period, from accounting"
grain   = "one row per lpar, qmgr, queue group and application group"
needs   = ["queue_application_total", "site_queue"]
classes = ["116.1"]
note    = "All dynamic queues of a prefix are one queue group, and all clients of a channel one application group. Uses of topics are not included."

[columns]
queue_group = { unit = "text", doc = "The queue, where all dynamic queues of a prefix are one." }
selector_opens = { doc = "Calls that used a selector; counted in the accounting interval of the open only." }
read_by_design = { unit = "flag", doc = "The application is a job of MQ that reads all of the queue by design (view system_queue)." }
---*/
SELECT
  q.lpar, q.qmgr, q.base_name AS queue_group, q.application_group,
  max(connection_type_name)                AS connection_type_name,
  max(index_type)                          AS index_type,
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
  max(depth_high)                          AS depth_high,
  bool_or(coalesce(q.application_group GLOB s.own_reader, false)) AS read_by_design
FROM queue_application_total AS q
LEFT JOIN site_queue AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr AND s.queue = q.base_name
WHERE NOT is_topic AND base_name IS NOT NULL
GROUP BY q.lpar, q.qmgr, q.base_name, q.application_group
