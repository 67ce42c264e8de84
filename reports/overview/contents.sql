/*---
id       = "overview/contents"
title    = "What is in the data"
question = "Which systems, queue managers, record classes and time ranges are in these files, and how many records of each?"
needs    = ["collection", "interval_cut", "qmgr"]
grain    = ["lpar", "qmgr", "record_class"]
drill_down = ["overview/coverage", "overview/gaps"]
note     = "View other_record counts other SMF types, such as the dump header and trailer. Times are those of MQ records."

[columns]
qsg = { screen = 2 }
qsg_from = { label = "qsg from", screen = 0 }
mq_versions = { label = "levels" }
record_class = { label = "class", screen = 1 }
first_written_local = { from = "collection", screen = 1 }
last_written_local = { from = "collection", screen = 1 }
intervals_present = { label = "intervals" }
interval_shortest_s = { unit = "s", label = "shortest s", screen = 2, doc = "Shortest statistics interval of the queue manager.", over = "min" }
interval_median_s = { unit = "s", label = "median s", screen = 2, doc = "Median statistics interval of the queue manager.", over = "none", why = "A median or percentile does not follow from those of the rows." }
interval_longest_s = { unit = "s", label = "longest s", screen = 2, doc = "Longest statistics interval of the queue manager.", over = "max" }
share_of_bytes_pct = { unit = "percent", label = "bytes %", screen = 1, doc = "Share of the bytes of all MQ records.", over = "add" }
---*/
WITH length AS (
  SELECT
    lpar, qmgr,
    min(interval_seconds)    AS interval_shortest_s,
    median(interval_seconds) AS interval_median_s,
    max(interval_seconds)    AS interval_longest_s
  FROM interval_cut
  GROUP BY lpar, qmgr
)
SELECT
  c.lpar, c.qmgr, c.qsg, q.qsg_from, q.mq_versions, c.record_class, c.records, c.bytes,
  c.first_written_local, c.last_written_local, c.intervals_present,
  i.interval_shortest_s, i.interval_median_s, i.interval_longest_s,
  q.gmt_offset_minutes,
  pct(c.bytes, sum(c.bytes) OVER ()) AS share_of_bytes_pct
FROM collection AS c
JOIN qmgr AS q ON q.lpar = c.lpar AND q.qmgr = c.qmgr
LEFT JOIN length AS i ON i.lpar = c.lpar AND i.qmgr = c.qmgr
WHERE c.records > 0
ORDER BY
  lpar, qmgr,
  CAST(split_part(record_class, '.', 1) AS INTEGER), CAST(split_part(record_class, '.', 2) AS INTEGER)
