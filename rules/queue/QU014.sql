/*---
id          = "QU014"
name        = "shared-queue-scanned"
title       = "Many list reads per message got from a shared queue"
severity    = "warning"                   # info where programs browse the queue
weight      = "waste"
grain       = ["lpar", "qmgr", "queue_group"]
needs       = ["queue_group_use.readlist_per_move"]
prints      = ["queue_group_use.browses", "queue_group_use.selector_opens", "queue_group_use.scan_application"]
judge       = "whole period"
worst       = "highest"
measure     = "list reads per message got"
when        = "observed > reads_per_get_max"
min_activity = "move_requests >= $moves_min"
look        = ["DISPLAY QLOCAL({queue_group}) CURDEPTH INDXTYPE"]

[threshold.reads_per_get_max]
value = 3.0
unit  = "ratio"
kind  = "guidance"
why   = "one list read per message is healthy and up to three are usual"
cite  = "IBM Washington Systems Center, review of an outage"

[threshold.moves_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "a ratio over fewer gets is not reliable"

[source]
cite = "IBM Washington Systems Center, review of an outage with thousands of list reads per message; MP16, 'Message selector performance with shared queues'; Z17, 'Non-Sequential gets from deep shared queue'"

[advice]
summary = "Gets from shared queue {queue_group} read the list {readlist_requests} time[s] for {move_requests} message[s], {observed:.1f} each (limit {reads_per_get_max}){by_application}; {browses} browse[s], {selector_opens} open[s] with a selector."
remedy  = "Define the index that the getters use (INDXTYPE) and get by it, remove messages that nobody will get (a short get-wait with a long expiry leaves them), and keep selectors off shared queues. Shared queues have no counter of skipped messages. Long-running tasks record a selector only in the interval of the open."
report  = "cf/shared_scan"
---*/
SELECT
  lpar, qmgr, queue_group,
  'queue ' || queue_group   AS subject,
  readlist_per_move         AS observed,
  readlist_requests, move_requests, browses,
  coalesce(selector_opens, 0) AS selector_opens,
  coalesce(', most by ' || scan_application, '') AS by_application,
  CASE WHEN browses > 0 THEN 'info' END AS severity
FROM queue_group_use
WHERE is_shared
