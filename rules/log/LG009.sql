/*---
id           = "LG009"
name         = "log-copy-lost"
title        = "One of the two log copies is no longer written"
severity     = "critical"
weight       = "loss"
grain        = ["lpar", "qmgr"]
needs        = ["log_copy_pair.copies_differ_pct"]
prints       = ["log_copy_pair.copy1_cis", "log_copy_pair.copy2_cis", "log_copy_pair.fuller_copy_writes", "log_copy_pair.both_copies_before", "log_copy_pair.single_logging_accepted"]
judge        = "any interval"
worst        = "highest"
breach_when = "differ and both_before"
guards       = ["G1", "G2"]
min_activity = "fuller_copy_writes >= $min_writes"
look        = ["DISPLAY LOG"]

[threshold.differ_pct_max]
value = 2.0
unit  = "percent"
kind  = "judgement"
why   = "writes are counted before and after completion, so the copies may differ by one or two; that is 2 % of 100 writes"

[threshold.min_writes]
value = 100
unit  = "count"
kind  = "judgement"
why   = "of fewer writes, one or two in progress are a larger share"

[clause.differ]
when    = "observed > differ_pct_max"
measure = "difference between the log copies"

[clause.both_before]
when    = "both_copies_before is true"
measure = "both copies written before"
text    = "both copies were written before"
clear   = "only one copy was written before"

[source]
cite = "MP16, 'Should your installation use single or dual logging?'; our own rule: the copies carry the same data"

[advice]
summary = "Log copy 1 got {copy1_cis} control interval[s] and copy 2 got {copy2_cis}, a difference of {observed:.1f} % (limit {differ_pct_max} %), although both were written before: the queue manager runs with one log copy, probably unnoticed."
remedy  = "Look for CSQJ messages at that time. Repair the data set and add it again with DEFINE LOG or CSQJU003."
report  = "log/io"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first,
  'log copies'              AS subject,
  copies_differ_pct         AS observed,
  copy1_cis, copy2_cis,fuller_copy_writes, both_copies_before
FROM log_copy_pair
WHERE NOT single_logging_accepted
