/*---
id         = "queue/dead_messages"
title      = "Dead, expired and rolled-back messages"
question   = "Where do messages die: expired, never read, too old, rolled back, on the dead-letter queue?"
unseen     = true
needs      = ["queue_statistics_total", "queue_total"]
rules      = ["QU001", "QU004", "QU007", "QU008", "QU023"]
grain      = ["lpar", "qmgr", "queue"]
unmarked   = "A row is a queue over the whole period; the rules judge its intervals."
drill_down = ["queue/flow_balance"]
site_input = ["ams_queues", "dead_letter_queues", "ims_bridge_queues", "xmit_queues"]
note       = "Names are base names; the generated part of the names of dynamic queues is *. Depth and age from partial records are left out. The depth of dynamic queues of a prefix is that of the last record."

[columns]
lpar = { screen = 2 }
queue = { unit = "text", kind = "key", label = "queue", screen = 1, doc = "Queue name." }
expired_messages = { from = "queue_statistics_total", label = "expired", screen = 1 }
messages_put = { screen = 2 }
destructive_gets = { screen = 2 }
accounting_puts = { unit = "count", label = "accounted puts", over = "add", doc = "MQPUT and MQPUT1 calls in accounting." }
shared_queue = { screen = 0 }
expired_pct = { unit = "percent", label = "expired %", screen = 2, doc = "Messages expired, per hundred put.", ratio = { numerator = "expired_messages", denominator = "messages_put", scale = 100 } }
depth_high = { from = "queue_statistics_total", label = "highest depth", screen = 2 }
rolled_back_puts = { label = "puts rolled back", screen = 2 }
rolled_back_gets = { label = "gets rolled back", screen = 1 }
gets_truncated = { label = "truncated" }
put_failures = { label = "put failures" }
readlist_per_move = { unit = "ratio", label = "list reads/move", doc = "List reads of the coupling facility per message moved by gets.", ratio = { numerator = "readlist_requests", denominator = "move_requests" } }
average_message_kib = { unit = "kib", label = "avg KiB", doc = "Mean message length.", ratio = { numerator = "average_message_kib * greatest(messages_put, 1)", denominator = "greatest(messages_put, 1)" } }
stuck_mib = { unit = "mib", label = "on queue MiB", screen = 1, doc = "Messages on the queue times their mean length.", over_time = "last", across = "add" }
reading = { unit = "text", label = "reading", screen = 1, doc = "All that holds: dead-letter messages, never read, no reader (of a shared queue: on this member), old messages (more than an hour), expiring (more than one in a hundred), poison message or backout loop (more than one rollback in a hundred gets)." }
---*/
WITH
joined AS (
  SELECT
    coalesce(s.lpar, a.lpar)                       AS lpar,
    coalesce(s.qmgr, a.qmgr)                       AS qmgr,
    coalesce(s.base_name, a.base_name)             AS queue,
    coalesce(s.queue_kind, a.queue_kind)           AS queue_kind,
    greatest(coalesce(s.expired_messages, 0), coalesce(a.expired_messages, 0)) AS expired_messages,
    s.messages_put, s.destructive_gets,
    a.puts + a.put1s                               AS accounting_puts,
    coalesce(s.shared_queue, a.is_shared)          AS shared_queue,
    s.depth_last,
    coalesce(s.depth_high, a.depth_high)           AS depth_high,
    s.oldest_message_s, s.seconds_since_last_get, s.never_got, s.no_reader_intervals, s.uncommitted_intervals, s.rolled_back_puts,
    s.rolled_back_gets, s.gets_truncated,
    s.put_failures + s.put1_failures               AS put_failures,
    a.readlist_requests, a.move_requests,
    a.readlist_requests / nullif(a.move_requests, 0) AS readlist_per_move,
    s.message_bytes_average / 1024                 AS average_message_kib
  FROM queue_statistics_total AS s
  FULL JOIN queue_total AS a ON a.lpar = s.lpar AND a.qmgr = s.qmgr AND a.base_name = s.base_name
),
figure AS (
  SELECT
    *,
    pct(expired_messages, messages_put)              AS expired_pct,
    depth_last * average_message_kib / 1024          AS stuck_mib
  FROM joined
  WHERE expired_messages > 0 OR depth_last > 0 OR rolled_back_gets > 0 OR rolled_back_puts > 0
)
SELECT
  lpar, qmgr, queue, queue_kind, expired_messages, messages_put, destructive_gets, accounting_puts, shared_queue, expired_pct, depth_last,
  depth_high, oldest_message_s, seconds_since_last_get, never_got, no_reader_intervals, uncommitted_intervals, rolled_back_puts, rolled_back_gets,
  gets_truncated, put_failures, readlist_per_move, average_message_kib, stuck_mib,
  nullif(concat_ws(
    '; ',
    CASE WHEN queue_kind = 'dead letter' AND depth_last > 0 THEN 'dead-letter messages' END,
    CASE WHEN never_got AND depth_last > 0 THEN CASE WHEN shared_queue THEN 'never read on this member' ELSE 'never read' END END,
    CASE WHEN no_reader_intervals > 0 AND depth_last > 0 THEN CASE WHEN shared_queue THEN 'no reader on this member' ELSE 'no reader' END END,
    CASE WHEN oldest_message_s > 3600 THEN 'old messages' END,
    CASE WHEN expired_pct > 1 THEN 'expiring' END,
    CASE WHEN 100 * rolled_back_gets > coalesce(destructive_gets, 0) THEN 'poison message or backout loop' END
  ), '') AS reading
FROM figure
ORDER BY reading NULLS LAST, stuck_mib DESC NULLS LAST, expired_messages DESC, lpar, qmgr, queue
