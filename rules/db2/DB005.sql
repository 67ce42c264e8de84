/*---
id          = "DB005"
name        = "db2-requests-waiting-for-a-server"
title       = "Most of the time of Db2 requests is not SQL"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["db2_time.db2_outside_sql_pct"]
prints      = ["db2_time.db2_timed_requests", "db2_time.db2_average_thread_us"]
judge       = "share >= 10 %"
worst       = "highest"
victims     = ["Db2 time"]
measure     = "share of the server task time outside SQL"
when        = "observed > outside_sql_pct_max"
min_activity = "db2_timed_requests >= $requests_min AND db2_average_thread_us >= $average_thread_us_min"
look        = ["DISPLAY GROUP"]

[threshold.outside_sql_pct_max]
value = 50.0
unit  = "percent"
kind  = "judgement"
why   = "3 to 18 % is usual on healthy members"

[threshold.requests_min]
value = 100
unit  = "count"
kind  = "judgement"
why   = "a share of fewer requests is not reliable"

[threshold.average_thread_us_min]
value = 1000
unit  = "us"
kind  = "judgement"
why   = "dispatching alone is half the time of very fast requests"

[source]
cite = "MP16, 'Who pays for messages stored on Shared Message Data Sets?' (server tasks) and 'Is Db2 tuning important?'; definition of the fields"

[advice]
summary = "{db2_timed_requests} Db2 request[s] took {db2_average_thread_us:.0f} µs on average in their server tasks, and {observed:.1f} % of this time was not SQL (limit {outside_sql_pct_max} %): the server tasks of the queue manager are delayed outside Db2, for example by a lack of processor time."
remedy  = "Check the priority of the queue manager and of Db2 in the workload manager and the processor delay of both; raise the number of Db2 servers (QSGDATA in CSQ6SYSP) if requests queue."
report  = "db2/requests"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'Db2 requests'      AS subject,
  db2_outside_sql_pct AS observed,
  db2_timed_requests, db2_average_thread_us
FROM db2_time
WHERE group_member
