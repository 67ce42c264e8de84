/*---
id      = "db2_time"
title   = "Db2 requests of an interval, all types together"
grain   = "one row per lpar, qmgr and interval"
needs   = ["db2_request"]
classes = ["115.2"]
note    = "Helper of rule DB005."

[columns]
db2_timed_requests = { unit = "count", doc = "Requests of all 17 types.", over = "add" }
db2_thread_total_us = { unit = "us", doc = "Elapsed time of all requests in server tasks.", over = "add" }
db2_sql_total_us = { unit = "us", doc = "Elapsed time of all requests in SQL calls.", over = "add" }
db2_average_thread_us = { unit = "us", doc = "Mean elapsed time of a request in its server task.", ratio = { numerator = "db2_thread_total_us", denominator = "db2_timed_requests" } }
db2_outside_sql_pct = { unit = "percent", doc = "Part of the elapsed time in server tasks that is not in SQL calls.", ratio = { numerator = "db2_thread_total_us - db2_sql_total_us", denominator = "db2_thread_total_us", scale = 100 } }
---*/
WITH total AS (
  SELECT
    lpar, qmgr, record_id, interval_start_utc, interval_seconds, group_member,
    sum(request_count)::BIGINT   AS db2_timed_requests,
    sum(thread_total_us)::BIGINT AS db2_thread_total_us,
    sum(sql_total_us)::BIGINT    AS db2_sql_total_us
  FROM db2_request
  GROUP BY lpar, qmgr, record_id, interval_start_utc, interval_seconds, group_member
)
SELECT
  *,
  db2_thread_total_us / nullif(db2_timed_requests, 0)                                  AS db2_average_thread_us,
  pct(db2_thread_total_us - db2_sql_total_us, db2_thread_total_us)                     AS db2_outside_sql_pct
FROM total
