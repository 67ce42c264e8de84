/*---
id      = "interval"
title   = "Statistics intervals"
grain   = "one row per lpar, qmgr and statistics interval (one cut of the 115 records)"
needs   = ["interval_cut", "record_interval", "queue_sharing_group"]

[columns]
records_115_1 = { unit = "count", doc = "Records 115.1 of the interval.", over = "add", label = "115.1" }
records_115_2 = { unit = "count", doc = "Records 115.2 of the interval.", over = "add", label = "115.2" }
records_115_5 = { unit = "count", doc = "Records 115.5 of the interval.", over = "add" }
records_115_6 = { unit = "count", doc = "Records 115.6 of the interval.", over = "add" }
records_115_7 = { unit = "count", doc = "Records 115.7 of the interval.", over = "add" }
records_115_201 = { unit = "count", doc = "Records 115.201 of the interval.", over = "add", label = "115.201" }
records_115_215 = { unit = "count", doc = "Records 115.215 of the interval.", over = "add", label = "115.215" }
records_115_216 = { unit = "count", doc = "Records 115.216 of the interval.", over = "add" }
records_115_231 = { unit = "count", doc = "Records 115.231 of the interval.", over = "add", label = "115.231" }
records_116_10 = { unit = "count", doc = "Records 116.10 of the interval.", over = "add" }
---*/
WITH counted AS (
  SELECT
    lpar, qmgr, cut_start_utc,
    count(*) FILTER (record_class = '115.1') AS records_115_1,
    count(*) FILTER (record_class = '115.2') AS records_115_2,
    count(*) FILTER (record_class = '115.5') AS records_115_5,
    count(*) FILTER (record_class = '115.6') AS records_115_6,
    count(*) FILTER (record_class = '115.7') AS records_115_7,
    count(*) FILTER (record_class = '115.201') AS records_115_201,
    count(*) FILTER (record_class = '115.215') AS records_115_215,
    count(*) FILTER (record_class = '115.216') AS records_115_216,
    count(*) FILTER (record_class = '115.231') AS records_115_231,
    count(*) FILTER (record_class = '116.10') AS records_116_10
  FROM record_interval
  GROUP BY lpar, qmgr, cut_start_utc
)
SELECT
  c.lpar, c.qmgr, g.qsg, c.mq_version, c.source_id, c.record_id,
  c.interval_start_utc, c.interval_end_utc, c.interval_start_local, c.interval_seconds, c.interval_us,
  c.fragment, c.startup_interval, c.suspect_first,
  c.previous_end_utc, c.gap_seconds, c.gap_intervals, c.first_in_data, c.median_interval_seconds, c.baseline_ok,
  n.records_115_1,
  n.records_115_2,
  n.records_115_5,
  n.records_115_6,
  n.records_115_7,
  n.records_115_201,
  n.records_115_215,
  n.records_115_216,
  n.records_115_231,
  n.records_116_10
FROM interval_cut AS c
LEFT JOIN queue_sharing_group AS g ON g.lpar = c.lpar AND g.qmgr = c.qmgr
JOIN counted AS n
  ON n.lpar IS NOT DISTINCT FROM c.lpar AND n.qmgr IS NOT DISTINCT FROM c.qmgr AND n.cut_start_utc = c.interval_start_utc
