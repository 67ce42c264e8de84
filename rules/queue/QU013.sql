/*---
id          = "QU013"
name        = "message-selection-scans-queue"
title       = "Gets with selectors or scans cost far more than a get"
severity    = "warning"
weight      = "waste"
grain       = ["lpar", "qmgr", "queue_group", "application_group"]
needs       = ["queue_application.messages_skipped", "queue_application.get_cpu_us"]
prints      = ["queue_application.valid_gets", "queue_application.selector_length", "queue_application.depth_high", "known_error.apar"]
judge       = "whole period"
worst       = "highest"
breach_when = "skipping or expensive and selecting"
caused_by   = ["CN014"]
min_activity = "gets >= $gets_min"
silenced_by = ["QU012", "QU016"]
look        = ["DISPLAY QLOCAL({queue_group}) CURDEPTH INDXTYPE"]
plans       = ["get_skip_cost"]

[threshold.skips_max]
value = 1000.0
unit  = "ratio"
kind  = "judgement"
why   = "a get that reads a thousand messages costs milliseconds"

[threshold.cpu_us_max]
value = 1000.0
unit  = "us"
kind  = "judgement"
why   = "a get of a message below 100 KB takes tens of microseconds"

[threshold.gets_min]
value = 100
unit  = "count"
kind  = "judgement"
why   = "fewer gets are administration"

[threshold.message_bytes_max]
value = 102400
unit  = "bytes"
kind  = "judgement"
why   = "larger messages cost this much without a selector"

[clause.skipping]
when    = "observed > skips_max"
missing = "fails"
measure = "messages skipped per get"
summary = "{application_group} skipped {messages_skipped} message[s] of queue {queue_group} in {gets} get[s], {observed:.0f} each (limit {skips_max}); {gets_text}{selector_text}."

[clause.selecting]
when    = "selector_opens > 0"
missing = "fails"
measure = "opens with a selector"

[clause.expensive]
when    = "cpu_per_message_us > cpu_us_max"
counts_when = ["average_got_bytes < message_bytes_max"]
missing = "fails"
measure = "CPU time of the gets per message got"
summary = "{application_group} spent {cpu_per_message_us:.0f} µs of CPU time in MQGET for each message got from queue {queue_group} (limit {cpu_us_max} µs); {selector_opens} open[s] had a selector of up to {selector_length} byte[s]."

[source]
cite = "MP16, 'Using Message Selectors' (43.6 ms of CPU time for a get of 2 KB in its example)"

[advice]
summary = "{application_group} skipped {observed:.0f} message[s] of queue {queue_group} per get (limit {skips_max}); {gets_text}{selector_text} (limit {cpu_us_max} µs)."
remedy  = "The queue manager reads and tests message after message, and a client holds an adapter meanwhile. An index helps only a selector on the message or correlation id alone (INDXTYPE(MSGID) or (CORRELID)): select by these, keep the handle open so that the browse cursor moves on, or use a queue for each property. Selectors are counted only in the accounting interval of the open{known}."
report  = "queue/index_advisor"
---*/
SELECT
  q.lpar, q.qmgr, queue_group, application_group,
  'queue ' || queue_group || ' by ' || application_group AS subject,
  messages_skipped / nullif(gets, 0)   AS observed,
  messages_skipped, gets, selector_opens,
  coalesce(selector_length, 0)         AS selector_length,
  coalesce(format('a message got took {:,.0f} µs of CPU time', get_cpu_us / nullif(valid_gets, 0)), 'no message was got') AS gets_text,
  get_bytes / nullif(valid_gets, 0)    AS average_got_bytes,
  get_cpu_us / nullif(valid_gets, 0)   AS cpu_per_message_us,
  CASE WHEN selector_opens > 0 THEN ', with a selector' ELSE '' END AS selector_text,
  CASE WHEN e.apar IS NULL OR selector_opens > 0 THEN ''
    ELSE '. At this level it is not known whether these gets have a selector (APAR PH08561)' END AS known
FROM queue_application AS q
LEFT JOIN known_error AS e ON e.lpar = q.lpar AND e.qmgr = q.qmgr AND e.apar = 'PH08561'
WHERE NOT coalesce(q.read_by_design, false)
