/*---
id          = "QU002"
name        = "queue-near-maxdepth"
title       = "Depth high-water near MAXDEPTH"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "queue"]
over        = "group"
needs       = ["site_input.maxdepth_by_queue", "queue_interval.max_depth_pct"]
prints      = ["queue_interval.shared_queue", "queue_interval.depth_high", "queue_interval.maxdepth", "queue_interval.group_input_handles"]
judge       = "any interval"
worst       = "highest"
measure     = "highest depth as a share of MAXDEPTH"
when        = "observed > depth_pct_max"
caused_by   = ["QU005", "QU006", "QU022"]
mq_since    = "9.3.3"
default_on  = false                       # on as soon as the site file has MAXDEPTH of a queue
look        = ["DISPLAY QLOCAL({queue}) CURDEPTH MAXDEPTH PSID CFSTRUCT", "DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL"]
do          = ["ALTER QLOCAL({queue}) MAXDEPTH({depth_wanted}) QSGDISP({shared_queue})"]
raises      = ["MAXDEPTH"]

[size.more_pct]
formula = "100 * (ceil(maxdepth * 1.5) - maxdepth) / maxdepth"

[size.depth_wanted]
formula = "ceil(maxdepth * 1.5)"
at_most = 999999999
cost    = "That is {more_pct:.0f} % more; the page set or structure of the queue must have room for the messages."

[threshold.depth_pct_max]
value = 85.0
unit  = "percent"
kind  = "guidance"
why   = "a monitor's default for shared queues; MQ's own QDEPTHHI is 80 %"

[source]
cite = "OMEGAMON for Messaging, situation for shared queues above 85 %; V92, 'Channel throughput'; AMSI, 'Channel throughput' (a channel or getter that is too slow)"

[advice]
summary = "Queue {queue} held up to {depth_high} message[s], {observed:.1f} % of its MAXDEPTH {maxdepth} (limit {depth_pct_max} %)<<; {open_handles} input handle[s] [were|was] open>><<; {unread_text}>>. At 100 % puts fail with reason code 2053, and channels retry."
remedy  = "Find the getter that is stopped or too slow. Queues that fill on purpose can have their own limit in the site file."
report  = "queue_statistics/depth"
---*/
SELECT
  q.lpar, q.qmgr, q.queue, q.interval_start_utc, q.interval_seconds, q.record_id,
  'queue ' || q.queue       AS subject,
  q.max_depth_pct           AS observed,
  q.depth_high, q.maxdepth, q.shared_queue,
  nullif(q.group_input_handles, 0)                                  AS open_handles,
  CASE WHEN q.group_input_handles = 0 THEN q.no_reader_text END     AS unread_text
FROM queue_interval AS q
JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
WHERE s.maxdepth_by_queue IS NOT NULL AND q.maxdepth > 0 AND q.group_reporter
