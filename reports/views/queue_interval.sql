/*---
id      = "queue_interval"
title   = "Queues that held messages or changed handles, interval by interval"
grain   = "one row per lpar, qmgr, interval and queue"
needs   = ["queue_statistics"]
classes = ["115.216"]
keep    = true                           # several rules read it
note    = "Partial records are excluded, and so are queues that were empty, had the same handles and, if shared, redrove no get in all intervals. The figures of a group are those of the members whose interval covers the middle of this one, for a private queue those of its queue manager. Depth, handles and age are values at the end of the interval."

[columns]
lpar = {}
qmgr = {}
record_id = {}
interval_start_utc = {}
interval_end_utc = {}
interval_seconds = {}
startup_interval = {}
suspect_first = {}
queue = { unit = "text", kind = "key", doc = "Queue name." }
queue_kind = { unit = "text", doc = "Purpose of the queue, from its name and the site file." }
retained_queue = { unit = "flag", doc = "The queue keeps messages on purpose, by the site file." }
shared_queue = { unit = "flag", kind = "code", doc = "The queue is shared." }
group_reporter = { unit = "flag", doc = "The row has the figures of its group: every row of a private queue, and of a shared queue those of the first member by name." }
members_seen = { unit = "count", doc = "Members that reported the queue for this time; 1 for a private queue." }
members_waiting = { unit = "count", doc = "Members that had the queue open for input in the interval; null before 9.3.1." }
depth = { unit = "count", kind = "gauge", doc = "Depth at the end of the interval." }
previous_depth = { unit = "count", doc = "Depth at the end of the previous record of the queue." }
depth_high = { unit = "count", kind = "high", doc = "Highest depth in the interval; before 9.3.3 the depth at its end." }
lowest_depth = { unit = "count", doc = "Lowest depth in the interval; before 9.3.3 the depth at its end." }
maxdepth = { unit = "count", kind = "setting", doc = "MAXDEPTH of the queue, by the site file." }
max_depth_pct = { unit = "percent", doc = "Highest depth as a share of MAXDEPTH." }
oldest_message_s = { unit = "s", kind = "gauge", doc = "Age of the oldest message." }
seconds_since_last_get = { unit = "s", doc = "Time from the last get on any member to the end of the interval; null if no get is recorded." }
group_puts = { unit = "count", doc = "Messages put by all members; null before 9.3.3." }
group_gets = { unit = "count", doc = "Messages got destructively by all members; null before 9.3.3." }
group_input_handles = { unit = "count", doc = "Most input handles in the interval, summed over the members; before 9.3.3 those at its end." }
group_redrives = { unit = "count", doc = "Redrives of waiting gets on all members." }
failed_redrives = { unit = "count", doc = "Redrives of waiting gets that found no message: those of all members minus the messages got." }
failed_redrives_per_get = { unit = "ratio", doc = "Redrives that found no message, per message got." }
uncommitted = { unit = "flag", kind = "gauge", doc = "The queue had uncommitted changes at the end of the interval." }
still_minutes = { unit = "min", doc = "Length of the run of intervals that this one belongs to in which the queue had uncommitted changes and no member put or got a message; null outside of such a run." }
handles = { unit = "count", doc = "Input and output handles at the end of the interval." }
previous_handles = { unit = "count", doc = "The same in the previous record of the queue." }
handles_added = { unit = "count", doc = "Handles added in the run of rising intervals that this one belongs to." }
handles_top = { unit = "count", doc = "Handles at the end of that run." }
handles_released = { unit = "count", doc = "Handles of the end of that run that were closed again by the end of the period; 0 or less if all are still open." }
opens = { unit = "count", kind = "counter", doc = "MQOPEN calls." }
closes = { unit = "count", kind = "counter", doc = "MQCLOSE calls." }
streamed_messages = { unit = "count", kind = "counter", doc = "Messages put to the streaming queue." }
---*/
WITH
busy AS (
  -- Most queues are always empty: windows over them would take most of the time.
  SELECT coalesce(CASE WHEN shared_queue THEN coalesce(qsg, queue_qsg) END, lpar || ' ' || qmgr) AS owner, queue
  FROM queue_statistics
  WHERE NOT coalesce(partial_record, false)
  GROUP BY owner, queue
  HAVING max(greatest(depth, depth_high)) > 0 OR bool_or(uncommitted) OR (bool_or(shared_queue) AND max(get_wait_redrives) > 0)
    OR max(input_handles + output_handles) > min(input_handles + output_handles)
),
reported AS (
  SELECT
    coalesce(CASE WHEN q.shared_queue THEN coalesce(q.qsg, q.queue_qsg) END, q.lpar || ' ' || q.qmgr) AS owner,
    q.lpar, q.qmgr, q.record_id, q.interval_start_utc, q.interval_end_utc, q.interval_seconds, q.startup_interval, q.suspect_first,
    q.queue, q.queue_kind, q.retained_queue, q.maxdepth, coalesce(q.shared_queue, false) AS shared_queue,
    q.depth, q.oldest_message_s, q.last_get_utc, q.messages_put, q.destructive_gets, q.get_wait_redrives, q.uncommitted,
    q.opens, q.closes, q.streamed_messages,
    coalesce(q.depth_high, q.depth)                AS depth_high,
    coalesce(q.depth_low, q.depth)                 AS lowest_depth,
    coalesce(q.input_handles_high, q.input_handles) AS most_input_handles,
    q.input_handles + q.output_handles             AS handles
  FROM queue_statistics AS q
  WHERE NOT coalesce(q.partial_record, false)
),
chosen AS (
  SELECT q.* FROM reported AS q SEMI JOIN busy AS b ON b.owner = q.owner AND b.queue = q.queue
),
member AS (
  SELECT owner, queue, lpar, qmgr, min({'lpar': lpar, 'qmgr': qmgr}) OVER (PARTITION BY owner, queue) AS first_member
  FROM (SELECT DISTINCT owner, queue, lpar, qmgr FROM chosen WHERE shared_queue)
),
asked AS (
  SELECT
    q.record_id, q.queue, m.lpar, m.qmgr, q.interval_start_utc + to_microseconds((q.interval_seconds * 500000)::BIGINT) AS middle
  FROM chosen AS q
  JOIN member AS m ON m.owner = q.owner AND m.queue = q.queue
  WHERE q.shared_queue
),
answered AS (
  SELECT a.record_id, a.queue, c.* EXCLUDE (record_id, queue), c.interval_end_utc > a.middle AS covers
  FROM asked AS a
  ASOF JOIN chosen AS c ON c.lpar = a.lpar AND c.qmgr = a.qmgr AND c.queue = a.queue AND c.interval_start_utc <= a.middle
),
together AS (
  SELECT
    record_id, queue,
    count(*)                                      AS members_seen,
    sum((most_input_handles > 0)::INTEGER)::BIGINT AS members_waiting,
    sum(messages_put)::BIGINT                     AS group_puts,
    sum(destructive_gets)::BIGINT                 AS group_gets,
    sum(most_input_handles)::BIGINT               AS group_input_handles,
    sum(get_wait_redrives)::BIGINT                AS group_redrives,
    max(last_get_utc)                             AS last_get_utc
  FROM answered
  WHERE covers
  GROUP BY record_id, queue
),
joined AS (
  SELECT
    q.* EXCLUDE (last_get_utc),
    NOT q.shared_queue OR {'lpar': q.lpar, 'qmgr': q.qmgr} = m.first_member AS group_reporter,
    coalesce(t.members_seen, 1)                       AS members_seen,
    coalesce(t.members_waiting, (q.most_input_handles > 0)::BIGINT) AS members_waiting,
    coalesce(t.group_puts, q.messages_put)            AS group_puts,
    coalesce(t.group_gets, q.destructive_gets)        AS group_gets,
    coalesce(t.group_input_handles, q.most_input_handles) AS group_input_handles,
    coalesce(t.group_redrives, q.get_wait_redrives)   AS group_redrives,
    coalesce(t.last_get_utc, q.last_get_utc)          AS last_get_utc
  FROM chosen AS q
  LEFT JOIN member AS m ON m.owner = q.owner AND m.queue = q.queue AND m.lpar = q.lpar AND m.qmgr = q.qmgr AND q.shared_queue
  LEFT JOIN together AS t ON t.record_id = q.record_id AND t.queue = q.queue
),
compared AS (
  SELECT
    *,
    lag(depth) OVER earlier         AS previous_depth,
    lag(handles) OVER earlier       AS previous_handles,
    coalesce(uncommitted AND group_puts + group_gets = 0, false) AS still
  FROM joined
  WINDOW earlier AS (PARTITION BY lpar, qmgr, queue ORDER BY interval_start_utc, record_id)
),
numbered AS (
  SELECT
    *,
    count(*) FILTER (coalesce(handles <= previous_handles, true)) OVER earlier AS rise,
    count(*) FILTER (NOT still) OVER earlier                                   AS stop
  FROM compared
  WINDOW earlier AS (PARTITION BY lpar, qmgr, queue ORDER BY interval_start_utc, record_id ROWS UNBOUNDED PRECEDING)
)
SELECT
  lpar, qmgr, record_id, interval_start_utc, interval_end_utc, interval_seconds, startup_interval, suspect_first,
  queue, queue_kind, retained_queue, shared_queue, group_reporter, members_seen, members_waiting,
  depth, previous_depth, depth_high, lowest_depth, maxdepth,
  100 * depth_high / nullif(maxdepth, 0)                        AS max_depth_pct,
  oldest_message_s,
  epoch_us(interval_end_utc - last_get_utc) / 1e6               AS seconds_since_last_get,
  group_puts, group_gets, group_input_handles, group_redrives,
  greatest(0, group_redrives - group_gets)                      AS failed_redrives,
  greatest(0, group_redrives - group_gets) / nullif(group_gets, 0) AS failed_redrives_per_get,
  uncommitted,
  CASE WHEN still THEN round(sum(interval_seconds) FILTER (still) OVER (PARTITION BY lpar, qmgr, queue, stop) / 60, 1) END AS still_minutes,
  handles, previous_handles,
  max(handles) OVER (PARTITION BY lpar, qmgr, queue, rise) - min(handles) OVER (PARTITION BY lpar, qmgr, queue, rise) AS handles_added,
  max(handles) OVER (PARTITION BY lpar, qmgr, queue, rise)     AS handles_top,
  max(handles) OVER (PARTITION BY lpar, qmgr, queue, rise) - last_value(handles) OVER (
    PARTITION BY lpar, qmgr, queue ORDER BY interval_start_utc, record_id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
  )                                                             AS handles_released,
  opens, closes, streamed_messages
FROM numbered
