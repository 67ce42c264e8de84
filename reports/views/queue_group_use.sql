/*---
id      = "queue_group_use"
title   = "Queues over the period with the applications that use them most, from accounting"
grain   = "one row per lpar, qmgr and queue group"
needs   = ["queue_application"]
classes = ["116.1"]
note    = "All dynamic queues of a prefix are one queue group. Of applications with the same count the first by name is shown."

[columns]
readlist_per_move = { unit = "ratio", doc = "Reads of the list per message removed from a shared queue.", ratio = { numerator = "readlist_requests", denominator = "move_requests" } }
put_application = { unit = "text", doc = "Application group with the most messages put." }
get_application = { unit = "text", doc = "Application group with the most messages got." }
empty_get_application = { unit = "text", doc = "Application group with the most gets that returned no message." }
scan_application = { unit = "text", doc = "Application group with the most reads of the list of a shared queue." }
---*/
WITH application AS (
  SELECT
    lpar, qmgr, queue_group, application_group,
    bool_or(is_shared)                  AS is_shared,
    max(index_type)                     AS index_type,
    sum(gets)::BIGINT                   AS gets,
    sum(valid_gets)::BIGINT             AS valid_gets,
    sum(valid_puts)::BIGINT             AS valid_puts,
    sum(gets_without_message)::BIGINT   AS gets_without_message,
    sum(browses)::BIGINT                AS browses,
    sum(readlist_requests)::BIGINT      AS readlist_requests,
    sum(move_requests)::BIGINT          AS move_requests,
    sum(selector_opens)::BIGINT         AS selector_opens
  FROM queue_application
  GROUP BY lpar, qmgr, queue_group, application_group
)
SELECT
  lpar, qmgr, queue_group,
  bool_or(is_shared)                                                AS is_shared,
  max(index_type)                                                   AS index_type,
  sum(gets)::BIGINT                                                 AS gets,
  sum(valid_gets)::BIGINT                                           AS valid_gets,
  sum(browses)::BIGINT                                              AS browses,
  sum(readlist_requests)::BIGINT                                    AS readlist_requests,
  sum(move_requests)::BIGINT                                        AS move_requests,
  sum(readlist_requests) / nullif(sum(move_requests), 0)            AS readlist_per_move,
  sum(selector_opens)::BIGINT                                       AS selector_opens,
  min({'order': -valid_puts, 'name': application_group}) FILTER (valid_puts > 0)['name']                     AS put_application,
  min({'order': -valid_gets, 'name': application_group}) FILTER (valid_gets > 0)['name']                     AS get_application,
  min({'order': -gets_without_message, 'name': application_group}) FILTER (gets_without_message > 0)['name'] AS empty_get_application,
  min({'order': -readlist_requests, 'name': application_group}) FILTER (readlist_requests > 0)['name']       AS scan_application
FROM application
GROUP BY lpar, qmgr, queue_group
