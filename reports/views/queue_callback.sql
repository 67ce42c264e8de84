/*---
id      = "queue_callback"
title   = "Callbacks that accounting shows"
grain   = "one row per lpar and qmgr with class 3 accounting"
needs   = ["decoded.wq"]
classes = ["116.1"]
note    = "Helper of view message_balance: messages that a callback gets are counted by the data manager and not by the message manager."

[columns]
accounted_callbacks = { unit = "count", doc = "MQCB calls of all tasks with class 3 accounting; null before the version of the records that has them.", over = "add" }
---*/
SELECT lpar, qmgr, sum(callbacks)::BIGINT AS accounted_callbacks
FROM decoded.wq
GROUP BY lpar, qmgr
