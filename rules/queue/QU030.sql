/*---
id          = "QU030"
name        = "usual-reader-gone"
title       = "A queue that is usually read holds messages and nothing reads it"
severity    = "info"
weight      = "outage"
grain       = ["lpar", "qmgr", "queue"]
over        = "group"
needs       = ["queue_unread.oldest_message_s", "queue_unread.group_handles_last"]
prints      = ["queue_unread.usual_age_s", "site_queue.queue_kind"]
judge       = "3 consecutive"             # intervals below five minutes are merged first
worst       = "highest"
breach_when = "old and unusual and unread and usually_read and no_window"
silenced_by = ["QU004", "QU005", "QU006", "QU022"]
caused_by   = ["CN014"]
mq_since    = "9.3.1"
look        = ["DISPLAY QSTATUS({queue}) CURDEPTH IPPROCS LGETDATE LGETTIME MSGAGE", "DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL"]

[threshold.age_s]
value = 600.0
unit  = "s"
kind  = "judgement"
why   = "ten minutes is longer than a reader needs to start again"

[threshold.usual_factor]
value = 5.0
unit  = "ratio"
kind  = "judgement"
why   = "how old messages get differs between queues, so the limit is a multiple of the queue's own age when it is read"

[threshold.read_pct_min]
value = 80.0
unit  = "percent"
kind  = "judgement"
why   = "a queue that is triggered or read in batches has a reader less often"

[threshold.window_days_min]
value = 3
unit  = "count"
kind  = "judgement"
why   = "a reader that is away in the same hour on three of seven days is away on purpose, such as in a batch window"

[clause.old]
when    = "observed > age_s"
measure = "age of the oldest message"

[clause.unusual]
when    = "times_usual > usual_factor"
measure = "age as a multiple of the usual age"

[clause.unread]
when    = "group_handles_last = 0"
measure = "input handles of all members"
text    = "{value} input handles"

[clause.usually_read]
when    = "steps_read_pct >= read_pct_min"
measure = "share of the time steps with messages in which it had a reader"

[clause.no_window]
when    = "days_unread_before < window_days_min"
measure = "days of the last seven without a reader in this hour"

[source]
cite = "IBM MQ documentation, IPPROCS and MSGAGE of DISPLAY QSTATUS, and channel accounting data"

[advice]
summary = "Queue {queue}{of_channels} held {depth} message[s], the oldest for {observed:.0f} s (limit {age_s} s, and {usual_factor} time[s] the usual {usual_age_s:.0f} s), and {no_reader_text}; in {steps_read_pct:.0f} % of the time steps with messages it was open<<; channel {missing_channel} has no record from {missing_from_utc}>><< to {missing_until_utc}>>."
remedy  = "{what_to_do}. Until a program reads it, the messages stay."
report  = "queue_statistics/depth"
---*/
SELECT
  q.lpar, q.qmgr, q.queue, q.interval_start_utc, q.interval_seconds, q.record_id,
  'queue ' || q.queue       AS subject,
  q.oldest_message_s        AS observed,
  q.depth, q.times_usual, q.usual_age_s, q.group_handles_last, q.steps_read_pct, q.days_unread_before, q.no_reader_text,
  q.missing_channel, q.missing_from_utc, q.missing_until_utc,
  coalesce(' (channel ' || k.sending_channels || ')', '') AS of_channels,
  CASE
    WHEN k.queue_advice IS NULL AND k.sending_channels IS NOT NULL
      THEN format('Check the channel: DISPLAY CHSTATUS(*) XMITQ(''{}'') STATUS SUBSTATE', q.queue)
    ELSE coalesce(k.queue_advice, 'Start the program that reads the queue, or its trigger monitor, again')
  END                       AS what_to_do
FROM queue_unread AS q
LEFT JOIN site_queue AS k ON k.lpar = q.lpar AND k.qmgr = q.qmgr AND k.queue = q.queue
WHERE NOT coalesce(k.is_store, false)
