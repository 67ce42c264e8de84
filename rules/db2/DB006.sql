/*---
id          = "DB006"
name        = "db2-requests-slow"
title       = "SQL requests of the queue manager are slow"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "request_type"]
needs       = ["db2_request.average_sql_us", "db2_request.sql_max_us"]
prints      = ["db2_request.request_count"]
judge       = "any interval"
worst       = "highest"
victims     = ["Db2 time"]
breach_when = "average or longest"
min_activity = "request_count >= $requests_min"
caused_by   = ["DB002"]
look        = ["DISPLAY GROUP"]

[threshold.average_us_max]
value = 50000
unit  = "us"
kind  = "judgement"
why   = "a healthy member needs 2 ms for a list request"

[threshold.longest_us_max]
value = 5000000
unit  = "us"
kind  = "judgement"
why   = "a queue open that takes seconds is noticed"

[threshold.requests_min]
value = 10
unit  = "count"
kind  = "judgement"
why   = "an average over fewer requests is not reliable"

[clause.average]
when    = "observed > average_us_max"
measure = "average SQL time of a request"

[clause.longest]
when    = "sql_max_us > longest_us_max"
measure = "longest SQL time of a request"

[source]
cite = "MP16, 'Is Db2 tuning important?' (what waits for Db2)"

[advice]
summary = "{request_count} Db2 request[s] ({request_type}) took {observed:.0f} µs in SQL on average (limit {average_us_max} µs), the longest {sql_max_us} µs (limit {longest_us_max} µs). Queue opens, channel starts and large shared messages wait for such requests."
remedy  = "Check the Db2 buffer pools and group buffer pools of the CSQ tables, run RUNSTATS after mass definitions and rebind the plans (CSQ45BPL). A list of thousands of objects takes this long in any case."
report  = "db2/requests"
---*/
SELECT
  lpar, qmgr, request_type, interval_start_utc, interval_seconds, record_id,
  'Db2 requests: ' || request_type AS subject,
  average_sql_us                   AS observed,
  request_count, sql_max_us
FROM db2_request
WHERE group_member
