/*---
id          = "DQ007"
name        = "record-times-inconsistent"
title       = "Times of a record contradict each other or the interval is implausible"
severity    = "info"
grain       = ["lpar", "qmgr"]
needs       = ["quality_record_time.check_seconds"]
prints      = ["quality_record_time.time_check", "quality_record_time.startup_interval"]
judge       = "any interval"
worst       = "highest"
breach_when = "long or short or unknown"
guards      = []
silenced_by = []
mq_since    = "base"
default_on  = true

[threshold.end_seconds_max]
value = 10
unit  = "s"
why   = "in every known record start and length lead to the time of writing within 10 ms"

[threshold.clock_seconds_max]
value = 60
unit  = "s"
why   = "local time differs from GMT by whole quarters of an hour"

[threshold.interval_seconds_min]
value = 10
unit  = "s"
why   = "shorter intervals are not judged for rates"

[threshold.interval_seconds_max]
value = 86400
unit  = "s"
why   = "no statistics interval lasts longer than a day"

[threshold.change_seconds_max]
value = 0
unit  = "s"
why   = "a planned change of clocks is one of an hour, not twice within four weeks, and is no finding"

[threshold.idle_seconds_max]
value = 0
unit  = "s"
why   = "the logger cannot idle longer than the interval, but for 1 % of measurement"

[clause.long]
when    = "observed > longest"
measure = "time that the check measures"
text    = "measured {value}"

[clause.short]
when    = "observed < shortest"
measure = "time that the check measures"
text    = "measured {value}"

[clause.unknown]
when    = "times_missing is true"
measure = "times of an interval"
text    = "no times of an interval"
clear   = "has times of an interval"

[source]
cite = "house rule: two scales of the interval length exist, and agreeing times prove which one holds; checked in all known records"
kind = "judgement"

[advice]
summary = "{statement}."
remedy  = "{meaning}."
report  = "overview/data_quality"
---*/
SELECT
  lpar, qmgr, interval_start_utc, record_id,
  time_check                              AS subject,
  CASE
    WHEN time_check = 'end of the interval'
    THEN printf('Start and length of the interval end %.1f s from the time of writing (limit %.0f s)',
      check_seconds, $end_seconds_max::DOUBLE)
    WHEN time_check = 'clock'
    THEN printf('Local time and GMT of a record are %.1f s off a whole quarter of an hour (limit %.0f s)',
      check_seconds, $clock_seconds_max::DOUBLE)
    WHEN time_check = 'GMT offset'
    THEN printf('The offset of local time from GMT changed by %.0f minutes within the period, which is no planned change of clocks',
      check_seconds / 60)
    WHEN time_check = 'idle time of the logger'
    THEN printf('The logger idled %.1f s longer than 101 %% of the interval', check_seconds)
    WHEN check_seconds IS NULL THEN 'The records have no times of an interval'
    ELSE printf('An interval lasted %.2f s (%.0f to %.0f s are plausible)',
      check_seconds, $interval_seconds_min::DOUBLE, $interval_seconds_max::DOUBLE)
  END                                     AS statement,
  CASE
    WHEN time_check = 'GMT offset'
    THEN 'Records of two zones may have one name, or the clock was set by hand: check where the inputs come from'
    WHEN check_seconds IS NULL THEN 'Before 7.1 the standard header holds none: nothing that needs an interval can be said'
    WHEN time_check = 'length of the interval' AND check_seconds < $interval_seconds_min
    THEN 'Such short intervals are not judged for rates'
    ELSE 'Joins by time and the rates of the interval may be wrong: look at the record with mqstat raw'
  END                                     AS meaning,
  check_seconds                           AS observed,
  CASE time_check
    WHEN 'end of the interval' THEN $end_seconds_max
    WHEN 'clock' THEN $clock_seconds_max
    WHEN 'length of the interval' THEN $interval_seconds_max
    WHEN 'GMT offset' THEN $change_seconds_max
    ELSE $idle_seconds_max
  END                                     AS longest,
  CASE WHEN time_check = 'length of the interval' THEN $interval_seconds_min END AS shortest,
  time_check = 'length of the interval' AND check_seconds IS NULL AS times_missing,
  CASE time_check
    WHEN 'end of the interval' THEN check_seconds > $end_seconds_max
    WHEN 'clock' THEN check_seconds > $clock_seconds_max
    WHEN 'length of the interval'
    THEN check_seconds IS NULL OR check_seconds < $interval_seconds_min OR check_seconds > $interval_seconds_max
    WHEN 'GMT offset' THEN check_seconds > $change_seconds_max
    ELSE check_seconds > $idle_seconds_max
  END                                     AS breach
FROM quality_record_time
WHERE NOT (time_check = 'length of the interval' AND startup_interval)
ORDER BY lpar, qmgr, interval_start_utc, time_check
