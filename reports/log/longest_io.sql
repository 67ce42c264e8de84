/*---
id       = "log/longest_io"
title    = "Longest log writes"
question = "What was the longest log I/O, when, on which log, and was it an exception or is it frequent?"
needs    = ["log_io"]
rules    = ["LG005", "LG006"]
grain    = ["lpar", "qmgr", "log_copy", "io_type"]
unmarked = "A row is a copy and I/O type over the whole period; its rules judge each interval of a copy."
wsc      = [2]
drill_down = ["log/io"]
note     = "A few intervals above 2,000 µs are no reason to act. Act if they are frequent, if both copies are affected at the same time, or if it is always the same log data set. The limit is for display only."

[columns]
intervals = { unit = "count", label = "intervals", screen = 1, doc = "Intervals with such I/Os.", over = "add" }
longest_us = { unit = "us", label = "longest µs", screen = 1, doc = "Longest I/O.", over = "max" }
longest_at_utc = { unit = "ts_utc", label = "longest at", screen = 1, doc = "Time of the longest I/O." }
longest_log = { unit = "text", label = "on log", screen = 1, doc = "Log data set of the longest I/O." }
mean_of_longest_us = { unit = "us", label = "mean of longest µs", screen = 2, doc = "Mean of the longest I/Os of the intervals.", ratio = { numerator = "mean_of_longest_us * intervals", denominator = "intervals" } }
p95_of_longest_us = { unit = "us", label = "95 % below µs", screen = 2, doc = "In 95 % of the intervals the longest I/O was not longer than this.", over = "none", why = "A median or percentile does not follow from those of the rows." }
intervals_over_limit = { unit = "count", label = "over 2 ms", screen = 1, doc = "Intervals with an I/O above 2,000 µs.", over = "add" }
share_over_limit_pct = { unit = "percent", label = "over 2 ms %", screen = 1, doc = "Share of the intervals with an I/O above 2,000 µs.", ratio = { numerator = "intervals_over_limit", denominator = "intervals", scale = 100 } }
overall_average_us = { unit = "us", label = "average µs", screen = 1, doc = "Average of all I/Os of the period.", ratio = { numerator = "sum(q.io_total_us)", denominator = "sum(q.io_count)" } }
both_copies_hit_pct = { unit = "percent", label = "both copies %", screen = 2, doc = "Share of the intervals above 2,000 µs in which the other copy was above it too.", ratio = { numerator = "count_star() FILTER (WHERE (q.over_limit AND p.both_copies))", denominator = "count_star() FILTER (WHERE q.over_limit)", scale = 100 } }
longest_request_us = { unit = "us", label = "longest request µs", screen = 3, doc = "Longest suspend of the log writer.", over = "max" }
longest_request_log = { unit = "text", label = "request log", doc = "Log data set of the longest suspend." }
logs_hit = { unit = "count", label = "logs hit", screen = 2, doc = "Different log data sets with an I/O above 2,000 µs.", over_time = "max", across = "add" }
---*/
WITH
flagged AS (
  SELECT *, io_longest_us > 2000 AS over_limit FROM log_io
),
pair AS (
  SELECT lpar, qmgr, interval_start_utc, io_type, count(DISTINCT log_copy) FILTER (over_limit) = 2 AS both_copies
  FROM flagged
  GROUP BY lpar, qmgr, interval_start_utc, io_type
)
SELECT
  q.lpar, q.qmgr, q.log_copy, q.io_type,
  count(*)                                                           AS intervals,
  max(q.io_longest_us)                                               AS longest_us,
  arg_max(q.io_longest_at_utc, (q.io_longest_us, -epoch_us(q.interval_start_utc))) FILTER (q.io_longest_us IS NOT NULL) AS longest_at_utc,
  arg_max(q.io_longest_log, (q.io_longest_us, -epoch_us(q.interval_start_utc))) FILTER (q.io_longest_us IS NOT NULL) AS longest_log,
  avg(q.io_longest_us)                                               AS mean_of_longest_us,
  quantile_cont(q.io_longest_us, 0.95)                               AS p95_of_longest_us,
  count(*) FILTER (q.over_limit)                                     AS intervals_over_limit,
  pct(count(*) FILTER (q.over_limit), count(*))                      AS share_over_limit_pct,
  sum(q.io_total_us) / nullif(sum(q.io_count), 0)                    AS overall_average_us,
  pct(count(*) FILTER (q.over_limit AND p.both_copies), count(*) FILTER (q.over_limit)) AS both_copies_hit_pct,
  max(q.request_longest_us)                                          AS longest_request_us,
  arg_max(q.request_longest_log, (q.request_longest_us, -epoch_us(q.interval_start_utc))) FILTER (q.request_longest_us IS NOT NULL) AS longest_request_log,
  count(DISTINCT q.io_longest_log) FILTER (q.over_limit)             AS logs_hit
FROM flagged AS q
JOIN pair AS p ON p.lpar = q.lpar AND p.qmgr = q.qmgr AND p.interval_start_utc = q.interval_start_utc AND p.io_type = q.io_type
GROUP BY q.lpar, q.qmgr, q.log_copy, q.io_type
ORDER BY longest_us DESC, lpar, qmgr, log_copy, io_type
