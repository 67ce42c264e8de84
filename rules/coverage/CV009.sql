/*---
id          = "CV009"
name        = "accounting-covers-part-of-the-work"
title       = "Accounting or queue and channel statistics cover only part of the calls"
severity    = "warning"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["coverage_calls.seen_pct"]
prints      = ["coverage_calls.seen_by", "coverage_calls.calls_counted", "coverage_calls.calls_seen", "coverage_calls.no_accounting_queues", "coverage_calls.unaccounted_queues", "coverage_calls.unaccounted_names", "known_error.sign"]
judge       = "whole period"
worst       = "lowest"
measure     = "recorded share of the calls"
when        = "observed < threshold"
min_activity = "calls_counted >= least_counted"
look        = ["DISPLAY TRACE(ACCTG)", "DISPLAY TRACE(STAT)", "D SMF"]
plans       = ["accounting_cost"]

[threshold.tasks_pct_min]
value = 95.0
unit  = "percent"
kind  = "judgement"
why   = "if more calls are missing, chargeback and top lists are misleading"

[threshold.queues_pct_min]
value = 80.0
unit  = "percent"
kind  = "judgement"
why   = "system queues seldom have STATQ on"

[threshold.channels_pct_min]
value = 80.0
unit  = "percent"
kind  = "judgement"
why   = "STATCHL may be off on purpose for some channels, for example cluster senders"

[threshold.calls_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "with fewer calls, those of the queue manager and its tools outweigh those of applications"

[threshold.channels_min]
value = 10
unit  = "count"
kind  = "judgement"
why   = "percentages of a few channels are not reliable"

[source]
cite = "MP16, 'Accounting Trace Costs' and the note on ACCTQ"
kind = "judgement"

[advice]
summary = "{calls_seen} of {calls_counted} {of_what} are recorded in {what}, {observed:.1f} % (limit {threshold:.0f} %): {effect}."
remedy  = "Look for lost SMF data (CSQW133E){check_too}{lacking}."
report  = "overview/coverage"
---*/
SELECT
  c.lpar, c.qmgr,
  seen_by || ' coverage'                  AS subject,
  seen_by                                 AS what,
  CASE seen_by WHEN 'channel accounting' THEN 'active channels (by interval)' ELSE 'puts and gets' END AS of_what,
  seen_pct                                AS observed,
  CASE seen_by
    WHEN 'task accounting' THEN $tasks_pct_min WHEN 'queue statistics' THEN $queues_pct_min ELSE $channels_pct_min
  END                                     AS threshold,
  calls_counted, calls_seen,
  CASE seen_by
    WHEN 'task accounting' THEN 'top lists and costs by application are too low by an unknown amount'
    WHEN 'queue statistics' THEN 'figures by queue are too low by an unknown amount'
    ELSE 'figures by channel are too low by an unknown amount'
  END                                     AS effect,
  CASE seen_by
    WHEN 'task accounting' THEN format(', queues with ACCTQ(OFF) (here {}), and long-running tasks that began before the trace', coalesce(no_accounting_queues, 0))
    WHEN 'queue statistics' THEN ' and queues with STATQ(OFF), or STATQ(QMGR) of a queue manager with STATQ(OFF)'
    ELSE ' and channels with STATCHL(OFF), or STATCHL(QMGR) of a queue manager with STATCHL(OFF)'
  END                                     AS check_too,
  CASE seen_by WHEN 'channel accounting' THEN $channels_min ELSE $calls_min END AS least_counted,
  CASE WHEN c.unaccounted_queues > 0
    THEN format('. Queues with puts and gets in 115.216 that class 3 lacks: {} ({} in all)', c.unaccounted_names, c.unaccounted_queues)
      || CASE WHEN e.apar IS NULL THEN '' ELSE '. Without the fix of APAR PH69524, it lacks queues that were defined before ACCTQ existed and not altered since' END
    ELSE ''
  END                                     AS lacking
FROM coverage_calls AS c
LEFT JOIN known_error AS e ON e.lpar = c.lpar AND e.qmgr = c.qmgr AND e.apar = 'PH69524' AND e.sign > 0
