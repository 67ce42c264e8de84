/*---
id          = "DQ007"
name        = "record-times-inconsistent"
title       = "Times of a record contradict each other or the interval is implausible"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["quality_record_time.check_seconds"]
prints      = ["quality_record_time.time_check", "quality_record_time.startup_interval", "interval_cut.shortest_judged_seconds", "known_error.sign", "qmgr.intervals"]
judge       = "any interval"
worst       = "highest"
breach_when = "long or short or unknown"
look        = ["mqstat report --report overview/data_quality --qmgr {qmgr}"]

[threshold.end_seconds_max]
value = 10
unit  = "s"
kind  = "judgement"
why   = "in every known record, start plus length is within 10 ms of the time of writing"

[threshold.clock_seconds_max]
value = 60
unit  = "s"
kind  = "judgement"
why   = "local time differs from GMT by a multiple of 15 minutes"

[threshold.interval_seconds_min]
value = 10
unit  = "s"
kind  = "judgement"
why   = "rates of shorter intervals are not judged, unless intervals of seconds are usual: then half the usual length is the limit"

[threshold.interval_seconds_max]
value = 86400
unit  = "s"
kind  = "judgement"
why   = "no statistics interval lasts longer than a day"

[threshold.change_seconds_max]
value = 0
unit  = "s"
kind  = "judgement"
why   = "a planned clock change is one hour, at most once within four weeks, and is not reported"

[threshold.idle_seconds_max]
value = 0
unit  = "s"
kind  = "judgement"
why   = "the logger cannot be idle longer than the interval, apart from a measurement error of 1 %"

[clause.long]
when    = "observed > longest"
measure = "measured time"
text    = "measured {value}"

[clause.short]
when    = "observed < shortest"
missing = "fails"
measure = "measured time"
text    = "measured {value}"
remedy  = "Rates of such short intervals are not judged. {meaning}."

[clause.unknown]
when    = "times_missing is true"
measure = "interval times"
text    = "no interval times"
clear   = "has interval times"

[source]
cite = "Our own rule: interval lengths have two scales, and matching times prove which one applies; checked in all known records"
kind = "judgement"

[advice]
summary = "{statement}."
remedy  = "{meaning}."
report  = "overview/data_quality"
---*/
SELECT
  t.lpar, t.qmgr, interval_start_utc, record_id,
  time_check = 'length of the interval' AND check_seconds IS NULL AS times_missing,
  CASE WHEN times_missing AND q.intervals = 0 AND q.highest_mq_level >= 70100 THEN 'warning' END AS severity,
  time_check                              AS subject,
  CASE
    WHEN time_check = 'end of the interval'
    THEN format('Start plus length of the interval differs from the time of writing by {} s (limit {:.0f} s)',
      t.seconds_text, $end_seconds_max::DOUBLE)
    WHEN time_check = 'clock'
    THEN format('The difference between local time and GMT of a record is {} s off a multiple of 15 minutes (limit {:.0f} s)',
      t.seconds_text, $clock_seconds_max::DOUBLE)
    WHEN time_check = 'GMT offset'
    THEN printf('The offset of local time from GMT changed by %.0f minutes within the period, which is not a planned clock change',
      check_seconds / 60)
    WHEN time_check = 'idle time of the logger'
    THEN printf('The logger was idle %.0f s longer than 101 %% of the interval', check_seconds)
    WHEN severity = 'warning' THEN 'No record has a valid interval, so no rule is clear'
    WHEN check_seconds IS NULL THEN 'The records have no interval times'
    ELSE format('An interval lasted {:.2f} s ({:.3g} to {:,.0f} s are plausible)',
      check_seconds, least($interval_seconds_min::DOUBLE, u.shortest_judged_seconds), $interval_seconds_max::DOUBLE)
  END                                     AS statement,
  CASE
    WHEN time_check = 'GMT offset'
    THEN 'Systems in two time zones may have the same name, or the clock was set manually: check where the inputs come from'
    WHEN severity = 'warning' THEN 'The store clock wraps in September 2042; before that, check the clock of the system'
    WHEN check_seconds IS NULL THEN 'Before 7.1 the standard header has no interval times: rules that need an interval cannot be evaluated'
    WHEN time_check = 'length of the interval' AND e.sign >= 100
    THEN 'Without the fix of APAR PH68566, a timer may loop after a start and cut such intervals'
    ELSE 'Joins by time and the rates of the interval may be wrong: check the record with mqstat raw'
  END                                     AS meaning,
  check_seconds                           AS observed,
  CASE time_check
    WHEN 'end of the interval' THEN $end_seconds_max
    WHEN 'clock' THEN $clock_seconds_max
    WHEN 'length of the interval' THEN $interval_seconds_max
    WHEN 'GMT offset' THEN $change_seconds_max
    ELSE $idle_seconds_max
  END                                     AS longest,
  CASE WHEN time_check = 'length of the interval' THEN least($interval_seconds_min, u.shortest_judged_seconds) END AS shortest
FROM (
  SELECT *, format(CASE WHEN abs(check_seconds) < 100 THEN '{:.1f}' ELSE '{:,.0f}' END, check_seconds) AS seconds_text
  FROM quality_record_time
) AS t
LEFT JOIN (SELECT DISTINCT lpar, qmgr, shortest_judged_seconds FROM interval_cut) AS u ON u.lpar = t.lpar AND u.qmgr = t.qmgr
LEFT JOIN qmgr AS q ON q.lpar = t.lpar AND q.qmgr = t.qmgr
LEFT JOIN known_error AS e ON e.lpar = t.lpar AND e.qmgr = t.qmgr AND e.apar = 'PH68566'
WHERE NOT (time_check = 'length of the interval' AND startup_interval)
