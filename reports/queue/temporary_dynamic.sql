/*---
id         = "queue/temporary_dynamic"
title      = "Temporary dynamic queues"
question   = "Who creates temporary queues, how many, and at what cost per message?"
needs      = ["temporary_queue_use"]
rules      = ["QU020"]
grain      = ["lpar", "qmgr", "application", "connection_type_name", "model_queue"]
unmarked   = "A row is a model queue as one application uses it; the rule judges the queues of a prefix."
drill_down = ["data_manager/object_churn"]
note       = "Queues, messages and times are those of the tasks that created the queues. Opening a temporary queue costs more than opening a predefined queue, for which IBM published 2 µs of CPU time; the difference is the extra CPU time."

[columns]
lpar = { screen = 2 }
qmgr = { screen = 1 }
application = { label = "application", screen = 1 }
connection_type_name = { label = "connection", screen = 3 }
model_queue = { label = "model queue", screen = 1 }
temporary_queues = { label = "queues", screen = 1 }
temporary_queues_per_min = { label = "queues/min", screen = 1 }
messages = { label = "messages", screen = 1 }
messages_per_queue = { label = "messages/queue", screen = 1 }
opens = { label = "opens", screen = 2 }
average_open_et_us = { label = "avg open µs", screen = 1 }
average_open_cpu_us = { label = "avg open CPU µs", screen = 1 }
average_open_suspend_us = { label = "avg open suspended µs", screen = 2 }
open_suspend_share_pct = { label = "suspended %", screen = 2 }
close_cpu_us = { label = "close CPU µs" }
queue_mq_cpu_s = { label = "CPU s", screen = 2, format = ".3f" }
extra_cpu_s = { label = "extra CPU s", screen = 1, format = ".3f" }
page_set_0_logs = { label = "page set 0 logs", screen = 3 }
shared = { label = "shared", screen = 3 }
managed_subscription = { label = "subscription", screen = 3 }
---*/
SELECT
  lpar, qmgr, application, connection_type_name, model_queue, temporary_queues, temporary_queues_per_min, messages, messages_per_queue, opens,
  average_open_et_us, average_open_cpu_us, average_open_suspend_us, open_suspend_share_pct, close_cpu_us, queue_mq_cpu_s, extra_cpu_s,
  page_set_0_logs, shared, managed_subscription
FROM temporary_queue_use
ORDER BY temporary_queues DESC, lpar, qmgr, model_queue, application, connection_type_name
