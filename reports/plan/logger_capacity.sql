/*---
id       = "plan/logger_capacity"
title    = "Capacity of the log writer"
question = "Is the single logger task the limit, and what is it waiting for?"
subject  = "qmgr"
needs    = ["log"]
holds    = "MQ 7.1 and later; time in zHyperLink writes from 9.4."
source   = "MP16, 'Why does my log performance matter?' and 'zHyperLink support for MQ active logs'"
result   = "highest_rate"
note     = "IBM states no limit for the time that the logger is busy: 80 % is our own. The highest rate assumes the same message sizes and the same DASD."


[coverage]
least = 0.25
unit  = "h"
why   = "the peak of a shorter time shows little"

[parameter.task_busy]
unit     = "percent"
measured = "time that the logger task was not idle, in its busiest interval"
doc      = "Time that the logger task was busy."
remedy   = "collect statistics class 1, or set task_busy=60%"
most     = 100

[parameter.io_busy]
unit     = "percent"
measured = "suspend time of the slower copy in the same interval"
doc      = "Time that the logger task waited for log I/O."
remedy   = "collect statistics class 1, or set io_busy=50%"

[parameter.spin]
unit     = "percent"
measured = "time in synchronous zHyperLink writes in the same interval"
doc      = "Time that the logger task spent in synchronous zHyperLink writes."
default  = 0
source   = "MP16, 'zHyperLink support for MQ active logs': none without zHyperLink"

[parameter.rate_per_copy]
unit     = "mib_per_s"
measured = "log data written to copy 1 per second in the same interval"
doc      = "Log data written to each copy per second."
remedy   = "collect statistics class 1, or set rate_per_copy=20MiB/s"

[parameter.busy_wanted]
unit    = "percent"
doc     = "Busy time of the logger task up to which there is headroom."
default = 80
source  = "MP16, 'Why does my log performance matter?' states no limit: our own choice, as in the rules LG002 and LG003"
least   = 1
most    = 100

[step.io_share]
unit    = "percent"
label   = "busy time that is log I/O"
formula = "100 * I/O busy / task busy"

[step.other_busy]
unit    = "percent"
label   = "busy time that is neither I/O nor zHyperLink"
formula = "task busy - I/O busy - time in zHyperLink writes, at least 0"

[step.highest_rate]
unit    = "mib_per_s"
label   = "rate at which the task is always busy"
formula = "rate of each copy * 100 / task busy"

[step.headroom]
unit    = "mib_per_s"
label   = "rate left until then"
formula = "that rate - present rate"

[step.rate_wanted]
unit    = "mib_per_s"
label   = "rate at the busy time wanted"
formula = "rate of each copy * busy time wanted / task busy"

[answer.limit_io]
text = "The logger task was {task_busy:,.1f} % busy, {io_share:,.0f} % of that in log I/O: the DASD is the limit. It wrote {rate_per_copy:,.1f} MiB/s to each copy and can write about {highest_rate:,.1f}."
do   = ["Shorten the log writes: zHyperWrite if the logs are mirrored, zHyperLink, or striped logs if messages are large; or move work to another queue manager."]

[answer.limit_spin]
text = "The logger task was {task_busy:,.1f} % busy, {spin:,.1f} % of the time in synchronous zHyperLink writes: these are the limit. It wrote {rate_per_copy:,.1f} MiB/s to each copy and can write about {highest_rate:,.1f}."
do   = ["Move part of the persistent messages to another queue manager: zHyperLink writes are the shortest there are."]

[answer.limit_cpu]
text = "The logger task was {task_busy:,.1f} % busy, but only {io_share:,.0f} % of that was log I/O and {spin:,.1f} % of the time zHyperLink: it lacked CPU, or its own work is the limit. It wrote {rate_per_copy:,.1f} MiB/s to each copy and can write about {highest_rate:,.1f}."
do   = ["Look at the CPU that the queue manager gets (RMF, workload manager) before the DASD."]

[answer.headroom]
text = "The logger task has headroom: it was {task_busy:,.1f} % busy at most while it wrote {rate_per_copy:,.1f} MiB/s to each copy. It reaches {busy_wanted:,.0f} % at about {rate_wanted:,.1f} MiB/s and is always busy at {highest_rate:,.1f}."

[answer.idle]
text = "The logger task was {task_busy:,.2f} % busy at most: too little to estimate its limit, and far from it."
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  sum(interval_seconds) / 3600                           AS covered,
  max(logger_task_busy_pct)                              AS task_busy,
  at_peak(interval_start_local, logger_task_busy_pct, interval_start_utc)    AS task_busy_at,
  at_peak(logger_io_busy_pct, logger_task_busy_pct, interval_start_utc)      AS io_busy,
  at_peak(interval_start_local, logger_task_busy_pct, interval_start_utc)    AS io_busy_at,
  at_peak(logger_spin_pct, logger_task_busy_pct, interval_start_utc)         AS spin,
  at_peak(interval_start_local, logger_task_busy_pct, interval_start_utc)    AS spin_at,
  at_peak(copy1_mib_per_s, logger_task_busy_pct, interval_start_utc)         AS rate_per_copy,
  at_peak(interval_start_local, logger_task_busy_pct, interval_start_utc)    AS rate_per_copy_at
FROM log
WHERE judgeable(interval_seconds)
GROUP BY lpar, qmgr;

WITH shared AS (
  SELECT
    *,
    pct(io_busy, task_busy)                              AS io_share,
    task_busy - io_busy - spin                           AS rest,
    rate_per_copy * 100 / nullif(task_busy, 0)           AS highest_rate,
    rate_per_copy * busy_wanted / nullif(task_busy, 0)   AS rate_wanted
  FROM plan_input
),
bounded AS (
  SELECT *, if(rest < 0, 0, rest)                        AS other_busy
  FROM shared
)
SELECT
  lpar, qmgr, subject, io_share, other_busy, highest_rate, highest_rate - rate_per_copy AS headroom, rate_wanted,
  CASE
    WHEN task_busy IS NULL OR io_busy IS NULL OR rate_per_copy IS NULL THEN NULL
    WHEN task_busy < 1 THEN 'idle'
    WHEN task_busy < busy_wanted THEN 'headroom'
    WHEN io_share >= 90 THEN 'limit_io'
    WHEN spin >= other_busy AND spin > 0 THEN 'limit_spin'
    ELSE 'limit_cpu'
  END                                                    AS answer
FROM bounded;
