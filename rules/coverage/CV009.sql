/*---
id          = "CV009"
name        = "accounting-covers-part-of-the-work"
title       = "Accounting or queue/channel statistics miss part of the calls"
severity    = "warning"
grain       = ["lpar", "qmgr"]
needs       = ["coverage_calls.seen_pct"]
prints      = ["coverage_calls.seen_by", "coverage_calls.calls_counted", "coverage_calls.calls_seen", "coverage_calls.no_accounting_queues"]
judge       = "whole period"
worst       = "lowest"
measure     = "recorded share of the calls"
when        = "observed < threshold"
guards      = []
min_activity = "calls_counted >= least_counted"
silenced_by = []
mq_since    = "base"
default_on  = true

[threshold.tasks_pct_min]
value = 95.0
unit  = "percent"
why   = "a chargeback or a top list that misses more is misleading"

[threshold.queues_pct_min]
value = 80.0
unit  = "percent"
why   = "system queues seldom have STATQ on"

[threshold.channels_pct_min]
value = 80.0
unit  = "percent"
why   = "some channels, cluster senders among them, may have STATCHL off on purpose"

[threshold.calls_min]
value = 1000
unit  = "count"
why   = "with fewer calls those of the queue manager and its tools outweigh the work"

[threshold.channels_min]
value = 10
unit  = "count"
why   = "a few channels say nothing in percent"

[source]
cite = "MP16, 'Accounting Trace Costs' and the note on ACCTQ"
kind = "judgement"

[advice]
summary = "By {what} {calls_seen} of {calls_counted} {of_what} are seen, {observed:.1f} % (limit {threshold:.0f} %): top lists and cost by application are too low, and what is missing is not known."
remedy  = "Look for lost SMF data (CSQW133E), ACCTQ(OFF) ({no_accounting_queues} queues say so), STATQ or STATCHL off on some objects, and long tasks that began before the trace."
report  = "overview/coverage"
---*/
SELECT
  lpar, qmgr,
  seen_by || ' coverage'                  AS subject,
  seen_by                                 AS what,
  CASE seen_by WHEN 'channel accounting' THEN 'active channels (by interval)' ELSE 'puts and gets' END AS of_what,
  seen_pct                                AS observed,
  CASE seen_by
    WHEN 'task accounting' THEN $tasks_pct_min WHEN 'queue statistics' THEN $queues_pct_min ELSE $channels_pct_min
  END                                     AS threshold,
  calls_counted, calls_seen, no_accounting_queues,
  CASE seen_by WHEN 'channel accounting' THEN $channels_min ELSE $calls_min END AS least_counted,
  seen_pct < CASE seen_by
    WHEN 'task accounting' THEN $tasks_pct_min WHEN 'queue statistics' THEN $queues_pct_min ELSE $channels_pct_min
  END                                     AS breach
FROM coverage_calls
ORDER BY lpar, qmgr, seen_by
