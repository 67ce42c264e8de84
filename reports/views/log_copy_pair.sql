/*---
id      = "log_copy_pair"
title   = "Both log copies compared"
grain   = "one row per lpar, qmgr and interval"
needs   = ["log", "log_io", "site_input"]
classes = ["115.1"]
note    = "Helper of the rules that compare the copies."

[columns]
copy1_writes = { unit = "count", doc = "Log write I/Os to copy 1; null if the record does not contain the table of log I/O.", over = "add" }
copy2_writes = { unit = "count", doc = "Log write I/Os to copy 2; null if the record does not contain the table of log I/O.", over = "add" }
copies_differ_pct = { unit = "percent", doc = "Control intervals written to only one copy, as a share of those of the fuller copy.", ratio = { numerator = "abs(copy1_cis - copy2_cis)", denominator = "greatest(copy1_cis, copy2_cis)", scale = 100 } }
fuller_copy_writes = { unit = "count", doc = "Log write I/Os to the copy that had more of them.", over = "add" }
both_copies_before = { unit = "flag", doc = "Both copies were written in this interval or in an earlier one of the data." }
one_page_fewest_writes = { unit = "count", doc = "One-page writes to the copy that had fewer of them.", over = "min" }
one_page_slower_ratio = { unit = "ratio", doc = "Average one-page write of the slower copy divided by that of the faster.", over = "max" }
several_page_fewest_writes = { unit = "count", doc = "Writes of several pages to the copy that had fewer of them.", over = "min" }
several_page_slower_ratio = { unit = "ratio", doc = "Average write of several pages of the slower copy divided by that of the faster.", over = "max" }
copy1_average_io_us = { unit = "us", doc = "Average I/O time of all writes to copy 1.", ratio = { numerator = "copy1_average_io_us * copy1_writes", denominator = "copy1_writes" } }
copy2_average_io_us = { unit = "us", doc = "Average I/O time of all writes to copy 2.", ratio = { numerator = "copy2_average_io_us * copy2_writes", denominator = "copy2_writes" } }
slower_copy = { unit = "id", kind = "key", doc = "The log copy with the longer average I/O time." }
single_logging_accepted = { doc = "Single logging is intended, or the queue manager is a test (role); no if the site file does not declare it." }
---*/
WITH
paired AS (
  SELECT
    record_id,
    (sum(io_count) FILTER (log_copy = 1))::BIGINT                AS copy1_writes,
    (sum(io_count) FILTER (log_copy = 2))::BIGINT                AS copy2_writes,
    sum(io_total_us) FILTER (log_copy = 1)                       AS copy1_us,
    sum(io_total_us) FILTER (log_copy = 2)                       AS copy2_us,
    CASE WHEN count(*) FILTER (io_type = 1) = 2 THEN min(io_count) FILTER (io_type = 1) END AS one_page_fewest_writes,
    CASE WHEN count(*) FILTER (io_type = 2) = 2 THEN min(io_count) FILTER (io_type = 2) END AS several_page_fewest_writes,
    max(copy_ratio) FILTER (io_type = 1)                         AS one_page_ratio,
    max(copy_ratio) FILTER (io_type = 2)                         AS several_page_ratio
  FROM log_io
  GROUP BY record_id
)
SELECT
  q.lpar, q.qmgr, q.qsg, q.mq_version, q.source_id, q.record_id, q.interval_start_utc, q.interval_end_utc, q.interval_start_local,
  q.interval_seconds, q.fragment, q.startup_interval, q.suspect_first,
  -- A copy without writes has no rows, so its count is 0 if the record contains the table.
  CASE WHEN q.copy1_cis IS NOT NULL THEN coalesce(p.copy1_writes, 0) END AS copy1_writes,
  CASE WHEN q.copy2_cis IS NOT NULL THEN coalesce(p.copy2_writes, 0) END AS copy2_writes,
  q.copy1_cis, q.copy2_cis,
  pct(abs(q.copy1_cis - q.copy2_cis), greatest(q.copy1_cis, q.copy2_cis)) AS copies_differ_pct,
  CASE WHEN q.copy1_cis IS NOT NULL THEN greatest(coalesce(p.copy1_writes, 0), coalesce(p.copy2_writes, 0)) END AS fuller_copy_writes,
  CASE WHEN q.copy1_cis IS NOT NULL
    THEN coalesce(max(least(q.copy1_cis, q.copy2_cis)) OVER (PARTITION BY q.lpar, q.qmgr ORDER BY q.interval_start_utc) > 0, false)
  END                                                            AS both_copies_before,
  p.one_page_fewest_writes,
  greatest(nullif(p.one_page_ratio, 0), 1 / nullif(p.one_page_ratio, 0)) AS one_page_slower_ratio,
  p.several_page_fewest_writes,
  greatest(nullif(p.several_page_ratio, 0), 1 / nullif(p.several_page_ratio, 0)) AS several_page_slower_ratio,
  p.copy1_us / nullif(p.copy1_writes, 0)                         AS copy1_average_io_us,
  p.copy2_us / nullif(p.copy2_writes, 0)                         AS copy2_average_io_us,
  CASE
    WHEN p.copy2_us / nullif(p.copy2_writes, 0) > p.copy1_us / nullif(p.copy1_writes, 0) THEN 2
    WHEN p.copy2_writes > 0 AND p.copy1_writes > 0 THEN 1
  END::BIGINT                                                    AS slower_copy,
  coalesce(s.single_logging_accepted, s.role = 'test', false) AS single_logging_accepted
FROM log AS q
LEFT JOIN paired AS p ON p.record_id = q.record_id
LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
