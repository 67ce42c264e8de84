/*---
id          = "CH009"
name        = "too-few-tls-tasks"
title       = "SSLTASKS is below CHIDISPS + 1 while TLS is in use"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["channel_initiator.ssl_busy_total_pct"]
prints      = ["channel_initiator.ssl_tasks", "channel_initiator.dispatchers", "channel_initiator.recommended_ssl_tasks", "channel_initiator.ssl_busiest_pct"]
judge       = "share >= 10 %"
weighted_by = "interval_seconds"
weighted_min = 14400
worst       = "highest"
culprits    = ["TLS starts"]
breach_when = "used and few and busy"
caused_by   = ["CH030"]
guards      = ["G1"]
mq_since    = "8.0.0"
look        = ["DISPLAY CHINIT"]
raises      = ["SSLTASKS"]
do_of_plan  = "chinit_ssltasks"
plans       = ["chinit_ssltasks"]

[threshold.in_use_pct]
value = 10.0
unit  = "percent"
kind  = "judgement"
why   = "below it TLS is hardly used"

[threshold.busiest_pct_min]
value = 20.0
unit  = "percent"
kind  = "judgement"
why   = "where the busiest task is idle for four fifths of the time, hardly any request waits for a task, and more tasks change nothing"

[clause.used]
when    = "observed > in_use_pct"
measure = "busy time of all TLS tasks together"

[clause.few]
when          = "ssl_tasks < recommended_ssl_tasks"
measure       = "TLS task[s]"
compared_with = "{limit} recommended"

[clause.busy]
when    = "ssl_busiest_pct >= busiest_pct_min"
measure = "busy time of the busiest TLS task"

[source]
cite = "MP16, 'SSLTASKS' (how many are needed)"

[advice]
summary = "The channel initiator has {ssl_tasks} TLS task[s] for {dispatchers} dispatcher[s]; {recommended_ssl_tasks} [are|is] recommended. Together the tasks used {observed:.1f} % of one task's time (TLS counts as in use above {in_use_pct} %), the busiest {ssl_busiest_pct:.1f} %."
remedy  = "With fewer TLS tasks than dispatchers, channels wait for encryption."
report  = "channel_initiator/task_balance"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first,
  'TLS tasks'               AS subject,
  ssl_busy_total_pct        AS observed,
  ssl_tasks, dispatchers, recommended_ssl_tasks, ssl_busiest_pct
FROM channel_initiator
WHERE ssl_tasks > 0
