/*---
id          = "CV008"
name        = "statistics-intervals-too-long-or-irregular"
title       = "Statistics intervals are too long or irregular"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["interval_cut.interval_seconds"]
prints      = ["interval_cut.usual_interval_seconds", "interval_cut.length_deviation_pct", "interval_cut.first_in_data", "interval_cut.last_in_data", "interval_cut.startup_interval", "known_error.sign"]
judge       = "whole period"
worst       = "highest"
breach_when = "long or (irregular and enough)"
# no guards: the length of the first and the last interval of each stretch of data is not judged
look        = ["DISPLAY SYSTEM"]
do          = ["SET SYSTEM STATIME({minutes})"]
lowers      = ["STATIME"]
plans       = ["smf115_volume"]

[size.minutes]
formula = "CASE WHEN observed > 900 THEN 15 ELSE 0 END"
at_most = 1440
cost    = "With 0 the queue manager follows the SMF interval. Shorter intervals write more records. Make it permanent in CSQ6SYSP."

[threshold.interval_seconds_max]
value = 1800
unit  = "s"
kind  = "guidance"
why   = "averages over longer intervals hide peaks, and 32-bit counters may wrap"

[threshold.irregular_pct_max]
value = 20.0
unit  = "percent"
kind  = "judgement"
why   = "starts and operator commands cause a few odd intervals; with more of them, shares of intervals are distorted"

[threshold.tolerance_pct]
value = 10.0
unit  = "percent"
kind  = "judgement"
why   = "intervals that follow the clock or the timer differ by less than this"

[threshold.intervals_min]
value = 4
unit  = "count"
kind  = "judgement"
why   = "with fewer intervals, regularity cannot be judged"

[threshold.diagnose_seconds]
value = 300
unit  = "s"
kind  = "guidance"
why   = "the interval that the advice suggests for diagnosis"

[clause.long]
when    = "observed > interval_seconds_max"
measure = "usual interval"
summary = "The usual interval is {observed:.0f} s (limit {interval_seconds_max} s)."
remedy  = "Use 15 minutes, or the SMF interval; {diagnose_every:.0f} s or less while diagnosing, and the same setting for all members of a group. Long intervals hide peaks."

[clause.irregular]
when    = "irregular_pct > irregular_pct_max"
measure = "share of irregular intervals"
summary = "{irregular} of {intervals_judged} interval[s], {irregular_pct:.0f} % (limit {irregular_pct_max:.0f} %), differ from the usual interval of {observed:.0f} s by more than {tolerance_pct} %."
remedy  = "Follow the SMF interval, with the same setting for all members of a group. Look for commands that change STATIME or restart the trace. Shares of intervals of different length cannot be compared<<; {known}>>."

[clause.enough]
when    = "intervals_judged >= intervals_min"
measure = "interval[s] judged"

[source]
cite = "IBM consultants' guidance on STATIME; ten different lengths in one sample of 16"

[advice]
summary = "The usual interval is {observed:.0f} s (limit {interval_seconds_max} s), and {irregular} of {intervals_judged} interval[s], {irregular_pct:.0f} % (limit {irregular_pct_max:.0f} %), differ from it by more than {tolerance_pct} %."
remedy  = "Use 15 minutes, or the SMF interval; {diagnose_every:.0f} s or less while diagnosing, and the same setting for all members of a group. Long intervals hide peaks, and shares of intervals of different length cannot be compared<<; {known}>>."
report  = "overview/gaps"
---*/
WITH length AS (
  SELECT
    lpar, qmgr,
    max(usual_interval_seconds)                                    AS usual_interval_seconds,
    count(*) FILTER (inside)                                       AS intervals_judged,
    count(*) FILTER (inside AND length_deviation_pct > $tolerance_pct) AS irregular,
    arg_max(record_id, (length_deviation_pct, -epoch_us(interval_start_utc), -record_id)) FILTER (length_deviation_pct IS NOT NULL) AS record_id
  FROM (SELECT *, NOT (first_in_data OR last_in_data OR startup_interval) AS inside FROM interval_cut)
  GROUP BY lpar, qmgr
)
SELECT
  n.lpar, n.qmgr, record_id,
  'length of statistics intervals'        AS subject,
  usual_interval_seconds                  AS observed,
  irregular, intervals_judged,
  100 * irregular / nullif(intervals_judged, 0) AS irregular_pct,
  $diagnose_seconds                       AS diagnose_every,
  -- Hundreds of intervals below a second are the sign of the error.
  CASE WHEN e.sign >= 100
    THEN format('{} intervals are shorter than a second: without the fix of APAR PH68566, a timer may loop after a start', e.sign)
  END                                     AS known
FROM length AS n
LEFT JOIN known_error AS e ON e.lpar = n.lpar AND e.qmgr = n.qmgr AND e.apar = 'PH68566'
