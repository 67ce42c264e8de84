/*---
id          = "CH008"
name        = "tls-task-busy"
title       = "A TLS task was busy nearly all the time"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "task_index"]
needs       = ["chinit_ssl_task.task_busy_pct"]
prints      = ["chinit_ssl_task.task_index", "chinit_ssl_task.task_requests", "chinit_ssl_task.average_request_et_us", "chinit_ssl_task.average_request_cpu_us"]
judge       = "any interval"
worst       = "highest"
culprits    = ["TLS starts"]
caused_by   = ["CN012", "CH030"]
measure     = "busy time of the TLS task"
when        = "observed > busy_pct"
guards      = ["G1", "G2"]
mq_since    = "8.0.0"
look        = ["DISPLAY CHINIT"]
raises      = ["SSLTASKS"]
plans       = ["chinit_ssltasks"]

[threshold.busy_pct]
value = 90.0
unit  = "percent"
kind  = "documented"
why   = "IBM recommends restarting a slow channel if its task is more than 90 % busy"
cite  = "MP16, 'SSLTASK statistics'"

[source]
cite = "MP16, 'SSLTASK statistics'; V92, 'Secret key (re-)negotiation costs'"

[advice]
summary = "TLS task {task_index} was {observed:.1f} % busy (limit {busy_pct} %) with {task_requests} request[s] of {average_request_et_us:.0f} µs each, of which {average_request_cpu_us:.0f} µs is CPU time: its channels wait for encryption."
remedy  = "Restart the channel that became slow: a channel keeps its TLS task until it ends, and may get a different one when it restarts. Use a cheaper CipherSpec, and check the cryptographic hardware (RMF)<<; if that is not enough, add tasks (SSLTASKS, one more than dispatchers): all {tasks_all_busy} were at least 20 % busy>>. Many channels that start at the same time have the same effect. If all channels use TLS 1.3, set SSLRKEYC(0): TLS 1.3 renews its keys itself, and another value only costs CPU time."
report  = "channel_initiator/ssl_tasks"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first,
  task_index,
  'TLS task ' || task_index AS subject,
  task_busy_pct             AS observed,
  task_requests, average_request_et_us, average_request_cpu_us, tasks_all_busy
FROM chinit_ssl_task
