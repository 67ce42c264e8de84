/*---
id          = "DM002"
name        = "object-churn"
title       = "Objects are created at a high rate"
severity    = "warning"
weight      = "waste"
grain       = ["lpar", "qmgr"]
needs       = ["data_manager.object_creates_per_s"]
prints      = ["data_manager.object_creates", "data_manager.object_deletes"]
judge       = "share >= 10 %"
worst       = "highest"
measure     = "objects created per second"
when        = "observed > creates_per_s_max"
guards      = ["G1", "G2"]
look        = ["DISPLAY QMODEL(*) DEFTYPE"]

[threshold.creates_per_s_max]
value = 5.0
unit  = "per_s"
kind  = "judgement"
why   = "no document gives a rate; five per second are 18,000 queues per hour, each of which waits for a log write"

[source]
cite = "MP16, 'TEMPDYN queues - MQOPEN' (225 µs and a log write for a temporary dynamic queue, 2 µs for an existing one)"

[advice]
summary = "{object_creates} object[s] [were|was] created and {object_deletes} deleted, {observed:.1f} creates per second (limit {creates_per_s_max}): usually a temporary dynamic queue for each client or request, whose open waits for a log write."
remedy  = "Use permanent reply queues with unique correlation identifiers and INDXTYPE(CORRELID), and keep connections and queues open. Accounting class 3 shows the model queue. Definitions by script and managed queues of nondurable subscriptions count too."
report  = "data_manager/object_churn"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first,
  'objects'                 AS subject,
  object_creates_per_s      AS observed,
  object_creates, object_deletes
FROM data_manager
