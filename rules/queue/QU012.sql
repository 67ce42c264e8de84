/*---
id          = "QU012"
name        = "specific-gets-without-index"
title       = "Get by id on a private queue without an index skips messages"
severity    = "warning"
weight      = "waste"
grain       = ["lpar", "qmgr", "queue_group", "application_group"]
needs       = ["queue_application.specific_gets", "queue_application.messages_skipped"]
prints      = ["queue_application.get_cpu_us", "queue_application.gets", "queue_application.depth_high", "queue_application.selector_opens"]
judge       = "whole period"
worst       = "highest"
measure     = "messages skipped per get by id"
when        = "observed > skips_max"
min_activity = "messages_skipped >= $skips_min"
look        = ["DISPLAY QLOCAL({queue_group}) CURDEPTH INDXTYPE"]
do          = ["ALTER QLOCAL({queue_group}) INDXTYPE(CORRELID)", "Use MSGID instead if the program selects by message id; some changes need an empty queue that nobody has open."]
sets        = ["INDXTYPE"]
plans       = ["get_skip_cost"]

[threshold.skips_max]
value = 10.0
unit  = "ratio"
kind  = "judgement"
why   = "MP16 has more than a few messages; ten for each get is our own limit"

[threshold.skips_min]
value = 10000
unit  = "count"
kind  = "judgement"
why   = "fewer skips cost too little to act on"

[source]
cite = "MP16, 'Indexed queue considerations' (13.2 µs against 3.7 µs per message in its example); message CSQI004I"

[advice]
summary = "Queue {queue_group} has no index for the gets of {application_group} by MSGID or CORRELID: {messages_skipped} message[s] [were|was] skipped in {specific_gets} get[s], {observed:.0f} each (limit {skips_max}); a get took {average_get_cpu_us:.0f} µs of CPU time, and the queue was up to {depth_high} message[s] deep."
remedy  = "Give the queue an index. For a dynamic queue, alter its model queue. A program that opened the queue with a selector before the data began looks the same: an index helps it only if it selects by message or correlation id alone."
report  = "queue/index_advisor"
---*/
SELECT
  lpar, qmgr, queue_group, application_group,
  'queue ' || queue_group || ' by ' || application_group AS subject,
  messages_skipped / nullif(specific_gets, 0) AS observed,
  messages_skipped, specific_gets, depth_high,
  get_cpu_us / nullif(gets, 0) AS average_get_cpu_us
FROM queue_application
WHERE index_type = 'None' AND NOT is_shared AND NOT coalesce(read_by_design, false)
  -- An index does not help gets with a selector: QU013 judges them.
  AND coalesce(selector_opens, 0) = 0
