/*---
id      = "use_value"
title   = "Figures from accounting, one per row"
grain   = "one row per lpar, qmgr, application, queue or channel, hour and figure"
needs   = ["application_use", "queue_hour", "channel", "interval_cut"]
keep    = false                          # many rows that are read only once
note    = "Sums per hour; if statistics cover only part of an hour, extrapolated to the whole hour. Hours in which the subject did nothing have no row."

[columns]
use_class = { unit = "text", doc = "Source of the figure: tasks or channels." }
subject = { unit = "text", doc = "Subject of the figure: a pool, page set, structure, application, queue or channel; empty for the queue manager itself." }
figure_number = { unit = "id", doc = "Number of the figure in view figure_kind." }
measured_value = { unit = "number", doc = "Value of the figure.", over = "none", why = "Each row is another figure." }
---*/
WITH
covered AS (
  SELECT
    lpar, qmgr, date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc) AS hour_start_utc,
    least(1, greatest(1 / 60, sum(interval_seconds) / 3600)) AS part
  FROM interval_cut
  WHERE interval_start_local IS NOT NULL
  GROUP BY lpar, qmgr, date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc)
),
found AS (
  SELECT
    lpar, qmgr, 'tasks' AS use_class, 'application ' || application AS subject, hour_start_utc, hour_local, unnest(range(61, 65)) AS figure_number,
    unnest([task_log_bytes::DOUBLE, task_messages, mq_cpu_us, commits]) AS measured_value
  FROM application_use
  WHERE application IS NOT NULL
  UNION ALL
  SELECT
    lpar, qmgr, 'tasks', 'queue ' || base_name, hour_start_utc, hour_local, unnest(range(66, 69)),
    unnest([valid_puts::DOUBLE, valid_gets, put_bytes])
  FROM queue_hour
  UNION ALL
  SELECT
    lpar, qmgr, 'channels', 'channel ' || channel_name, date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc),
    date_trunc('hour', interval_start_local), unnest(range(71, 73)), unnest([channel_messages::DOUBLE, bytes_sent + bytes_received])
  FROM channel
  WHERE channel_name IS NOT NULL
)
SELECT
  f.lpar, f.qmgr, f.use_class, f.subject, f.figure_number, f.hour_start_utc, min(f.hour_local) AS hour_local,
  sum(f.measured_value) / coalesce(max(c.part), 1) AS measured_value
FROM found AS f
LEFT JOIN covered AS c ON c.lpar = f.lpar AND c.qmgr = f.qmgr AND c.hour_start_utc = f.hour_start_utc
WHERE f.hour_start_utc IS NOT NULL AND f.measured_value IS NOT NULL
GROUP BY f.lpar, f.qmgr, f.use_class, f.subject, f.figure_number, f.hour_start_utc
