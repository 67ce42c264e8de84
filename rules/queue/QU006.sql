/*---
id          = "QU006"
name        = "queue-not-draining"
title       = "Depth keeps rising"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "queue"]
over        = "group"
needs       = ["queue_merged.lowest_depth"]
prints      = ["queue_merged.group_puts", "queue_merged.group_gets", "queue_merged.group_input_handles", "site_queue.queue_kind"]
judge       = "4 consecutive"             # intervals below five minutes are merged first
worst       = "highest"
culprits    = ["messages put minus got", "messages put"]
breach_when = "deep and rising and to_be_read"
silenced_by = ["QU005", "QU022"]
mq_since    = "9.3.0"
look        = ["DISPLAY QSTATUS({queue}) CURDEPTH IPPROCS OPPROCS LGETDATE LGETTIME MSGAGE", "DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL"]

[threshold.depth_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "a shorter queue is drained within seconds"

[clause.deep]
when    = "observed >= depth_min"
measure = "message[s] on the queue"

[clause.rising]
when    = "lowest_added > 0"
measure = "rise of the lowest depth since the previous interval"
text    = "lowest depth up by {value}"

[clause.to_be_read]
when    = "must_be_read is true"
measure = "has to be read"
text    = "has to be read"
clear   = "MQ keeps data on it"

[source]
cite = "MP16, 'Application level performance considerations' and 'What is the maximum message rate through a single private queue?'; V92, 'Business Partner streaming to AMS Interception-protected Enterprise'; AMSI, 'Channel throughput'"

[advice]
summary = "Queue {queue} did not drain: it held {observed} message[s] (limit {depth_min}), and its lowest depth rose by {lowest_added} since the previous interval; {flow_text}{handle_text}."
remedy  = "Messages are put faster than they are got, which is the usual first cause of full buffer pools, page sets and structures. {what_to_do}."
report  = "queue_statistics/depth"
---*/
SELECT
  q.lpar, q.qmgr, q.queue, q.interval_start_utc, q.interval_seconds, q.record_id,
  'queue ' || q.queue                   AS subject,
  depth                                 AS observed,
  lowest_depth - previous_lowest_depth  AS lowest_added,
  CASE WHEN group_puts + group_gets IS NULL THEN 'puts and gets are not recorded' ELSE format('{:,} messages were put and {:,} got', group_puts, group_gets) END AS flow_text,
  CASE
    WHEN group_input_handles = 0 THEN '; ' || no_reader_text
    WHEN group_input_handles > 0 THEN format(', input handles: {:,}', group_input_handles)
    ELSE ''
  END                                   AS handle_text,
  NOT coalesce(k.is_store, false) AS must_be_read,
  coalesce(
    k.queue_advice,
    'Add getters: one input handle means a serial reader. Check what each get costs and waits for (class 3 accounting), '
      || 'and give getters a higher priority than putters. '
      || 'List queues that are filled by day and drained by night in retained_queues of the site file'
  )                                     AS what_to_do
FROM queue_merged AS q
LEFT JOIN site_queue AS k ON k.lpar = q.lpar AND k.qmgr = q.qmgr AND k.queue = q.queue
WHERE NOT q.retained_queue
