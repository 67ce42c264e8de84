/*---
id      = "coverage_member_hour"
title   = "Statistics of the members of queue-sharing groups by hour"
grain   = "one row per queue-sharing group, queue manager and hour in which a member of the group has statistics; one without an hour for each queue manager of no group"
needs   = ["interval_cut", "queue_sharing_group", "group_member"]
note    = "Before 10.0.0 only channel initiator and queue statistics contain the group. Queue managers that the site expects but that never report have no lpar."

[columns]
hour_utc = { unit = "ts_utc", kind = "clock", doc = "The hour." }
covered_seconds = { unit = "s", doc = "Time of the hour that the member's statistics intervals cover.", over = "add" }
group_covered_seconds = { unit = "s", doc = "Time of the hour that the intervals of the best-covered member cover.", over = "same" }
members_in_qsg = { unit = "count", doc = "Members of the group, including those that the site expects and that never report.", over = "same" }
members_reporting = { unit = "count", doc = "Members of the group with statistics in the hour.", over = "add" }
---*/
WITH
piece AS (
  -- Intervals of more than a day are damage, and would add a row for every hour.
  SELECT
    qmgr, lpar, interval_start_utc, interval_end_utc,
    unnest(generate_series(date_trunc('hour', interval_start_utc), date_trunc('hour', interval_end_utc - to_microseconds(1)), to_hours(1))) AS hour_utc
  FROM interval_cut
  WHERE interval_us BETWEEN 1 AND 86400000000
),
covered AS (
  -- A member that moves to another system is the same member.
  SELECT
    g.qsg, p.qmgr, p.hour_utc,
    sum(epoch_us(least(p.interval_end_utc, p.hour_utc + to_hours(1)) - greatest(p.interval_start_utc, p.hour_utc))) / 1e6 AS covered_seconds
  FROM piece AS p
  JOIN queue_sharing_group AS g ON g.lpar = p.lpar AND g.qmgr = p.qmgr
  GROUP BY ALL
),
group_hour AS (
  SELECT qsg, hour_utc, max(covered_seconds) AS group_covered_seconds, count(*) AS members_reporting
  FROM covered
  GROUP BY qsg, hour_utc
),
counted AS (
  SELECT *, count(*) OVER (PARTITION BY qsg) AS members_in_qsg
  FROM group_member
)
SELECT
  m.lpar, m.qmgr, m.qsg, h.hour_utc,
  coalesce(c.covered_seconds, 0) AS covered_seconds,
  h.group_covered_seconds, m.members_in_qsg, h.members_reporting
FROM counted AS m
JOIN group_hour AS h ON h.qsg IS NOT DISTINCT FROM m.qsg
LEFT JOIN covered AS c ON c.qsg IS NOT DISTINCT FROM m.qsg AND c.qmgr = m.qmgr AND c.hour_utc = h.hour_utc
WHERE m.qsg IS NOT NULL OR m.lpar IS NULL
UNION ALL
SELECT lpar, qmgr, qsg, NULL, NULL, NULL, NULL, NULL
FROM queue_sharing_group
WHERE qsg IS NULL
