/*---
id       = "plan/single_server_capacity"
title    = "Capacity of one ordered task"
question = "How close is this task to its limit?"
subject  = "application"
needs    = ["task_saturation"]
holds    = "Tasks with one thread, accounting class 3, whose gets find a message at once."
source   = "MP16, 'Strict ordering - single reply application'"
result   = "utilisation"
note     = "A get that waits for a message counts as elapsed time: such tasks are left out. Time outside MQ is not included, so the true limit is lower."

[parameter.transactions]
unit     = "count"
measured = "commits of the busiest task of the application"
doc      = "Units of work of the task."
remedy   = "collect accounting class 3, or set transactions=100000"

[parameter.transaction_us]
unit     = "us"
measured = "time in MQ / commits of that task, where gets do not wait"
doc      = "Elapsed time in MQ for each unit of work: gets, puts and commit."
remedy   = "collect accounting class 3 of a task whose gets do not wait for messages, or set transaction_us=442us"
least    = 0.001

[parameter.commit_us]
unit     = "us"
measured = "average commit of that task"
doc      = "Elapsed time of a commit."
optional = true

[parameter.interval]
unit     = "s"
measured = "length of the interval of that task"
doc      = "Time of these units of work."
remedy   = "collect accounting class 3, or set interval=60s"
least    = 0.001

[parameter.warning]
unit    = "percent"
doc     = "Share of the time above which the task is near its limit."
default = 90
source  = "our assumption; MP16, 'Strict ordering - single reply application'"
most    = 100

[step.max_per_s]
unit    = "per_s"
label   = "units of work at most"
formula = "1,000,000 / elapsed time of each"

[step.achieved_per_s]
unit    = "per_s"
label   = "units of work now"
formula = "units of work / time"

[step.utilisation]
unit    = "percent"
label   = "time in MQ"
formula = "units of work * elapsed time of each / time"

[step.commit_share]
unit    = "percent"
label   = "share of the commit"
formula = "100 * elapsed time of a commit / elapsed time of each"

[answer.near]
text = "The task is near its limit: it was in MQ for {utilisation:,.1f} % of the time, at {achieved_per_s:,.0f} of at most {max_per_s:,.0f} units of work a second<<; {commit_share:,.0f} % of that is the commit>>."
do   = ["Serve the queue with several tasks if the order of messages allows it, or with more messages in each unit of work."]

[answer.room]
text = "The task was in MQ for {utilisation:,.1f} % of the time: at most {max_per_s:,.0f} units of work a second are possible, it did {achieved_per_s:,.0f}."
---*/
WITH busiest AS (
  SELECT *
  FROM task_saturation
  WHERE commits > 0 AND task_puts > 0 AND NOT waits_in_gets
  QUALIFY row_number() OVER (PARTITION BY lpar, qmgr, application ORDER BY mq_busy_pct DESC, commits DESC, record_id) = 1
)
SELECT
  lpar, qmgr, application AS subject,
  commits              AS transactions,
  mq_et_us / commits   AS transaction_us,
  commit_average_et_us AS commit_us,
  task_interval_s      AS "interval"
FROM busiest
WHERE application IS NOT NULL;

WITH used AS (
  SELECT *, pct(transactions * transaction_us / 1e6, "interval") AS utilisation
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, 1e6 / nullif(transaction_us, 0) AS max_per_s, per_s(transactions, "interval") AS achieved_per_s, utilisation,
  pct(commit_us, transaction_us) AS commit_share,
  CASE
    WHEN utilisation IS NULL OR warning IS NULL OR transaction_us = 0 THEN NULL
    WHEN utilisation >= warning THEN 'near'
    ELSE 'room'
  END AS answer
FROM used;
