/*---
id          = "LG007"
name        = "log-copies-unequal-in-speed"
title       = "One log copy is much slower than the other"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["log_copy_pair.copy1_writes"]
prints      = ["log_copy_pair.slower_copy", "log_copy_pair.one_page_slower_ratio", "log_copy_pair.several_page_slower_ratio", "log_copy_pair.copy1_average_io_us", "log_copy_pair.copy2_average_io_us", "log_copy_pair.fuller_copy_writes"]
judge       = "share >= 25 %"
weighted_by = "fuller_copy_writes"
weighted_min = 10000
worst       = "highest"
caused_by   = ["LG004", "LG029"]
victims     = ["log waits"]
measure     = "slower copy as a multiple of the faster"
when        = "observed > ratio_max"
text        = "slower copy takes {value} x as long as the faster"
look        = ["DISPLAY LOG"]

[threshold.ratio_max]
value = 1.5
unit  = "ratio"
kind  = "judgement"
why   = "IBM's bad case is 1.59, its repaired case 1.17; the limit lies between"

[threshold.min_writes]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "with fewer writes of one size to either copy, averages differ by chance"

[source]
cite = "MP16, 'Whether the I/O subsystem is constrained'"

[advice]
summary = "Log writes to copy {slower_copy} took {observed:.2f} times as long as to the other copy (limit {ratio_max}): {copy1_average_io_us:.0f} µs on average to copy 1, {copy2_average_io_us:.0f} µs to copy 2. Both get the same writes, so commits wait for the slower one."
remedy  = "Check what else uses the control unit of the slow copy: archive data sets, page sets, other logs. Move them or the copy, compress archives (zEDC), and check disk fast write bypass. A copy at another site is expected to be slower."
report  = "log/io"
---*/
WITH compared AS (
  SELECT
    *,
    -- A size of which either copy had too few writes is left out; greatest() ignores nulls.
    greatest(
      CASE WHEN one_page_fewest_writes >= $min_writes THEN one_page_slower_ratio END,
      CASE WHEN several_page_fewest_writes >= $min_writes THEN several_page_slower_ratio END
    ) AS slower_ratio
  FROM log_copy_pair
)
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'log copies'              AS subject,
  slower_ratio              AS observed,
  slower_copy, one_page_slower_ratio, several_page_slower_ratio, copy1_average_io_us, copy2_average_io_us, fuller_copy_writes
FROM compared
