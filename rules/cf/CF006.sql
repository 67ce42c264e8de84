/*---
id          = "CF006"
name        = "cf-response-doubled"
title       = "CF calls take much longer than usual for the structure"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "cf_structure"]
needs       = ["cf_structure_usual.single_times_usual", "cf_structure_usual.multiple_times_usual"]
prints      = ["cf_structure_usual.single_calls", "cf_structure_usual.multiple_calls", "cf_structure_usual.average_single_us", "cf_structure_usual.average_multiple_us", "cf_structure_usual.single_usual_us", "cf_structure_usual.multiple_usual_us", "cf_structure_usual.single_usual_intervals", "cf_structure_usual.multiple_usual_intervals"]
judge       = "3 consecutive"
worst       = "highest"
victims     = ["CF time"]
breach_when = "single or multiple"
min_activity = "(single_calls >= $calls_min AND single_usual_intervals >= $history_min AND average_single_us >= $average_us_min) OR (multiple_calls >= $calls_min AND multiple_usual_intervals >= $history_min AND average_multiple_us >= $average_us_min)"
caused_by   = ["CF011"]
look        = ["DISPLAY CFSTATUS({cf_structure}) TYPE(SUMMARY)"]

[threshold.times_usual_max]
value = 2.0
unit  = "ratio"
kind  = "judgement"
why   = "twice the structure's median for three intervals is more than a change of load explains"

[threshold.calls_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "an average over fewer calls is not reliable"

[threshold.average_us_min]
value = 20
unit  = "us"
kind  = "judgement"
why   = "twice a few microseconds is still fast"

[threshold.history_min]
value = 12
unit  = "count"
kind  = "judgement"
why   = "a median of fewer intervals does not show what is usual"

[clause.single]
when    = "observed > times_usual_max"
counts_when = ["single_calls >= calls_min", "single_usual_intervals >= history_min", "average_single_us >= average_us_min"]
measure = "average single-entry call as a multiple of its median"

[clause.multiple]
when    = "multiple_times_usual > times_usual_max"
counts_when = ["multiple_calls >= calls_min", "multiple_usual_intervals >= history_min", "average_multiple_us >= average_us_min"]
measure = "average multiple-entry call as a multiple of its median"
summary = "Multiple-entry calls to structure {cf_structure} took {average_multiple_us:.0f} µs on average, {multiple_times_usual:.1f} times the usual {multiple_usual_us:.0f} µs (limit {times_usual_max} time[s]), over {multiple_calls} call[s]."

[source]
cite = "MP16, 'What is the impact of having insufficient CPU in the Coupling Facility?'"

[advice]
summary = "Single-entry calls to structure {cf_structure} took {average_single_us:.0f} µs on average, {observed:.1f} times the usual {single_usual_us:.0f} µs (limit {times_usual_max} time[s]), over {single_calls} call[s]."
remedy  = "Check coupling facility and path activity in RMF for the same time: a busy coupling facility, a lost link, a structure that is being duplexed again, or requests that turned asynchronous. A different mix of messages on the structure also explains it."
report  = "cf/structures"
---*/
SELECT
  lpar, qmgr, cf_structure, interval_start_utc, interval_seconds, record_id,
  'structure ' || cf_structure AS subject,
  single_times_usual           AS observed,
  multiple_times_usual, single_calls, multiple_calls, average_single_us, average_multiple_us, single_usual_us, multiple_usual_us,
  single_usual_intervals, multiple_usual_intervals
FROM cf_structure_usual
WHERE group_member
