/*---
id          = "CH010"
name        = "dns-task-slow-or-busy"
title       = "A name lookup took long, or the DNS task was busy"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr"]
mark_by     = ["task_index"]
needs_any   = [["chinit_dns_task.dns_longest_us", "chinit_dns_task.task_busy_pct"]]
prints      = ["chinit_dns_task.task_requests", "chinit_dns_task.dns_longest_repeated", "chinit_dns_task.dns_longest_at_local"]
judge       = "any interval"
worst       = "highest"
culprits    = ["DNS time"]
breach_when = "(long and new) or busy"
guards      = ["G1"]
mq_since    = "8.0.0"
look        = ["DISPLAY QMGR REVDNS", "DISPLAY CHSTATUS(*) STATUS SUBSTATE CONNAME"]
do          = ["ALTER QMGR REVDNS(DISABLED)", "Rules of CHLAUTH with host names no longer match then."]
sets        = ["REVDNS"]

[threshold.look_up_us_max]
value = 3000000
unit  = "us"
kind  = "guidance"
why   = "a lookup of more than three seconds is also reported by message CSQX788I"
cite  = "presentations of IBM consultants on message CSQX788I"

[threshold.busy_pct]
value = 75.0
unit  = "percent"
kind  = "judgement"
why   = "one task serves all channel starts"

[clause.long]
when    = "observed > look_up_us_max"
measure = "longest name lookup"
missing = "fails"
summary = "The longest name lookup took {longest_s:.10g} s (limit {limit_s:.10g} s); the DNS task was {task_busy_pct:.1f} % busy with {task_requests} request[s]. While it waits for an answer, no other channel with a host name can start."

[clause.new]
when    = "dns_longest_repeated is false"
measure = "new lookup"
text    = "not the lookup of the previous interval"
clear   = "the same lookup as in the previous interval"

[clause.busy]
when    = "task_busy_pct > busy_pct"
measure = "busy time of the DNS task"
summary = "The DNS task was {task_busy_pct:.1f} % busy (limit {busy_pct} %) with {task_requests} request[s]; the longest name lookup took {longest_s:.10g} s. While it waits for an answer, no other channel with a host name can start."

[source]
cite = "IBM documentation, channel initiator statistics; message CSQX788I; APAR PH69352"

[advice]
summary = "The longest name lookup took {longest_s:.10g} s (limit {limit_s:.10g} s), and the DNS task was {task_busy_pct:.1f} % busy (limit {busy_pct} %) with {task_requests} request[s]. While it waits for an answer, no other channel with a host name can start."
remedy  = "Check the name servers and reverse lookups at that time (CSQX788I), use addresses in CONNAME, switch reverse lookups off, and look for channels that start again and again. If the DNS task is always busy, open an IBM support case."
report  = "channel_initiator/dns_task"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first,
  'DNS task'                AS subject,
  dns_longest_us            AS observed,
  dns_longest_us / 1e6      AS longest_s,
  $look_up_us_max / 1e6     AS limit_s,
  task_index, dns_longest_at_local, dns_longest_repeated, task_busy_pct, task_requests
FROM chinit_dns_task
