/*---
id          = "TA007"
name        = "single-consumer-saturated"
title       = "One task spends nearly the whole interval inside MQ"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "task_correlator"]
needs       = ["task_saturation.mq_busy_pct", "task_saturation.task_gets"]
prints      = ["task_saturation.task_gets", "task_saturation.max_transactions_per_s", "task_saturation.achieved_transactions_per_s", "task_saturation.commit_average_et_us"]
judge       = "any interval"
worst       = "highest"
measure     = "elapsed time of the task in MQ calls"
when        = "observed > busy_pct_max"
guards      = ["G1"]
min_activity = "task_gets > $gets_min"
look        = ["mqstat report --report task/saturation --qmgr {qmgr}"]
plans       = ["single_server_capacity"]

[threshold.busy_pct_max]
value = 90.0
unit  = "percent"
kind  = "judgement"
why   = "IBM's example of a single reply task ran at 97.9 % of its theoretical maximum"

[threshold.gets_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "with fewer messages, long calls and not their number fill the interval"

[source]
cite = "MP16, 'Strict ordering - single reply application'"

[advice]
summary = "{application} spent {observed:.1f} % of an accounting interval in MQ calls (limit {busy_pct_max:.0f} %) and got {task_gets} message[s]: {achieved_transactions_per_s:.0f} of at most {max_transactions_per_s:.0f} unit[s] of work per second, {commit_average_et_us:.0f} µs for each commit. It cannot go faster; the queue grows as soon as more arrives."
remedy  = "Serve the queue with several tasks if the order of the messages allows it, get more messages per commit, or make the log faster (log/io). A task that is slowed down on purpose may be intentional."
report  = "task/saturation"
---*/
-- More than 100 % is impossible: DQ012 reports such records.
SELECT
  lpar, qmgr, task_correlator, interval_start_utc, interval_seconds, record_id,
  coalesce(application, 'unknown application') || ', task started ' || strftime(task_start_local, '%Y-%m-%d %H:%M:%S.%f')
    || coalesce(printf(' (UTC%+03d:%02d)', epoch(task_start_local - task_start_utc)::INTEGER // 3600, abs(epoch(task_start_local - task_start_utc)::INTEGER) // 60 % 60), '') AS subject,
  application,
  mq_busy_pct                AS observed,
  task_gets, max_transactions_per_s, achieved_transactions_per_s, commit_average_et_us
FROM task_saturation
WHERE NOT waits_in_gets AND mq_busy_pct <= 100
