/*---
id          = "LG010"
name        = "log-filling-faster-than-30-minutes"
title       = "An active log fills too fast at peak"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs_any   = [["log_window.window_log_switches", "log_window.seconds_per_log"]]
prints      = ["log_window.window_seconds", "log_window.window_log_mib_created", "log_window.interval_log_switches", "log_window.interval_seconds_per_log", "log_window.interval_log_mib_created"]
judge       = "any interval"
worst       = "lowest"
culprits    = ["log bytes"]
breach_when = "fast and switches"
# no guards: a window of one hour, and single intervals of at least interval_seconds_min
mq_since    = "9.1.2"
look        = ["DISPLAY LOG"]
raises      = ["size and number of active logs"]
plans       = ["log_rate_measured", "log_size_and_count"]

[threshold.fill_seconds_min]
value = 1800
unit  = "s"
kind  = "documented"
why   = "IBM wants logs that last 30 minutes at the expected peak"
cite  = "MP16, 'How large should the active logs be?'"

[threshold.interval_seconds_min]
value = 300
unit  = "s"
kind  = "judgement"
why   = "two switches in a shorter interval may be one full log and one ARCHIVE LOG command"

[clause.fast]
when    = "observed < fill_seconds_min"
measure = "time that one active log lasted"

[clause.switches]
when    = "switched is true"
measure = "at least two log switches"
text    = "at least two log switches"
clear   = "fewer than two log switches"

[source]
cite = "MP16, 'How large should the active logs be?', 'Log data set pre-format' and 'What impact is there when DWP writes large amounts of data?'"

[advice]
summary = "One active log lasted {observed:.0f} s (limit {fill_seconds_min} s): <<{switches} log switch[es] and >>{log_mib_created:.0f} MiB of new log data in {seconds:.0f} s."
remedy  = "Define larger active logs (up to 4 GB) and more of them, or spread the persistent load. Each switch causes a checkpoint and an archive, and the faster logs fill, the less time there is to repair a stuck archive. Automated ARCHIVE LOG commands count as switches too. Format new logs before use. Larger logs put more data between checkpoints: to write 4 GB to one page set took 7 to 13 s in IBM's tests, in which persistent work is slower."
report  = "log/rate"
---*/
WITH basis AS (
  SELECT
    *,
    CASE WHEN interval_seconds >= $interval_seconds_min THEN interval_seconds_per_log END AS by_interval,
    CASE WHEN window_log_switches < 2 THEN NULL ELSE seconds_per_log END AS by_window
  FROM log_window
),
shorter AS (
  SELECT *, coalesce(by_interval < by_window, by_interval IS NOT NULL) AS is_interval
  FROM basis
)
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'active logs'             AS subject,
  -- Timers may be microseconds short: 1799.99 s counts as half an hour.
  round(CASE WHEN is_interval THEN by_interval ELSE by_window END)                    AS observed,
  CASE WHEN is_interval THEN interval_log_switches ELSE window_log_switches END       AS switches,
  CASE WHEN is_interval THEN interval_log_mib_created ELSE window_log_mib_created END AS log_mib_created,
  CASE WHEN is_interval THEN interval_seconds ELSE window_seconds END                 AS seconds,
  is_interval OR coalesce(window_log_switches >= 2, true)                             AS switched
FROM shorter
