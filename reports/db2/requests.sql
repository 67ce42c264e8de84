/*---
id       = "db2/requests"
title    = "Db2 request times"
question = "Which Db2 request types are slow, and is the time in SQL or in waiting for a server task?"
needs    = ["db2_request"]
rules    = ["DB005", "DB006"]
grain    = ["lpar", "qmgr", "interval_start_utc", "request_type"]
dd       = ["DB2"]
drill_down = ["db2/activity"]
note     = "Longest times are those of the interval. Whether the time in the server task includes waiting in the request queue is not documented. SCST: shared channel status, SSKT: shared synchronisation keys, BLOB: large messages."
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, request_type, request_count, average_thread_us, thread_max_us, average_sql_us,
  sql_max_us, average_server_wait_us, thread_total_us, sql_total_us
FROM db2_request
WHERE group_member AND request_count > 0
ORDER BY lpar, qmgr, interval_start_utc, request_type
