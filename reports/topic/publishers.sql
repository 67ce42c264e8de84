/*---
id       = "topic/publishers"
title    = "Who publishes and subscribes"
question = "Which applications publish or subscribe, and what CPU does it cost in the task and in SRBs?"
needs    = ["topic_use"]
rules    = []
grain    = ["lpar", "qmgr", "application", "connection_type_name", "open_name", "base_name"]
note     = "The row of an application without a name has its MQSUB calls and the CPU time of its topic calls, which accounting counts per task. SRB time is in no task: it is charged to the queue manager."

[columns]
lpar = { screen = 2 }
connection_type_name = { label = "connection", screen = 3 }
is_topic = { label = "topic", screen = 3 }
published = { label = "published", screen = 1 }
subscribes = { label = "subscribes", screen = 1 }
subscribe_cpu_us = { label = "subscribe CPU µs", screen = 3 }
subscribe_selectors = { label = "with selector" }
topic_cpu_us = { label = "topic CPU µs", screen = 2 }
---*/
SELECT
  lpar, qmgr, application, connection_type_name, open_name, base_name, is_topic, published, puts, subscribes, subscribe_cpu_us,
  subscribe_average_et_us, subscribe_selectors, put_cpu_us, topic_srb_us, topic_cpu_us, cpu_per_publish_us
FROM topic_use
ORDER BY topic_srb_us DESC, published DESC, application, lpar, qmgr, connection_type_name, open_name, base_name
