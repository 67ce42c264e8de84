/*---
id      = "interval_work"
title   = "Work of applications and queues in statistics intervals"
grain   = "one row per lpar, qmgr, interval, measure, queue and application"
needs   = ["queue_use", "decoded.wtas", "task_identity", "queue_statistics", "interval_cut"]
classes = ["116.1", "115.216"]
keep    = true                           # expensive, and a report asks more than once
note    = "A task interval belongs to the statistics interval in which it ended, plus or minus a second. A message takes a page, and another one for each 4,048 bytes above 3,635. Messages that went directly to a waiting getter take none."

[columns]
lpar = {}
qmgr = {}
interval_start_utc = {}
page_set_id = { unit = "id", doc = "Page set of the queue; null for work of a task." }
pool_id = { unit = "id", doc = "Buffer pool of the queue; null for work of a task." }
queue_group = { unit = "text", doc = "Queue; the generated part of the name of dynamic queues is *; null for work of a task." }
application_group = { unit = "text", doc = "Application, where all addresses of a channel are one; null for figures of queue statistics." }
channel_name = { unit = "text", kind = "key", doc = "Channel, if the application is one." }
work_measure = { unit = "text", doc = "pages put, pages read, pages held, pages kept, log bytes, log waits or backout time." }
work_value = { unit = "number", doc = "Value in the unit of the measure." }
---*/
WITH
placed AS (
  SELECT t.record_id, i.interval_start_utc, t.task_log_bytes, t.task_log_force_us, t.backout_et_us
  FROM decoded.wtas AS t
  ASOF JOIN interval_cut AS i
    ON i.lpar = t.lpar AND i.qmgr = t.qmgr AND i.interval_end_utc >= t.task_interval_end_utc - INTERVAL 1 SECOND
  WHERE t.task_interval_end_utc > i.interval_start_utc
),
block AS (
  SELECT
    u.lpar, u.qmgr, p.interval_start_utc, u.page_set_id, u.pool_id, u.queue_group, u.application_group, u.channel_name,
    1 + greatest(0, ceil((coalesce(u.put_bytes / nullif(u.valid_puts, 0), 0) - 3635) / 4048)) AS pages,
    greatest(0, u.valid_puts - u.puts_to_waiting_getter)                          AS puts,
    u.valid_puts - coalesce(u.valid_destructive_gets, u.valid_gets)               AS kept,
    u.get_page_set_reads
  FROM queue_use AS u
  JOIN placed AS p ON p.record_id = u.task_record_id
  WHERE u.page_set_id IS NOT NULL
),
queue_work AS (
  SELECT
    lpar, qmgr, interval_start_utc, page_set_id, pool_id, queue_group, application_group, max(channel_name) AS channel_name,
    sum(puts * pages) AS "pages put", sum(get_page_set_reads)::DOUBLE AS "pages read", sum(kept * pages) AS "pages kept"
  FROM block
  GROUP BY lpar, qmgr, interval_start_utc, page_set_id, pool_id, queue_group, application_group
),
task_work AS (
  SELECT
    w.lpar, w.qmgr, p.interval_start_utc, n.application_group, max(n.channel_name) AS channel_name,
    sum(p.task_log_bytes)::DOUBLE AS "log bytes", sum(p.task_log_force_us)::DOUBLE AS "log waits",
    -- Tasks of CICS and of the channel initiator end with a backout call that undoes nothing.
    sum(p.backout_et_us) FILTER (n.connection_type_code NOT IN (1, 6))::DOUBLE AS "backout time"
  FROM placed AS p
  JOIN decoded.wtas AS w ON w.record_id = p.record_id
  LEFT JOIN task_identity AS n ON n.record_id = p.record_id
  GROUP BY w.lpar, w.qmgr, p.interval_start_utc, n.application_group
),
held AS (
  SELECT
    lpar, qmgr, interval_start_utc, page_set_id, pool_id, queue AS queue_group,
    coalesce(depth_high, depth) * (1 + greatest(0, ceil((coalesce(message_bytes_average, 0) - 3635) / 4048))) AS "pages held"
  FROM queue_statistics
  WHERE page_set_id IS NOT NULL AND NOT coalesce(partial_record, false)
)
SELECT lpar, qmgr, interval_start_utc, page_set_id, pool_id, queue_group, application_group, channel_name, work_measure, work_value
FROM (
  SELECT * FROM (UNPIVOT queue_work ON "pages put", "pages read", "pages kept" INTO NAME work_measure VALUE work_value)
  UNION ALL BY NAME
  SELECT * FROM (UNPIVOT task_work ON "log bytes", "log waits", "backout time" INTO NAME work_measure VALUE work_value)
  UNION ALL BY NAME
  SELECT * FROM (UNPIVOT held ON "pages held" INTO NAME work_measure VALUE work_value)
)
WHERE work_value > 0
