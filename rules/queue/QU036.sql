/*---
id          = "QU036"
name        = "expensive-queue"
title       = "Calls on one queue cost far more than on others like it"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr", "queue"]
needs       = ["queue_cost.cost_ratio", "queue_cost.queue_share_of_cpu_pct"]
prints      = ["queue_cost.peer_calls", "queue_cost.top_application"]
judge       = "whole period"
worst       = "highest"
breach_when = "expensive and large"
min_activity = "queue_calls >= $calls_min AND peer_calls >= $calls_min"
silenced_by = ["QU014", "QU017", "QU035"]
caused_by   = ["QU012", "QU013", "QU015", "QU016", "QU018", "QU019", "QU020"]
look        = ["mqstat report --report queue/all --qmgr {qmgr}"]

[threshold.ratio_max]
value = 10.0
unit  = "ratio"
kind  = "judgement"
why   = "queues of one kind differ by less, except for what a rule or an error explains"

[threshold.cpu_pct_max]
value = 25.0
unit  = "percent"
kind  = "judgement"
why   = "only a queue with a large share of the CPU time matters"

[threshold.calls_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "a mean of fewer calls is not reliable"

[clause.expensive]
when    = "observed >= ratio_max"
measure = "CPU time of a call, per that on other queues of its kind"

[clause.large]
when    = "cpu_pct >= cpu_pct_max"
measure = "CPU time of the queue as a share of that of all MQ calls"

[source]
cite = "MP16, 'How do I know if I am using a good message selector?' (compares the CPU time of an MQGET with what its message size leads to expect)"

[advice]
summary = "A call on queue {queue} took {cpu_per_call_us:.0f} µs of CPU time, {observed:.0f} time[s] the {peer_cpu_per_call_us:.1f} µs of the other queues of its disposition, persistence and message size (limit {ratio_max}). The queue used {cpu_pct:.1f} % of the CPU time of all MQ calls in class 3 (limit {cpu_pct_max} %), {application} most of it."
remedy  = "Check which call is expensive and what it does: messages and pages skipped, opens, reads from the page set, list reads of a structure. If nothing explains the time, open an IBM support case."
report  = "queue/cpu"
---*/
SELECT
  lpar, qmgr, base_name         AS queue,
  'queue ' || base_name         AS subject,
  cost_ratio                    AS observed,
  queue_calls, peer_calls, cpu_per_call_us, peer_cpu_per_call_us,
  queue_share_of_cpu_pct        AS cpu_pct,
  top_application               AS application
FROM queue_cost
