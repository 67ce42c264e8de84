/*---
id      = "cf_structure_puts"
title   = "Size and rate of the messages put to a CF structure"
grain   = "one row per lpar, qmgr and CF structure"
needs   = ["cf_structure", "queue_statistics", "queue_use"]
classes = ["115.2"]
note    = "Used by plans. The figures are of all members of the group in the data; members without queue statistics are counted by accounting class 3."

[columns]
cf_structure = { doc = "CF structure name.", label = "", screen = 0 }
group_message_bytes = { unit = "bytes", doc = "Mean length of the messages put to its queues, over all members of the group.", over = "same" }
group_puts_per_s = { unit = "per_s", doc = "Messages put to its queues per second in the busiest hour, by all members of the group.", over = "same" }
busiest_hour_local = { unit = "ts_local", kind = "clock", doc = "First interval of that hour." }
---*/
WITH
counted AS (
  SELECT
    coalesce(qsg, lpar || '.' || qmgr) AS owner, lpar, qmgr, cf_structure, date_trunc('hour', interval_start_utc) AS hour_utc, interval_start_utc,
    min(interval_start_local)          AS at_local,
    max(interval_seconds)              AS seconds,
    sum(messages_put)                  AS messages,
    sum(put_bytes)                     AS bytes
  FROM queue_statistics
  WHERE cf_structure IS NOT NULL
  GROUP BY ALL
),
-- Accounting intervals of tasks overlap: an hour of them has at most 3600 seconds.
accounted AS (
  SELECT
    coalesce(qsg, lpar || '.' || qmgr) AS owner, lpar, qmgr, cf_structure, date_trunc('hour', interval_end_utc) AS hour_utc,
    min(interval_start_local)          AS at_local,
    least(3600, epoch_us(max(interval_end_utc) - min(interval_start_utc)) / 1e6) AS seconds,
    sum(valid_puts)                    AS messages,
    sum(put_bytes)                     AS bytes
  FROM queue_use
  WHERE cf_structure IS NOT NULL
  GROUP BY ALL
),
member_hour AS (
  SELECT owner, cf_structure, hour_utc, min(at_local) AS at_local, per_s(sum(messages), sum(seconds)) AS rate, sum(messages) AS messages, sum(bytes) AS bytes
  FROM counted
  GROUP BY owner, lpar, qmgr, cf_structure, hour_utc
  UNION ALL
  SELECT a.owner, a.cf_structure, a.hour_utc, a.at_local, CASE WHEN a.seconds >= 10 THEN a.messages / a.seconds END, a.messages, a.bytes
  FROM accounted AS a
  ANTI JOIN counted AS c ON c.lpar = a.lpar AND c.qmgr = a.qmgr
),
group_hour AS (
  SELECT owner, cf_structure, min(at_local) AS at_local, sum(rate) AS rate, sum(messages) AS messages, sum(bytes) AS bytes
  FROM member_hour
  GROUP BY owner, cf_structure, hour_utc
),
busiest AS (
  SELECT
    owner, cf_structure,
    sum(bytes) / nullif(sum(messages), 0)                                      AS message_bytes,
    max(rate)                                                                  AS puts_per_s,
    arg_max(at_local, (rate, -epoch_us(at_local))) FILTER (rate IS NOT NULL)   AS busiest_hour_local
  FROM group_hour
  GROUP BY owner, cf_structure
),
structure AS (
  SELECT DISTINCT lpar, qmgr, coalesce(qsg, lpar || '.' || qmgr) AS owner, cf_structure
  FROM cf_structure
)
SELECT
  s.lpar, s.qmgr, s.cf_structure,
  b.message_bytes AS group_message_bytes,
  b.puts_per_s    AS group_puts_per_s,
  b.busiest_hour_local
FROM structure AS s
LEFT JOIN busiest AS b ON b.owner = s.owner AND b.cf_structure = s.cf_structure
