/*---
id          = "QU016"
name        = "getters-skipping-uncommitted-messages"
title       = "Plain gets fail after passing thousands of messages"
severity    = "warning"
weight      = "waste"
grain       = ["lpar", "qmgr", "queue_group", "application_group"]
needs       = ["queue_application.messages_skipped", "queue_application.get_errors"]
prints      = ["queue_application.get_cpu_us", "queue_application.depth_high", "known_error.apar"]
judge       = "whole period"
worst       = "highest"
measure     = "messages skipped per get"
caused_by   = ["CN014"]
when        = "observed > skips_max"
min_activity = "get_errors >= $failed_gets_min"
look        = ["DISPLAY QSTATUS({queue_group}) CURDEPTH UNCOM", "DISPLAY QSTATUS({queue_group}) TYPE(HANDLE) ALL"]
plans       = ["get_skip_cost"]

[threshold.skips_max]
value = 1000.0
unit  = "ratio"
kind  = "judgement"
why   = "a get for any message takes the first; only messages that are locked are skipped"

[threshold.failed_gets_min]
value = 10
unit  = "count"
kind  = "judgement"
why   = "a few failed gets are the end of a queue"

[source]
cite = "MP16, 'Large Units of Work' (a failed get over 100,000 uncommitted messages takes about 100 ms of CPU time)"

[advice]
summary = "{application_group} skipped {messages_skipped} message[s] of queue {queue_group} in {gets} get[s] for any message, {observed:.0f} each (limit {skips_max}), and {get_errors} get[s] found none; a get took {average_get_cpu_us:.0f} µs of CPU time."
remedy  = "Another program has put thousands of messages that it has not committed, or holds them with uncommitted gets: getters pass them one by one. Commit after every 100 to 200 messages. Messages that are marked by browsers are passed too{known}."
report  = "queue/index_advisor"
---*/
SELECT
  q.lpar, q.qmgr, queue_group, application_group,
  'queue ' || queue_group || ' by ' || application_group AS subject,
  messages_skipped / nullif(gets, 0) AS observed,
  messages_skipped, gets, get_errors,
  get_cpu_us / nullif(gets, 0) AS average_get_cpu_us,
  CASE WHEN e.apar IS NULL THEN ''
    ELSE '. At this level the gets may have a selector instead, which is not known (APAR PH08561)' END AS known
FROM queue_application AS q
LEFT JOIN known_error AS e ON e.lpar = q.lpar AND e.qmgr = q.qmgr AND e.apar = 'PH08561'
WHERE specific_gets = 0 AND coalesce(selector_opens, 0) = 0
