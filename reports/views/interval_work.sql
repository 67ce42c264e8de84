/*---
id      = "interval_work"
title   = "Work of applications, queues and channels in statistics intervals"
grain   = "one row per lpar, qmgr, interval, figure, queue, application, channel, CF structure, latch class and dispatcher"
needs   = ["queue_use", "decoded.wtas", "decoded.wtas_latch", "task_identity", "queue_held", "channel", "interval_cut"]
classes = ["116.1", "115.216", "116.10"]
empty_without = false
keep    = true                           # expensive, and a report asks more than once
note    = "A task interval belongs to the statistics interval in which it ended, plus or minus a second. A message takes a page, and another one for each 4,048 bytes above 3,635. Messages that went directly to a waiting getter take none. The SMDS pages and the redrives of a task count for each CF structure whose queues it used, because its record does not divide them. The time that a channel needs on its dispatcher is estimated: 150 µs for a message or call, 755 µs for a start and 0.7 µs for 1,000 bytes, from CPU times of 905 µs for a message on a connection of its own and 165 µs for one of fifty (MP16, chapter 8) and the cost of data in column predicted_cost_us of view channel."

[columns]
page_set_id = { doc = "Page set of the queue; null for work of a task or a channel.", label = "", screen = 0 }
pool_id = { doc = "Buffer pool of the queue; null for work of a task or a channel.", label = "", screen = 0 }
cf_structure = { doc = "CF structure of the queue, or of the queues that the task used; null for other work.", label = "", screen = 0 }
latch_class = { doc = "Latch class; null for work other than latch waits." }
dispatcher_number = { doc = "Dispatcher task of the channel; null for other work." }
queue_group = { doc = "Queue; the generated part of the name of dynamic queues is *; null for work of a task or a channel." }
application_group = { doc = "Application, where all addresses of a channel are one; null for figures of queue and channel statistics." }
channel_name = { doc = "Channel, if the application is one or the figure is that of a channel.", screen = 0 }
work_measure = { unit = "text", doc = "Figure, as in column work_figure of view work_measure." }
work_value = { unit = "number", doc = "Value in the unit of the measure; negative where more was got than put.", over = "add" }
work_before = { unit = "number", over_time = "first", across = "add", doc = "Pages or bytes that the queue held at the start of the interval; null for figures other than those held." }
---*/
WITH
placed AS (
  SELECT
    t.lpar, t.qmgr, t.record_id, i.interval_start_utc, i.interval_end_utc, n.application_group, n.channel_name,
    n.connection_type_code, t.task_correlator,
    epoch_us(t.task_interval_end_utc - t.task_interval_start_utc) AS task_us,
    t.task_log_bytes, t.task_log_force_us, t.task_log_forces, t.db2_calls, t.db2_thread_us, t.db2_bytes_written,
    rollbacks_of(t.backouts, (t.task_flags & 536870912) <> 0, n.end_backouts) * t.backout_et_us / greatest(t.backouts, 1)
      AS rollback_et_us,
    coalesce(t.single_redrives, 0) + coalesce(t.multiple_redrives, 0) AS redrives,
    coalesce(t.task_smds_read_pages, 0) + coalesce(t.task_smds_write_pages, 0) AS smds_pages,
    coalesce(t.task_smds_wait_us, 0) AS smds_wait_us,
    t.other_et_us + t.commit_et_us + t.backout_et_us + coalesce(t.prepare_et_us, 0) + coalesce(t.subscribe_et_us, 0)
      + coalesce(t.subscription_request_et_us, 0) + coalesce(t.control_et_us, 0) + coalesce(t.status_et_us, 0)
      AS other_verbs_et_us
  FROM decoded.wtas AS t
  ASOF JOIN interval_cut AS i
    ON i.lpar = t.lpar AND i.qmgr = t.qmgr AND i.interval_end_utc >= t.task_interval_end_utc - INTERVAL 1 SECOND
  LEFT JOIN task_identity AS n ON n.record_id = t.record_id
  WHERE t.task_interval_end_utc > i.interval_start_utc
),
block AS (
  SELECT
    u.lpar, u.qmgr, p.interval_start_utc, p.interval_end_utc, u.task_record_id, u.page_set_id, u.pool_id, u.cf_structure,
    u.queue_group, u.application_group, u.channel_name, p.connection_type_code,
    pages_per_message(coalesce(u.put_bytes / nullif(u.valid_puts, 0), 0)) AS pages,
    CASE
      WHEN u.valid_puts < u.puts_to_waiting_getter THEN 0
      ELSE u.valid_puts - coalesce(u.puts_to_waiting_getter, 0)
    END AS puts,
    u.valid_puts - coalesce(u.valid_destructive_gets, u.valid_gets) AS kept,
    u.gets - u.valid_gets AS gets_without_message,
    u.valid_puts, u.opens, u.queue_log_forces, u.put_bytes, u.get_bytes, u.get_page_set_reads, u.open_handles,
    u.opens_with_cf, u.readlist_requests, u.queue_cf_us, u.queue_mq_et_us
  FROM queue_use AS u
  JOIN placed AS p ON p.record_id = u.task_record_id
),
queue_work AS (
  SELECT
    lpar, qmgr, interval_start_utc, interval_end_utc, page_set_id, pool_id, cf_structure, queue_group, application_group,
    any_value(channel_name) AS channel_name,
    (sum(puts::DOUBLE * pages) FILTER (page_set_id IS NOT NULL))::DOUBLE AS "pages put",
    (sum(get_page_set_reads) FILTER (page_set_id IS NOT NULL))::DOUBLE AS "pages read",
    (sum(kept::DOUBLE * pages) FILTER (page_set_id IS NOT NULL))::DOUBLE AS "pages put minus got",
    (sum(put_bytes - get_bytes) FILTER (cf_structure IS NOT NULL))::DOUBLE AS "bytes put minus got",
    sum(valid_puts)::DOUBLE AS "messages put",
    sum(kept)::DOUBLE AS "messages put minus got",
    sum(gets_without_message)::DOUBLE AS "gets without a message",
    sum(opens)::DOUBLE AS "opens",
    sum(queue_cf_us)::DOUBLE AS "CF time",
    sum(readlist_requests)::DOUBLE AS "CF lists read",
    sum(opens_with_cf)::DOUBLE AS "CF opens",
    sum(open_handles)::DOUBLE AS "open handles"
  FROM block
  GROUP BY lpar, qmgr, interval_start_utc, interval_end_utc, page_set_id, pool_id, cf_structure, queue_group, application_group
),
task_work AS (
  SELECT
    lpar, qmgr, interval_start_utc, interval_end_utc, application_group,
    any_value(channel_name) AS channel_name,
    sum(task_log_bytes)::DOUBLE AS "log bytes",
    sum(task_log_force_us)::DOUBLE AS "log waits",
    -- A force ends a write; one write holds at most 128 pages of 4 KB.
    sum(task_log_forces + coalesce(f.queue_log_forces, 0) + task_log_bytes / 524288)::DOUBLE AS "log writes",
    sum(rollback_et_us)::DOUBLE AS "backout time",
    sum(db2_calls)::DOUBLE AS "Db2 requests",
    sum(db2_thread_us)::DOUBLE AS "Db2 time",
    sum(db2_bytes_written)::DOUBLE AS "Db2 bytes",
    count(DISTINCT task_correlator)::DOUBLE AS "connections"
  FROM placed AS p
  LEFT JOIN (SELECT task_record_id, sum(queue_log_forces) AS queue_log_forces FROM block GROUP BY task_record_id) AS f
    ON f.task_record_id = p.record_id
  GROUP BY lpar, qmgr, interval_start_utc, interval_end_utc, application_group
),
adapter_work AS (
  SELECT
    lpar, qmgr, interval_start_utc, interval_end_utc, application_group,
    any_value(channel_name) AS channel_name,
    sum(et_us)::DOUBLE AS "adapter time"
  FROM (
    SELECT lpar, qmgr, interval_start_utc, interval_end_utc, application_group, channel_name, queue_mq_et_us AS et_us
    FROM block
    WHERE connection_type_code = 6
    UNION ALL
    SELECT lpar, qmgr, interval_start_utc, interval_end_utc, application_group, channel_name, other_verbs_et_us
    FROM placed
    WHERE connection_type_code = 6
  )
  GROUP BY lpar, qmgr, interval_start_utc, interval_end_utc, application_group
),
structure_work AS (
  SELECT
    p.lpar, p.qmgr, p.interval_start_utc, p.interval_end_utc, b.cf_structure, p.application_group,
    any_value(p.channel_name) AS channel_name,
    sum(p.smds_pages)::DOUBLE AS "SMDS pages",
    sum(p.smds_wait_us)::DOUBLE AS "SMDS waits",
    sum(p.redrives)::DOUBLE AS "CF redrives"
  FROM placed AS p
  JOIN (SELECT DISTINCT task_record_id, cf_structure FROM block WHERE cf_structure IS NOT NULL) AS b
    ON b.task_record_id = p.record_id
  WHERE p.smds_pages > 0 OR p.smds_wait_us > 0 OR p.redrives > 0
  GROUP BY p.lpar, p.qmgr, p.interval_start_utc, p.interval_end_utc, b.cf_structure, p.application_group
),
latch_work AS (
  SELECT
    p.lpar, p.qmgr, p.interval_start_utc, p.interval_end_utc, l.latch_class, p.application_group,
    any_value(p.channel_name) AS channel_name,
    sum(l.latch_class_wait_us)::DOUBLE AS "latch time"
  FROM decoded.wtas_latch AS l
  JOIN placed AS p ON p.record_id = l.record_id
  -- No wait can be longer than the accounting interval of its task.
  WHERE l.latch_class_waits > 0 AND l.latch_class_wait_us <= l.latch_class_waits::DOUBLE * p.task_us
  GROUP BY p.lpar, p.qmgr, p.interval_start_utc, p.interval_end_utc, l.latch_class, p.application_group
),
channel_work AS (
  SELECT
    lpar, qmgr, interval_start_utc, interval_end_utc, dispatcher_number, channel_name,
    sum(channel_messages)::DOUBLE AS "channel calls",
    sum(bytes_sent + bytes_received) FILTER (compression_rate_pct > 0)::DOUBLE AS "compressed bytes",
    sum(
      150 * channel_messages + CASE WHEN started_in_interval THEN 755 ELSE 0 END + 0.0007 * (bytes_sent + bytes_received)
    )::DOUBLE AS "channel time",
    count(*)::DOUBLE AS "channels",
    sum(greatest(1, coalesce(shared_conversations, 1)))::DOUBLE AS "conversations",
    count(*) FILTER (uses_tls AND started_in_interval)::DOUBLE AS "TLS starts",
    max(dns_resolution_time)::DOUBLE AS "DNS time"
  FROM channel
  GROUP BY lpar, qmgr, interval_start_utc, interval_end_utc, dispatcher_number, channel_name
),
held AS (
  SELECT
    lpar, qmgr, interval_start_utc, interval_end_utc, page_set_id, pool_id, cf_structure,
    regexp_replace(queue, '[0-9A-F]{16}$', '*') AS queue_group,
    CASE WHEN cf_structure IS NULL THEN 'pages held' ELSE 'bytes held' END AS work_measure,
    sum(held)::DOUBLE AS work_value, sum(held_before)::DOUBLE AS work_before
  FROM queue_held
  GROUP BY ALL
)
SELECT
  lpar, qmgr, interval_start_utc, interval_end_utc, page_set_id, pool_id, cf_structure, latch_class, dispatcher_number,
  queue_group, application_group, channel_name, work_measure, work_value, work_before
