/*---
id         = "queue/flow_balance"
title      = "Puts without gets and gets without puts"
question   = "Why do I see only puts (or only gets) on a queue?"
needs      = ["queue_total", "queue_statistics_total", "site_queue"]
rules      = ["QU006", "QU022"]
grain      = ["lpar", "qmgr", "base_name"]
unmarked   = "A row is a queue over the whole period; the rules judge its intervals."
drill_down = ["queue/dead_messages"]
site_input = ["ams_queues", "dead_letter_queues", "ims_bridge_queues", "xmit_queues"]
note       = "Names are base names; the generated part of the names of dynamic queues is *. Puts and gets are those of class 3 accounting; those of all tasks are from queue statistics. Browses count as gets, but do not make the flow even."

[columns]
lpar = { screen = 2 }
cf_structure = { from = "queue_total", label = "structure" }
flow = { unit = "text", label = "flow", screen = 1, doc = "puts only, gets only, or uneven: puts and gets differ by more than a fifth." }
gets_other_members = { unit = "count", label = "gets elsewhere", screen = 3, over = "same", doc = "Gets from the shared queue on other members of the group." }
puts_other_members = { unit = "count", label = "puts elsewhere", screen = 3, over = "same", doc = "Puts to the shared queue on other members of the group." }
expired_messages = { from = "queue_total", label = "expired", screen = 2 }
depth_high = { from = "queue_total", screen = 2 }
oldest_message_s = { screen = 2 }
explanation = { unit = "text", label = "explanation", screen = 1, doc = "What explains the difference, or what to check." }
---*/
WITH
flowing AS (
  SELECT
    *,
    coalesce(valid_destructive_gets, valid_gets) AS got,
    CASE WHEN is_shared AND qsg IS NOT NULL
      THEN (sum(valid_gets) OVER (PARTITION BY qsg, is_shared, base_name) - valid_gets)::BIGINT ELSE 0 END AS gets_other_members,
    CASE WHEN is_shared AND qsg IS NOT NULL
      THEN (sum(valid_puts) OVER (PARTITION BY qsg, is_shared, base_name) - valid_puts)::BIGINT ELSE 0 END AS puts_other_members
  FROM queue_total
  WHERE NOT is_topic
),
uneven AS (
  SELECT
    q.lpar, q.qmgr, q.base_name, q.is_shared, coalesce(s.cf_structure, q.cf_structure) AS cf_structure, q.valid_puts, q.valid_gets,
    CASE WHEN q.got = 0 THEN 'puts only' WHEN q.valid_puts = 0 THEN 'gets only' ELSE 'uneven' END AS flow,
    q.got, q.gets_other_members, q.puts_other_members, q.expired_messages, s.statistics_gets, s.statistics_puts, q.no_accounting, q.queue_kind,
    s.depth_last, s.depth_low, coalesce(s.depth_high, q.depth_high) AS depth_high, s.oldest_message_s, s.input_handles_high,
    k.seems_transmission, k.retained_queue, k.queue_reader
  FROM flowing AS q
  LEFT JOIN queue_statistics_total AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr AND s.base_name = q.base_name
  LEFT JOIN site_queue AS k ON k.lpar = q.lpar AND k.qmgr = q.qmgr AND k.queue = q.base_name
  WHERE abs(q.valid_puts - q.got) > 0.2 * greatest(q.valid_puts, q.got)
)
SELECT
  lpar, qmgr, base_name, is_shared, cf_structure, valid_puts, valid_gets, flow, gets_other_members, puts_other_members, expired_messages,
  statistics_gets, statistics_puts, no_accounting, queue_kind, depth_last, depth_low, depth_high, oldest_message_s, input_handles_high,
  CASE
    WHEN valid_puts > got AND gets_other_members > 0 THEN 'got on another member'
    WHEN valid_puts < got AND puts_other_members > 0 THEN 'put on another member'
    WHEN queue_kind = 'IMS bridge' THEN 'the IMS bridge gets without accounting'
    WHEN valid_puts > got AND statistics_gets > got THEN 'gets by tasks without accounting'
    WHEN valid_puts < got AND statistics_puts > valid_puts THEN 'puts by tasks without accounting'
    WHEN no_accounting THEN 'accounting is off for some tasks'
    WHEN valid_puts > got AND expired_messages > 0 THEN 'messages expire'
    WHEN queue_kind IN ('transmission', 'cluster transmission') THEN 'channel (see channel records)'
    WHEN seems_transmission THEN 'seems to be a transmission queue (see channel records)'
    WHEN valid_puts > got AND retained_queue THEN 'keeps messages on purpose'
    WHEN valid_puts > got AND queue_reader IS NOT NULL THEN 'read by ' || queue_reader
    WHEN valid_puts > got THEN 'look for a stopped consumer'
    ELSE 'messages from before the period, or tasks without accounting'
  END AS explanation
FROM uneven
ORDER BY flow, valid_puts + valid_gets DESC, lpar, qmgr, base_name
