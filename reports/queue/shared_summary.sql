/*---
id         = "queue/shared_summary"
title      = "Shared queue summary"
question   = "How is each shared queue used from each member?"
unseen     = true
needs      = ["queue_total"]
rules      = ["CF009", "CF010"]
grain      = ["qsg", "base_name", "lpar", "qmgr"]
unmarked   = "A row is a queue; the rules judge its structure."
dd         = ["QSUMS"]
wsc        = [7]
drill_down = ["cf/shared_scan", "qsg/members"]
note       = "Names are base names; the generated part of the names of dynamic queues is *. Members without class 3 accounting are not included."

[columns]
qsg = { screen = 1 }
lpar = { screen = 2 }
cf_structure = { label = "structure", screen = 1 }
put_mib = { unit = "mib", label = "put MiB", screen = 1, over = "add", doc = "Message data put." }
get_mib = { unit = "mib", label = "got MiB", screen = 1, over = "add", doc = "Message data got." }
opens = { label = "opens" }
closes = { label = "closes" }
gets = { label = "gets" }
messages_skipped = { label = "skipped" }
expired_messages = { label = "expired" }
puts = { label = "puts" }
put1s = { label = "put1s" }
time_on_queue_high_us = { label = "longest on queue µs", screen = 3 }
inquires = { label = "inquires" }
sets = { label = "sets" }
igq_puts = { label = "intra-group puts", screen = 2 }
persistent_put_pct = { unit = "percent", label = "persistent %", screen = 2, doc = "Share of the messages put that were persistent.", ratio = { numerator = "coalesce(persistent_mqputs, 0) + coalesce(persistent_mqput1s, 0)", denominator = "valid_puts", scale = 100 } }
queues_in_structure = { unit = "count", label = "queues in structure", screen = 3, doc = "Shared queues of the group in the same structure that were used.", over = "max" }
share_of_puts_pct = { unit = "percent", label = "puts %", screen = 1, doc = "Share of the puts of all members to the queue.", ratio = { numerator = "valid_puts", denominator = "group_valid_puts", scale = 100, whole = ["qsg", "base_name"] } }
share_of_gets_pct = { unit = "percent", label = "gets %", screen = 1, doc = "Share of the gets of all members from the queue.", ratio = { numerator = "valid_gets", denominator = "group_valid_gets", scale = 100, whole = ["qsg", "base_name"] } }
group_valid_puts = { unit = "count", label = "puts of all members", over = "same", doc = "Puts of all members to the queue." }
group_valid_gets = { unit = "count", label = "gets of all members", over = "same", doc = "Gets of all members from the queue." }
---*/
WITH shared AS (
  -- A queue manager whose group no record names is a group of its own.
  SELECT *, coalesce(qsg, lpar || ' ' || qmgr) AS sharing_group
  FROM queue_total
  WHERE is_shared
)
SELECT
  qsg, base_name, lpar, qmgr, cf_structure, put_bytes / 1048576 AS put_mib, get_bytes / 1048576 AS get_mib, attention, valid_puts, valid_gets,
  depth_high, opens, open_et_us, open_cpu_us, closes, close_et_us, close_cpu_us, gets, get_et_us, get_cpu_us, get_bytes, persistent_gets,
  messages_skipped, expired_messages, puts, put_et_us, put_cpu_us, put1s, put1_et_us, put1_cpu_us, put_bytes, mqputs_to_waiting_getter,
  mqput1s_to_waiting_getter, generated_messages, persistent_mqputs, persistent_mqput1s, time_on_queue_high_us, time_on_queue_low_us, inquires,
  sets, igq_puts, pct(coalesce(persistent_mqputs, 0) + coalesce(persistent_mqput1s, 0), valid_puts) AS persistent_put_pct,
  count(DISTINCT base_name) OVER (PARTITION BY sharing_group, cf_structure) AS queues_in_structure,
  pct(valid_puts, sum(valid_puts) OVER (PARTITION BY sharing_group, base_name))              AS share_of_puts_pct,
  pct(valid_gets, sum(valid_gets) OVER (PARTITION BY sharing_group, base_name))              AS share_of_gets_pct,
  sum(valid_puts) OVER (PARTITION BY sharing_group, base_name)::BIGINT AS group_valid_puts,
  sum(valid_gets) OVER (PARTITION BY sharing_group, base_name)::BIGINT AS group_valid_gets
FROM shared
ORDER BY qsg, base_name, lpar, qmgr