FROM (
  SELECT * FROM (
    UNPIVOT queue_work
    ON "pages put", "pages read", "pages put minus got", "bytes put minus got", "messages put", "messages put minus got",
      "gets without a message", "opens", "CF time", "CF lists read", "CF opens", "open handles"
    INTO NAME work_measure VALUE work_value
  )
  UNION ALL BY NAME
  SELECT * FROM (
    UNPIVOT task_work
    ON "log bytes", "log waits", "log writes", "backout time", "Db2 requests", "Db2 time", "Db2 bytes", "connections"
    INTO NAME work_measure VALUE work_value
  )
  UNION ALL BY NAME
  SELECT * FROM (UNPIVOT adapter_work ON "adapter time" INTO NAME work_measure VALUE work_value)
  UNION ALL BY NAME
  SELECT * FROM (UNPIVOT structure_work ON "SMDS pages", "SMDS waits", "CF redrives" INTO NAME work_measure VALUE work_value)
  UNION ALL BY NAME
  SELECT * FROM (UNPIVOT latch_work ON "latch time" INTO NAME work_measure VALUE work_value)
  UNION ALL BY NAME
  SELECT * FROM (
    UNPIVOT channel_work
    ON "channel calls", "channel time", "compressed bytes", "channels", "conversations", "TLS starts", "DNS time"
    INTO NAME work_measure VALUE work_value
  )
  UNION ALL BY NAME
  SELECT * FROM held
)
WHERE work_value > 0 OR work_measure LIKE '% minus got'
