/*---
id      = "sequence_start"
title   = "Times from which the records of a queue manager are numbered from 1 again"
grain   = "one row per lpar, qmgr and start"
needs   = ["decoded.numbered_record", "interval_cut", "record_doubt"]
note    = "Two records that are made at the same time may get their numbers in the other order, so only a lower number more than a second later is a start. Two queue managers of one name (their intervals overlap) have no starts, and are not judged."

[columns]
run_start_utc = { unit = "ts_utc", kind = "clock", doc = "First time of the run: after the start of a startup interval (115.240), or the time of the first record with a lower number than before." }
---*/
WITH
numbered AS (
  SELECT n.* FROM decoded.numbered_record AS n ANTI JOIN record_doubt AS d ON d.record_id = n.record_id WHERE n.damage IS NULL
),
startup AS (
  SELECT DISTINCT lpar, qmgr, coalesce(record_start_utc + INTERVAL 1 MICROSECOND, header_stck_utc) AS run_start_utc
  FROM numbered
  WHERE record_class = '115.240'
),
hour AS (
  SELECT
    lpar, qmgr, date_trunc('hour', header_stck_utc) AS hour_utc,
    count(*)            AS records,
    min(trace_sequence) AS lowest,
    max(trace_sequence) AS highest
  FROM numbered
  GROUP BY lpar, qmgr, hour_utc
),
judged AS (
  -- An hour without a gap whose numbers are higher than all before it has no start in it. Few records are simply read.
  SELECT
    *,
    records <> highest - lowest + 1 OR sum(records) OVER (PARTITION BY lpar, qmgr) < 10000
      OR lowest <= max(highest) OVER (PARTITION BY lpar, qmgr ORDER BY hour_utc ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS is_suspect
  FROM hour
),
suspect AS (
  SELECT *, is_suspect OR lead(is_suspect) OVER (PARTITION BY lpar, qmgr ORDER BY hour_utc) AS is_read
  FROM judged
),
stepped AS (
  SELECT
    n.lpar, n.qmgr, n.header_stck_utc,
    n.trace_sequence < lag(n.trace_sequence) OVER neighbour
      AND n.header_stck_utc - lag(n.header_stck_utc) OVER neighbour > INTERVAL 1 SECOND AS is_lower
  FROM numbered AS n
  SEMI JOIN suspect AS s
    ON s.is_read AND s.lpar = n.lpar AND s.qmgr = n.qmgr AND s.hour_utc = date_trunc('hour', n.header_stck_utc)
  WINDOW neighbour AS (PARTITION BY n.lpar, n.qmgr ORDER BY n.header_stck_utc, n.trace_sequence)
),
two_of_one_name AS (
  SELECT DISTINCT lpar, qmgr FROM interval_cut WHERE overlap_seconds > 1
)
SELECT DISTINCT s.lpar, s.qmgr, s.run_start_utc
FROM (
  SELECT lpar, qmgr, run_start_utc FROM startup
  UNION ALL
  SELECT lpar, qmgr, header_stck_utc FROM stepped WHERE is_lower
) AS s
ANTI JOIN two_of_one_name AS t ON t.lpar = s.lpar AND t.qmgr = s.qmgr
