/*---
id         = "queue/open_patterns"
title      = "Open, put and close patterns"
question   = "Which applications open and close per message, use MQPUT1 in a loop, or keep handles open?"
needs      = ["queue_open_pattern"]
rules      = ["QU018", "QU019"]
grain      = ["lpar", "qmgr", "base_name", "application", "connection_type_name"]
unmarked   = "A row is a queue as one application uses it; the rules put the addresses of a channel together."
drill_down = ["cf/open_close"]
note       = "Names are base names; the generated part of the names of dynamic queues is *. The saving assumes that each task opens the queue once. Applications with up to 10 opens and up to 100 MQPUT1 calls on a queue are not listed."

[columns]
lpar = { screen = 2 }
connection_type_name = { label = "connection", screen = 3 }
opens = { label = "opens", screen = 1 }
closes = { label = "closes" }
puts = { label = "puts", screen = 2 }
put1s = { label = "put1s", screen = 1 }
gets = { label = "gets", screen = 2 }
---*/
SELECT
  lpar, qmgr, base_name, application, connection_type_name, opens, closes, puts, put1s, gets, messages, messages_per_open, put1_pct,
  average_open_cpu_us, average_close_cpu_us, open_close_cpu_s, average_put1_cpu_us, average_put_cpu_us, open_saving_cpu_s, open_handles,
  queues_open_per_task, pattern
FROM queue_open_pattern
WHERE opens > 10 OR put1s > 100
ORDER BY open_saving_cpu_s DESC, lpar, qmgr, base_name, application, connection_type_name
