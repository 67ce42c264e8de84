/*---
id       = "task/db2_lookups"
title    = "Db2 look-ups and undefined queues"
question = "Which tasks cause Db2 work, for instance by opening queues that do not exist?"
needs    = ["db2_lookup"]
rules    = ["TA006"]
unmarked = "A row is a user; TA006 judges the application."
grain    = ["lpar", "qmgr", "application", "connection_type_name", "operator_id"]
drill_down = ["db2/requests", "task/list"]
note     = "The name that is not defined is not in SMF. Tasks of the channel initiator without a channel and the command server read Db2 for shared channels and group objects: they are shown, but not suspected."

[columns]
lpar = { screen = 2 }
connection_type_name = { label = "type", screen = 2 }
db2_calls = { label = "Db2 calls", screen = 1 }
db2_average_thread_us = { unit = "us", label = "avg thread µs", screen = 1, doc = "Mean Db2 elapsed time of the thread per request.", ratio = { numerator = "db2_thread_us", denominator = "db2_calls" } }
db2_average_server_us = { unit = "us", label = "avg server µs", screen = 2, doc = "Mean Db2 elapsed time of the server per request.", ratio = { numerator = "db2_server_us", denominator = "db2_calls" } }
db2_bytes_written = { label = "written", screen = 3 }
db2_bytes_read = { label = "read", screen = 3 }
other_calls = { label = "other calls", screen = 2 }
undefined_open_cpu_s = { unit = "s", label = "CPU s", screen = 1, doc = "Estimated CPU time of these opens: 113.8 µs each in IBM's test, 59.4 µs in the queue manager and 54.4 µs in Db2.", over = "add" }
---*/
SELECT
  lpar, qmgr, application, connection_type_name, operator_id, task_records, db2_calls,
  db2_thread_us / nullif(db2_calls, 0)      AS db2_average_thread_us,
  db2_server_us / nullif(db2_calls, 0)      AS db2_average_server_us,
  db2_longest_us, db2_bytes_written, db2_bytes_read, other_calls, tasks_without_queue, suspected_undefined_opens,
  113.8 * suspected_undefined_opens / 1e6   AS undefined_open_cpu_s,
  shared_dynamic_queues
FROM db2_lookup
ORDER BY suspected_undefined_opens DESC, db2_calls DESC, lpar, qmgr, application, connection_type_name, operator_id
