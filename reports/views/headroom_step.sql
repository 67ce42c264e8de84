/*---
id      = "headroom_step"
title   = "Highest use of every limit by day or week"
grain   = "one row per lpar, qmgr, limit, subject, side of the last restart and step"
needs   = ["headroom_use", "headroom_limit", "interval_cut", "queue_manager_move"]
classes = ["115.1", "115.2", "115.7", "115.201", "115.215", "115.231"]
keep    = true                           # expensive, and read more than once
note    = "Helper of view headroom. A step is a local day, for rates seven local days counted back from the last one; limits without a trend have one step. Structures have the maximum over the members of the queue-sharing group."

[columns]
step_number = { unit = "number", doc = "Number of the step, one higher for each step of the trend.", over = "same" }
in_trend = { unit = "flag", doc = "The step belongs to the trend: it is not before the restart at which the trend begins." }
step_seconds = { over = "add", unit = "s", doc = "Length of the intervals of the step." }
complete_step = { unit = "flag", doc = "The intervals of the step cover at least 90 % of what they usually cover." }
step_used_high = { unit = "number", doc = "Highest use in the step.", over = "max" }
step_high_at_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the first interval with that use." }
step_first_start_local = { unit = "ts_local", kind = "clock", doc = "Start of the first interval of the step." }
step_last_end_local = { unit = "ts_local", kind = "clock", doc = "End of the last interval of the step." }
step_events = { unit = "count", doc = "Number of times the limit was reached, if the records count this.", over = "add" }
step_reached_at_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the first interval in which the limit was reached." }
step_last = { unit = "text", doc = "Use, limit, source and note of the last interval of the step, together." }
---*/
WITH
-- The trend follows a queue manager that moved: its rows have its last LPAR. A move is a restart.
moved AS (
  SELECT qmgr, arg_max(lpar, interval_start_utc) AS lpar, max(interval_start_utc) AS moved_utc
  FROM queue_manager_move
  WHERE NOT at_once
  GROUP BY qmgr
),
last_day AS (
  SELECT
    coalesce(m.lpar, i.lpar) AS lpar, i.qmgr,
    greatest(max(i.interval_start_utc) FILTER (i.restart_seen), max(m.moved_utc)) AS last_restart_utc,
    max(date_diff('day', DATE '1970-01-01', coalesce(i.interval_start_local, i.interval_start_utc)::DATE)) AS day_number
  FROM interval_cut AS i
  LEFT JOIN moved AS m ON m.qmgr = i.qmgr
  GROUP BY ALL
),
numbered AS (
  SELECT
    u.* REPLACE (coalesce(m.lpar, u.lpar) AS lpar),
    coalesce(u.interval_start_local, u.interval_start_utc) AS start_local,
    NOT l.cut_at_restart OR r.last_restart_utc IS NULL OR u.interval_start_utc >= r.last_restart_utc AS in_trend,
    CASE
      WHEN l.trend_step_days = 1 THEN date_diff('day', DATE '1970-01-01', coalesce(u.interval_start_local, u.interval_start_utc)::DATE)
      WHEN l.trend_step_days > 1 THEN
        0 - (r.day_number - date_diff('day', DATE '1970-01-01', coalesce(u.interval_start_local, u.interval_start_utc)::DATE)) // l.trend_step_days
      ELSE 0
    END AS step_number
  FROM headroom_use AS u
  JOIN headroom_limit AS l ON l.limit_number = u.limit_number
  LEFT JOIN moved AS m ON m.qmgr = u.qmgr
  LEFT JOIN last_day AS r ON r.lpar = coalesce(m.lpar, u.lpar) AND r.qmgr = u.qmgr
),
step AS (
  SELECT
    lpar, qmgr, limit_number, limit_subject, in_trend, step_number,
    max(limit_owner)                                          AS limit_owner,
    sum(interval_seconds)                                     AS seconds,
    max(used_value)                                           AS used_high,
    arg_max(interval_start_utc, (used_value, -epoch_us(interval_start_utc))) FILTER (used_value IS NOT NULL) AS high_at_utc,
    min(start_local)                                          AS step_first_start_local,
    max(start_local + to_microseconds((interval_seconds * 1e6)::BIGINT)) AS step_last_end_local,
    sum(limit_events)::BIGINT                                 AS step_events,
    min(interval_start_utc) FILTER (limit_events > 0 OR used_value >= limit_value) AS step_reached_at_utc,
    max({
      'at': interval_start_utc, 'used': used_value, 'limit': limit_value, 'ends': limit_ends_service, 'source': limit_source, 'note': limit_note
    })                                                        AS step_last
  FROM numbered
  GROUP BY lpar, qmgr, limit_number, limit_subject, in_trend, step_number
)
SELECT
  lpar, qmgr, limit_number, limit_subject, step_number, in_trend,
  seconds AS step_seconds,
  seconds >= 0.9 * median(seconds) OVER (PARTITION BY lpar, qmgr, limit_number, limit_subject) AS complete_step,
  max(used_high) OVER members                                 AS step_used_high,
  high_at_utc                                                 AS step_high_at_utc,
  step_first_start_local, step_last_end_local, step_events, step_reached_at_utc, step_last
FROM step
WINDOW members AS (PARTITION BY coalesce(limit_owner, lpar || ' ' || qmgr), limit_number, limit_subject, in_trend, step_number)
