/*---
id          = "CF012"
name        = "shared-queue-opened-through-the-cf-each-time"
title       = "Opens of a shared queue nearly always pay the first-open cost"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr", "base_name"]
needs       = ["shared_queue_open.open_cf_pct"]
prints      = ["shared_queue_open.opens", "shared_queue_open.opens_with_cf", "shared_queue_open.average_open_et_us", "shared_queue_open.average_open_cpu_us", "shared_queue_open.saving_cpu_s"]
judge       = "whole period"
worst       = "highest"
culprits    = ["CF opens"]
measure     = "share of opens that went to the coupling facility"
when        = "observed > open_cf_pct_max"
min_activity = "opens >= $opens_min"
look        = ["DISPLAY QSTATUS({base_name}) TYPE(HANDLE) ALL", "DISPLAY QLOCAL({base_name}) TRIGGER TRIGTYPE"]
plans       = ["shared_open_cost"]

[threshold.open_cf_pct_max]
value = 50.0
unit  = "percent"
kind  = "judgement"
why   = "if one handle is held open on the member, no open goes there"

[threshold.opens_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "fewer opens cost too little to act on"

[source]
cite = "MP16, 'Frequent opening of shared queues' (first-open and last-close effects); Z17, 'Client Channel start rate' (shared queues)"

[advice]
summary = "{opens_with_cf} of {opens} opens of shared queue {base_name} ({observed:.0f} %, limit {open_cf_pct_max} %) went to the coupling facility, because nobody else on this queue manager had the queue open; an open took {average_open_et_us:.0f} µs ({average_open_cpu_us:.0f} µs CPU) on average."
remedy  = "Keep one handle of the same type, input or output, open on each member with a task that sleeps: this would save about {saving_cpu_s:.1f} s of CPU in the period. Do not do this for queues with TRIGTYPE(FIRST): a handle held for input stops the trigger."
report  = "cf/open_close"
---*/
SELECT
  lpar, qmgr, base_name,
  'shared queue ' || base_name AS subject,
  open_cf_pct                  AS observed,
  opens, opens_with_cf, average_open_et_us, average_open_cpu_us, saving_cpu_s
FROM shared_queue_open
