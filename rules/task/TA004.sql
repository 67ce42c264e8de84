/*---
id          = "TA004"
name        = "application-backing-out"
title       = "Backouts are a noticeable share of units of work"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "application", "connection_type_name"]
needs       = ["application_period.rollbacks", "application_period.units_of_work"]
prints      = ["application_period.rollbacks", "application_period.tasks_ended", "application_period.units_of_work", "application_period.backouts", "application_period.rollback_et_us", "application_period.end_backouts"]
judge       = "whole period"
worst       = "highest"
measure     = "backed-out share of the units of work"
when        = "observed > backout_pct_max"
leaves_out  = "applications whose backouts take less than backout_us_min on average, those of CICS and of channels less than reset_us_min"
min_activity = "undone >= $backouts_min"
look        = ["mqstat report --report task/units_of_work --qmgr {qmgr}"]

[threshold.backout_pct_max]
value = 5.0
unit  = "percent"
kind  = "judgement"
why   = "single backouts are normal; one in twenty units of work is not"

[threshold.backouts_min]
value = 100
unit  = "count"
kind  = "judgement"
why   = "a few backouts are no trend"

[threshold.backout_us_min]
value = 10
unit  = "us"
kind  = "judgement"
why   = "a shorter backout has nothing to undo"

[threshold.reset_us_min]
value = 1000
unit  = "us"
kind  = "judgement"
why   = "tasks of CICS and of channels end with backouts that undo nothing; those of real channel tasks took 10 to 275 µs"

[source]
cite = "MP16, 'Accounting Trace Costs' (when records are written); records of idle clients have more backouts than commits"

[advice]
summary = "{application} backed out {observed:.1f} % of its units of work (limit {backout_pct_max} %): at least {undone} backout[s]<<, excluding {at_end} for each of {tasks_ended} task[s] that ended>>, against {committed} commit[s]; a backout took {backout_average_us:.0f} µs on average."
remedy  = "Check the logs of the application for abends, deadlocks and messages that it cannot process (backout threshold and queue). Long backouts read the log (LG rules). Programs that end without a commit after reading also back out."
report  = "task/units_of_work"
---*/
WITH undo AS (
  -- Rollbacks exclude the end of a CICS or channel task, but not that of another, which may undo what it only read.
  SELECT
    *, rollback_et_us / nullif(rollbacks, 0) AS backout_average_us, units_of_work - rollbacks AS committed, CASE WHEN tasks_ended > 0 THEN coalesce(end_backouts, 1) END AS at_end,
    CASE WHEN end_backouts > 0 THEN rollbacks WHEN rollbacks > tasks_ended THEN rollbacks - tasks_ended ELSE rollbacks * 0 END AS undone
  FROM application_period
)
SELECT
  lpar, qmgr, application, connection_type_name,
  coalesce(application || ' (' || connection_type_name || ')', 'unknown application') AS subject,
  100 * undone / nullif(committed + undone, 0) AS observed,
  rollbacks, tasks_ended, committed, at_end, undone, backout_average_us
FROM undo
WHERE backout_average_us >= CASE WHEN end_backouts > 0 THEN $reset_us_min ELSE $backout_us_min END OR coalesce(undone, 0) = 0
