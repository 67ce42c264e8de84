/*---
id          = "CV012"
name        = "queue-manager-restarted"
title       = "The queue manager or its statistics trace was started in the period"
severity    = "info"                      # warning for a crash loop
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["interval_cut.restart_seen"]
prints      = ["interval_cut.gap_seconds", "interval_cut.startup_interval", "interval_cut.suspect_first"]
judge       = "any interval"
worst       = "highest"
breach_when = "(loop and started) or started"
look        = ["mqstat report --report overview/gaps --qmgr {qmgr}"]

[threshold.crash_loop_starts]
value = 3
unit  = "count"
kind  = "judgement"
why   = "a third start within the hour is no longer a planned restart"

[threshold.crash_loop_minutes]
value = 60
unit  = "min"
kind  = "judgement"
why   = "a queue manager that fails at startup is restarted within minutes"

[clause.loop]
when    = "observed >= crash_loop_starts"
measure = "start[s] within the time of a crash loop"

[clause.started]
when    = "restart_seen is true"
measure = "starts of the queue manager"
text    = "{starts} start[s] of the queue manager"
clear   = "no start of the queue manager"

[source]
cite = "real data: records 115.240 occur in startup intervals only"
kind = "judgement"

[advice]
summary = "The queue manager or its statistics trace was started {start_text} {interval_start_utc}{gap_text} ({sign_text}); number of starts within {minutes:.0f} minute[s]: {observed:.0f}{crash_loop}."
remedy  = "Check the job log of that time. The first interval after a start is excluded from rates and shares."
report  = "overview/gaps"
---*/
WITH started AS (
  SELECT
    *,
    CASE WHEN restart_seen THEN count(*) FILTER (restart_seen) OVER (
      PARTITION BY lpar, qmgr ORDER BY interval_start_utc RANGE BETWEEN to_seconds(60 * $crash_loop_minutes) PRECEDING AND CURRENT ROW
    ) END AS starts
  FROM interval_cut
)
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'start of the queue manager' AS subject,
  starts                       AS observed,
  starts, restart_seen,
  startup_interval,
  CASE WHEN suspect_first AND NOT startup_interval THEN 'during the interval that began' ELSE 'at' END AS start_text,
  coalesce(format(', {:,.0f} s after the previous interval', gap_seconds), '') AS gap_text,
  CASE
    WHEN startup_interval THEN 'its first interval has a startup record'
    WHEN suspect_first THEN 'a startup record is inside the interval'
    ELSE 'no startup record, but a gap and a short interval'
  END                          AS sign_text,
  $crash_loop_minutes          AS minutes,
  CASE WHEN starts >= $crash_loop_starts THEN ', a crash loop' ELSE '' END AS crash_loop,
  CASE WHEN starts >= $crash_loop_starts THEN 'warning' END AS severity
FROM started
