/*---
id      = "queue_interval"
title   = "Queues that held messages or changed handles, interval by interval"
grain   = "one row per lpar, qmgr, interval and queue"
needs   = ["queue_statistics", "queue_sharing_group", "group_member", "decoded.qqst"]
classes = ["115.216"]
keep    = true                           # several rules read it
note    = "Partial records are excluded, and so are queues that were empty, had the same handles and, if shared, redrove no get in all intervals. The figures of a group are those of the members whose interval covers the middle of this one, for a private queue those of its queue manager. Depth, handles and age are values at the end of the interval."

[columns]
queue = { label = "", screen = 0 }
shared_queue = { label = "", screen = 0 }
group_reporter = { unit = "flag", doc = "The row has the figures of its group: every row of a private queue, and of a shared queue those of the first member by name." }
members_missing = { unit = "count", doc = "Members of the group, in the data or expected by the site file, without queue statistics for this time; 0 for a private queue.", over = "max" }
no_reader_text = { unit = "text", doc = "What is known if group_input_handles is 0: nothing had it open, or no member in the data, with their number and that of the group." }
members_waiting = { unit = "count", doc = "Members that had the queue open for input in the interval; null before 9.3.1.", over = "max" }
depth = { doc = "Depth at the end of the interval.", label = "", screen = 0 }
previous_depth = { unit = "count", doc = "Depth at the end of the previous record of the queue.", over_time = "last", across = "same" }
depth_high = { doc = "Highest depth in the interval; before 9.3.3 the depth at its end." }
lowest_depth = { unit = "count", doc = "Lowest depth in the interval; before 9.3.3 the depth at its end.", over = "min" }
max_depth_pct = { unit = "percent", doc = "Highest depth as a share of MAXDEPTH.", over = "max" }
oldest_message_s = { from = "queue_statistics" }
seconds_since_last_get = { doc = "Time from the last get on any member to the end of the interval; null if no get is recorded." }
group_puts = { unit = "count", doc = "Messages put by all members; null before 9.3.3.", over = "add" }
group_gets = { unit = "count", doc = "Messages got destructively by all members; null before 9.3.3.", over = "add" }
group_input_handles = { unit = "count", doc = "Most input handles in the interval, summed over the members in the data; before 9.3.3 those at its end.", over_time = "last", across = "add" }
group_handles_last = { unit = "count", doc = "Input handles at the end of the interval, summed over the members; null before 9.3.1, and instead of 0 while a member is missing.", over_time = "last", across = "add" }
group_redrives = { unit = "count", doc = "Redrives of waiting gets on all members.", over = "add" }
failed_redrives = { unit = "count", doc = "Redrives of waiting gets that found no message: those of all members minus the messages got.", over = "add" }
failed_redrives_per_get = { unit = "ratio", doc = "Redrives that found no message, per message got.", ratio = { numerator = "failed_redrives", denominator = "group_gets" } }
still_minutes = { unit = "min", doc = "Length of the run of intervals that this one belongs to in which the queue had uncommitted changes and no member put or got a message; null outside of such a run.", over = "max" }
handles = { unit = "count", doc = "Input and output handles at the end of the interval.", over_time = "last", across = "add" }
previous_handles = { unit = "count", doc = "The same in the previous record of the queue.", over_time = "last", across = "same" }
handles_added = { unit = "count", doc = "Handles added in the run of rising intervals that this one belongs to.", over = "max" }
handles_top = { unit = "count", doc = "Handles at the end of that run.", over = "max" }
handles_released = { unit = "count", doc = "Handles of the end of that run that were closed again by the end of the period; 0 or less if all are still open.", over = "max" }
---*/
WITH
counted AS (
  SELECT
    lpar, qmgr, queue, queue_qsg, coalesce(shared_queue, false) AS shared_queue,
    max(greatest(depth, depth_high)) AS most_messages, bool_or(uncommitted) AS any_uncommitted, max(get_wait_redrives) AS most_redrives,
    min(input_handles + output_handles) AS fewest_handles, max(input_handles + output_handles) AS most_handles
  FROM decoded.qqst
  WHERE NOT depth_unknown(partial_record, shared_queue, mq_version)
  GROUP BY lpar, qmgr, queue, queue_qsg, coalesce(shared_queue, false)
),
owned AS (
  SELECT
    c.*, coalesce(CASE WHEN c.shared_queue THEN coalesce(g.qsg, c.queue_qsg) END, c.lpar || ' ' || c.qmgr) AS owner
  FROM counted AS c
  LEFT JOIN queue_sharing_group AS g ON g.lpar = c.lpar AND g.qmgr = c.qmgr
),
busy AS (
  -- Most queues are always empty: windows over them would take most of the time.
  SELECT owner, queue, min({'lpar': lpar, 'qmgr': qmgr}) FILTER (shared_queue) AS first_member, row_number() OVER () AS owned_queue
  FROM owned
  GROUP BY owner, queue
  HAVING max(most_messages) > 0 OR bool_or(any_uncommitted) OR (bool_or(shared_queue) AND max(most_redrives) > 0)
    OR max(most_handles) > min(fewest_handles)
),
series AS (
  -- Numbers are faster to join and sort by than names.
  SELECT lpar, qmgr, queue, row_number() OVER () AS series FROM (SELECT DISTINCT lpar, qmgr, queue FROM owned)
),
known AS (
  SELECT DISTINCT o.owner, o.queue, o.lpar, o.qmgr, o.shared_queue, b.first_member, b.owned_queue, s.series
  FROM owned AS o
  JOIN busy AS b ON b.owner = o.owner AND b.queue = o.queue
  JOIN series AS s ON s.lpar IS NOT DISTINCT FROM o.lpar AND s.qmgr IS NOT DISTINCT FROM o.qmgr AND s.queue = o.queue
),
reported AS (
  SELECT
    coalesce(CASE WHEN q.shared_queue THEN coalesce(q.qsg, q.queue_qsg) END, q.lpar || ' ' || q.qmgr) AS owner,
    q.lpar, q.qmgr, q.record_id, q.interval_start_utc, q.interval_end_utc, q.interval_seconds, q.fragment, q.startup_interval, q.suspect_first,
    q.queue, q.queue_kind, q.retained_queue, q.maxdepth, coalesce(q.shared_queue, false) AS shared_queue,
    q.depth, q.oldest_message_s, q.last_get_utc, q.messages_put, q.destructive_gets, q.get_wait_redrives, q.uncommitted,
    q.opens, q.closes, q.streamed_messages,
    coalesce(q.depth_high, q.depth)                AS depth_high,
    coalesce(q.depth_low, q.depth)                 AS lowest_depth,
    coalesce(q.input_handles_high, q.input_handles) AS most_input_handles,
    q.input_handles                                AS last_input_handles,
    q.input_handles + q.output_handles             AS handles
  FROM queue_statistics AS q
  WHERE NOT q.depth_unknown
),
chosen AS MATERIALIZED (
  SELECT
    q.* EXCLUDE (owner), k.series, k.owned_queue, row_number() OVER () AS number,
    NOT q.shared_queue OR {'lpar': q.lpar, 'qmgr': q.qmgr} = k.first_member AS group_reporter
  FROM reported AS q
  JOIN known AS k
    ON k.owner = q.owner AND k.queue = q.queue AND k.lpar IS NOT DISTINCT FROM q.lpar AND k.qmgr IS NOT DISTINCT FROM q.qmgr
    AND k.shared_queue = q.shared_queue
),
member AS (
  SELECT DISTINCT owned_queue, series FROM known WHERE shared_queue
),
asked AS (
  SELECT q.number, m.series, q.interval_start_utc + to_microseconds((q.interval_seconds * 500000)::BIGINT) AS middle
  FROM chosen AS q
  JOIN member AS m ON m.owned_queue = q.owned_queue
  WHERE q.shared_queue
),
answered AS (
  SELECT a.number, c.* EXCLUDE (number), c.interval_end_utc > a.middle AS covers
  FROM asked AS a
  ASOF JOIN (SELECT * FROM chosen WHERE series IN (SELECT series FROM member)) AS c
    ON c.series = a.series AND c.interval_start_utc <= a.middle
),
together AS (
  SELECT
    number,
    sum((most_input_handles > 0)::INTEGER)::BIGINT AS members_waiting,
    sum(messages_put)::BIGINT                     AS group_puts,
    sum(destructive_gets)::BIGINT                 AS group_gets,
    sum(most_input_handles)::BIGINT               AS group_input_handles,
    sum(last_input_handles)::BIGINT               AS group_handles_last,
    sum(get_wait_redrives)::BIGINT                AS group_redrives,
    max(last_get_utc)                             AS last_get_utc
  FROM answered
  WHERE covers
  GROUP BY number
),
counted_member AS (
  -- A member without queue statistics for this time may have had any shared queue open.
  SELECT
    a.owner, a.interval_start_utc, a.interval_seconds,
    count(*)                                          AS members,
    count(*) FILTER (r.interval_end_utc > a.middle)   AS reporting,
    bool_or(a.members_stated)                         AS stated
  FROM (
    SELECT DISTINCT
      b.owner, q.interval_start_utc, q.interval_seconds, m.qmgr, m.members_stated,
      q.interval_start_utc + to_microseconds((q.interval_seconds * 500000)::BIGINT) AS middle
    FROM chosen AS q
    JOIN busy AS b ON b.owned_queue = q.owned_queue
    JOIN group_member AS m ON m.qsg = b.owner
    WHERE q.shared_queue
  ) AS a
  ASOF LEFT JOIN (SELECT DISTINCT qmgr, interval_start_utc, interval_end_utc FROM queue_statistics) AS r
    ON r.qmgr = a.qmgr AND r.interval_start_utc <= a.middle
  GROUP BY a.owner, a.interval_start_utc, a.interval_seconds
),
compared AS (
  SELECT
    number, series, handles,
    lag(depth) OVER earlier           AS previous_depth,
    lag(handles) OVER earlier         AS previous_handles,
    row_number() OVER earlier         AS place,
    lead(number) OVER earlier IS NULL AS is_last
  FROM (SELECT number, series, handles, depth, interval_start_utc, record_id FROM chosen)
  WINDOW earlier AS (PARTITION BY series ORDER BY interval_start_utc, record_id)
),
still AS (
  SELECT
    q.number, q.series, q.interval_seconds,
    p.place - row_number() OVER (PARTITION BY q.series ORDER BY p.place) AS still_run
  FROM chosen AS q
  JOIN compared AS p ON p.number = q.number
  LEFT JOIN together AS t ON t.number = q.number
  WHERE q.uncommitted AND coalesce(t.group_puts, q.messages_put) + coalesce(t.group_gets, q.destructive_gets) = 0
),
unchanged AS (
  SELECT number, round(sum(interval_seconds) OVER (PARTITION BY series, still_run) / 60, 1) AS still_minutes
  FROM still
),
rising AS (
  SELECT
    series, place, handles, previous_handles,
    place - row_number() OVER (PARTITION BY series ORDER BY place) AS rise
  FROM compared
  WHERE handles > previous_handles
),
risen AS (
  -- A run begins with the interval before the first that is higher than its previous one.
  SELECT
    series, unnest(range(min(place) - 1, max(place) + 1)) AS place,
    max(handles) AS handles_top, max(handles) - min(previous_handles) AS handles_added
  FROM rising
  GROUP BY series, rise
),
ended AS (
  SELECT series, handles AS last_handles FROM compared WHERE is_last
)
SELECT
  q.lpar, q.qmgr, q.record_id, q.interval_start_utc, q.interval_end_utc, q.interval_seconds, q.fragment, q.startup_interval, q.suspect_first,
  q.queue, q.queue_kind, q.retained_queue, q.shared_queue, q.group_reporter,
  coalesce(c.members - c.reporting, 0)                          AS members_missing,
  CASE
    WHEN NOT q.shared_queue THEN 'nothing had it open for input'
    WHEN c.stated OR c.reporting < c.members THEN format('no member in the data had it open for input ({:,} of {:,})', c.reporting, c.members)
    ELSE format('no member in the data had it open for input ({:,}; whether the group has others is not known)', coalesce(c.members, 1))
  END                                                           AS no_reader_text,
  coalesce(t.members_waiting, (q.most_input_handles > 0)::BIGINT) AS members_waiting,
  q.depth, p.previous_depth, q.depth_high, q.lowest_depth, q.maxdepth,
  pct(q.depth_high, q.maxdepth)                                 AS max_depth_pct,
  q.oldest_message_s,
  epoch_us(q.interval_end_utc - coalesce(t.last_get_utc, q.last_get_utc)) / 1e6 AS seconds_since_last_get,
  coalesce(t.group_puts, q.messages_put)                        AS group_puts,
  coalesce(t.group_gets, q.destructive_gets)                    AS group_gets,
  coalesce(t.group_input_handles, q.most_input_handles)         AS group_input_handles,
  CASE WHEN c.reporting < c.members THEN nullif(coalesce(t.group_handles_last, q.last_input_handles), 0) ELSE coalesce(t.group_handles_last, q.last_input_handles) END AS group_handles_last,
  coalesce(t.group_redrives, q.get_wait_redrives)               AS group_redrives,
  CASE WHEN coalesce(t.group_redrives, q.get_wait_redrives) + coalesce(t.group_gets, q.destructive_gets) IS NOT NULL
    THEN greatest(0, coalesce(t.group_redrives, q.get_wait_redrives) - coalesce(t.group_gets, q.destructive_gets)) END AS failed_redrives,
  failed_redrives / nullif(coalesce(t.group_gets, q.destructive_gets), 0)     AS failed_redrives_per_get,
  q.uncommitted,
  s.still_minutes,
  q.handles, p.previous_handles,
  coalesce(r.handles_added, q.handles - q.handles)              AS handles_added,
  coalesce(r.handles_top, q.handles)                            AS handles_top,
  coalesce(r.handles_top, q.handles) - e.last_handles           AS handles_released,
  q.opens, q.closes, q.streamed_messages
FROM chosen AS q
JOIN compared AS p ON p.number = q.number
LEFT JOIN busy AS b ON b.owned_queue = q.owned_queue AND q.shared_queue
LEFT JOIN counted_member AS c
  ON c.owner = b.owner AND c.interval_start_utc = q.interval_start_utc AND c.interval_seconds = q.interval_seconds
LEFT JOIN together AS t ON t.number = q.number
LEFT JOIN unchanged AS s ON s.number = q.number
LEFT JOIN risen AS r ON r.series = p.series AND r.place = p.place
LEFT JOIN ended AS e ON e.series = q.series
