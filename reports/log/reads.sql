/*---
id       = "log/reads"
title    = "Log reads and backouts"
question = "When was the log read, from where, and who backed out at that time?"
needs    = ["log", "interval_work"]
rules    = ["LG015", "LG016", "LG017", "LG040"]
unseen   = true
grain    = ["lpar", "qmgr", "interval_start_utc"]
drill_down = ["task/units_of_work", "log/activity"]
note     = "Only intervals in which active or archive logs were read. A restart and a recovery read the log without an application. Without class 3 accounting nobody is named."

[columns]
lpar = { screen = 2 }
startup_interval = { screen = 2 }
log_reads_buffer = { label = "from buffers", screen = 1 }
log_reads_active = { label = "from active logs", screen = 1 }
log_reads_archive = { label = "from archives", screen = 1 }
backout_us = { unit = "us", label = "backout µs", screen = 1, doc = "Elapsed time of the backouts of tasks whose accounting interval ended in this interval; null without class 3 accounting that shows a backout.", over = "add" }
top_application = { unit = "text", label = "most by", screen = 1, doc = "The application with the most backout time." }
top_backout_us = { unit = "us", label = "its µs", screen = 2, doc = "Its backout time.", over = "max" }
---*/
WITH undone AS (
  SELECT
    lpar, qmgr, interval_start_utc,
    sum(work_value)                                                        AS backout_us,
    arg_max(application_group, (work_value, application_group))            AS top_application,
    max(work_value)                                                        AS top_backout_us
  FROM interval_work
  WHERE work_measure = 'backout time'
  GROUP BY lpar, qmgr, interval_start_utc
)
SELECT
  q.lpar, q.qmgr, q.interval_start_utc, q.interval_seconds, q.startup_interval, q.log_reads_buffer, q.log_reads_active, q.log_reads_archive,
  u.backout_us, u.top_application, u.top_backout_us
FROM log AS q
LEFT JOIN undone AS u ON u.lpar = q.lpar AND u.qmgr = q.qmgr AND u.interval_start_utc = q.interval_start_utc
WHERE q.log_reads_active > 0 OR q.log_reads_archive > 0
ORDER BY lpar, qmgr, interval_start_utc, interval_seconds
