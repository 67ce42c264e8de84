/*---
id      = "qmgr"
title   = "Queue managers"
grain   = "one row per lpar and qmgr in the data"
note    = "A queue manager, and a level, is listed if it is in a record that is not next to damaged bytes, or in two undamaged ones that agree."
needs   = ["record_count", "queue_sharing_group", "interval_cut", "decoded.qest_structure", "decoded.q5st"]

[columns]
shared_queue_hint = { unit = "flag", doc = "The coupling facility is used: calls to structures, or active Db2 server tasks." }
mq_versions = { unit = "text", doc = "MQ levels in the data, the lowest first.", label = "level", screen = 2 }
highest_mq_level = { unit = "number", doc = "Highest MQ level as one number VVRRMM (10.0.0 = 100000): levels are compared by it, never as text.", over = "max" }
gmt_offset_minutes = { doc = "Most frequent offset of local time from GMT.", label = "GMT offset min" }
intervals = { unit = "count", doc = "Statistics intervals.", over = "add" }
statistics_hours = { unit = "h", doc = "Time that the statistics intervals cover.", over = "add" }
---*/
WITH
owner AS (
  SELECT lpar, qmgr FROM record_count GROUP BY lpar, qmgr HAVING sum(confirmed_records) > 0 OR sum(undamaged_records) > 1
),
level AS (
  SELECT lpar, qmgr, mq_version
  FROM record_count
  WHERE record_class NOT IN ('115.5', '115.6', '115.7') -- they have no standard header, so their level is that of another record
  GROUP BY lpar, qmgr, mq_version
  HAVING sum(confirmed_records) > 0 OR sum(undamaged_records) > 1
),
counted AS (
  SELECT
    r.lpar, r.qmgr, v.mq_version, CASE WHEN v.mq_version IS NOT NULL THEN r.mq_level END AS mq_level, r.gmt_offset_minutes,
    sum(r.records)::BIGINT     AS records,
    min(r.first_written_local) AS first_written_local,
    max(r.last_written_local)  AS last_written_local
  FROM record_count AS r
  SEMI JOIN owner AS o ON o.lpar = r.lpar AND o.qmgr = r.qmgr
  LEFT JOIN level AS v ON v.lpar = r.lpar AND v.qmgr = r.qmgr AND v.mq_version = r.mq_version
  GROUP BY ALL
),
seen AS (
  SELECT
    lpar, qmgr,
    list_aggregate(list_transform(list_sort(list_distinct(list({'level': mq_level, 'name': mq_version}) FILTER (mq_version IS NOT NULL))), lambda own: own.name),
      'string_agg', ', ')    AS mq_versions,
    max(mq_level)            AS highest_mq_level,
    min(first_written_local) AS first_written_local,
    max(last_written_local)  AS last_written_local,
    -- The most frequent one; if several are equally frequent, the smallest.
    arg_max(gmt_offset_minutes, records * 10000 - gmt_offset_minutes) AS gmt_offset_minutes
  FROM counted
  GROUP BY lpar, qmgr
),
cut AS (
  SELECT lpar, qmgr, count(*) AS intervals, sum(interval_seconds) / 3600 AS statistics_hours
  FROM interval_cut
  GROUP BY lpar, qmgr
),
calls AS (
  SELECT lpar, qmgr, sum(single_calls + multiple_calls)::BIGINT AS cf_calls
  FROM decoded.qest_structure
  GROUP BY lpar, qmgr
),
servers AS (
  SELECT lpar, qmgr, max(db2_servers_active) AS db2_servers_active
  FROM decoded.q5st
  GROUP BY lpar, qmgr
)
SELECT
  s.lpar, s.qmgr, g.qsg, g.qsg_from,
  CASE WHEN c.cf_calls IS NOT NULL OR d.db2_servers_active IS NOT NULL
    THEN coalesce(c.cf_calls, 0) > 0 OR coalesce(d.db2_servers_active, 0) > 0 END AS shared_queue_hint,
  s.mq_versions, s.highest_mq_level, s.first_written_local, s.last_written_local, s.gmt_offset_minutes,
  coalesce(i.intervals, 0) AS intervals,
  coalesce(i.statistics_hours, 0) AS statistics_hours
FROM seen AS s
LEFT JOIN queue_sharing_group AS g ON g.lpar = s.lpar AND g.qmgr = s.qmgr
LEFT JOIN cut AS i ON i.lpar = s.lpar AND i.qmgr = s.qmgr
LEFT JOIN calls AS c ON c.lpar = s.lpar AND c.qmgr = s.qmgr
LEFT JOIN servers AS d ON d.lpar = s.lpar AND d.qmgr = s.qmgr
