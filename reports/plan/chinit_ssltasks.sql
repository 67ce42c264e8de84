/*---
id       = "plan/chinit_ssltasks"
title    = "TLS tasks of the channel initiator"
question = "How many TLS tasks (SSLTASKS) must this channel initiator have?"
subject  = "qmgr"
needs    = ["channel_initiator"]
holds    = "MQ 8.0 and later, with statistics class 4."
source   = "MP16, 'SSLTASKS' and 'SSLTASK statistics'"
result   = "tasks_to_set"
note     = "A channel keeps the TLS task of its first handshake, so some tasks can be idle while another is busy. Restarting a channel above 90 % busy may move it to another task."


[parameter.ssl_tasks]
unit     = "count"
measured = "TLS tasks in the last interval"
fact     = "ssltasks"
doc      = "TLS tasks now (SSLTASKS)."
remedy   = "collect statistics class 4, or give DISPLAY CHINIT to mqstat site init, or set ssl_tasks=5"

[parameter.dispatchers]
unit     = "count"
measured = "dispatcher tasks in the last interval"
fact     = "chidisps"
doc      = "Dispatcher tasks now (CHIDISPS)."
remedy   = "collect statistics class 4, or give DISPLAY CHINIT to mqstat site init, or set dispatchers=5"
least    = 1

[parameter.tasks_in_use]
unit     = "count"
measured = "TLS tasks busy for more than 0.1 % in the interval with the most of them"
doc      = "TLS tasks that had work at once."
optional = true

[parameter.busiest]
unit     = "percent"
measured = "busy share of the busiest TLS task in the busiest interval"
doc      = "Busy share of the busiest TLS task."
optional = true

[parameter.cpus]
unit     = "count"
fact     = "cpus"
doc      = "Processors of the LPAR; more TLS tasks than processors are of some use."
optional = true
least    = 1

[parameter.task_storage]
unit    = "mib"
doc     = "31-bit storage of one TLS task."
default = 1.45
others  = [1.3]
source  = "MP16, 'Channel initiator task storage usage' (9.3 and later); 'SSLTASKS' has 1.3 MB"

[step.tasks_to_set]
unit    = "count"
label   = "TLS tasks to have"
formula = "dispatchers + 1, and at least processors + 1"

[step.more_tasks]
unit    = "count"
label   = "more than now"
formula = "TLS tasks to have - TLS tasks now"

[step.storage_needed]
unit    = "mib"
label   = "31-bit storage of these tasks"
formula = "TLS tasks to have * storage of one"

[step.more_storage]
unit    = "mib"
label   = "more 31-bit storage"
formula = "more tasks * storage of one"

[answer.no_task]
text = "There is no TLS task: where channels with a CipherSpec are planned, {tasks_to_set} are advised for {dispatchers:.0f} dispatcher[s]."

[answer.unused]
text = "No TLS task had work, so their number does not matter now; {tasks_to_set} would be advised, and there are {ssl_tasks:.0f}."

[answer.too_few]
text = "{tasks_to_set} TLS tasks are advised for {dispatchers:.0f} dispatcher[s]<< and {cpus:.0f} processor[s]>>; there are {ssl_tasks:.0f}<<, and the busiest was {busiest:,.0f} % busy>>. {more_tasks} more take {more_storage:,.1f} MiB of 31-bit storage."
do   = ["ALTER QMGR SSLTASKS({tasks_to_set})", "Restart the channel initiator to use it; that ends all its channels."]

[answer.busy]
text = "The {ssl_tasks:.0f} TLS tasks are as many as advised, but one was {busiest:,.0f} % busy: restart busy channels one at a time, so that another task takes them."

[answer.enough]
text = "The {ssl_tasks:.0f} TLS tasks are enough: {tasks_to_set} are advised for {dispatchers:.0f} dispatcher[s]<< and {cpus:.0f} processor[s]>><<, and the busiest was {busiest:,.0f} % busy>>."
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  arg_max(ssl_tasks, interval_start_utc)               AS ssl_tasks,
  arg_max(dispatchers, interval_start_utc)             AS dispatchers,
  max(ssl_tasks_in_use)                                AS tasks_in_use,
  at_peak(interval_start_local, ssl_tasks_in_use, interval_start_utc)      AS tasks_in_use_at,
  max(ssl_busiest_pct)                                 AS busiest,
  at_peak(interval_start_local, ssl_busiest_pct, interval_start_utc)       AS busiest_at
FROM channel_initiator
WHERE judgeable(interval_seconds)
GROUP BY lpar, qmgr;

WITH sized AS (
  -- A processor count that is not known leaves the advice of the dispatchers: greatest skips it.
  SELECT *, CASE WHEN dispatchers IS NOT NULL THEN greatest(dispatchers + 1, cpus + 1)::BIGINT END AS tasks_to_set
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, tasks_to_set,
  tasks_to_set - ssl_tasks::BIGINT                     AS more_tasks,
  tasks_to_set * task_storage                          AS storage_needed,
  (tasks_to_set - ssl_tasks) * task_storage            AS more_storage,
  CASE
    WHEN tasks_to_set IS NULL OR ssl_tasks IS NULL THEN NULL
    WHEN ssl_tasks = 0 THEN 'no_task'
    WHEN tasks_in_use = 0 THEN 'unused'
    WHEN ssl_tasks < tasks_to_set THEN 'too_few'
    WHEN busiest > 90 THEN 'busy'
    ELSE 'enough'
  END                                                  AS answer
FROM sized;
