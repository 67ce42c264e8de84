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
connection_type_name = { label = "connection", screen = 3 }
opens = { label = "opens", screen = 2 }
---*/
SELECT
  lpar, qmgr, application, connection_type_name, model_queue, temporary_queues, temporary_queues_per_min, messages, messages_per_queue, opens,
  average_open_et_us, average_open_cpu_us, average_open_suspend_us, open_suspend_share_pct, close_cpu_us, queue_mq_cpu_s, extra_cpu_s,
  page_set_0_logs, shared, managed_subscription
FROM temporary_queue_use
ORDER BY temporary_queues DESC, lpar, qmgr, model_queue, application, connection_type_name
