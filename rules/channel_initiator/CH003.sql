/*---
id          = "CH003"
name        = "fewer-adapters-than-recommended"
title       = "Fewer adapters than IBM recommends, and none was idle"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["channel_initiator.adapter_least_busy_pct"]
prints      = ["channel_initiator.adapters", "channel_initiator.adapter_average_pct", "site_input.cpus"]
judge       = "share >= 5 %"
weighted_by = "interval_seconds"
weighted_min = 14400
worst       = "lowest"
breach_when = "few and none_idle"
guards      = ["G1", "G2"]
mq_since    = "8.0.0"
look        = ["DISPLAY CHINIT"]
raises      = ["CHIADAPS"]
do_of_plan  = "chinit_adapters"
plans       = ["chinit_adapters"]

[threshold.base]
value = 30
unit  = "count"
kind  = "documented"
why   = "IBM recommends CHIADAPS(30) for heavy persistent work on up to 4 processors"
cite  = "MP16, 'CHIADAPS'"

[threshold.per_cpu]
value = 8
unit  = "count"
kind  = "documented"
why   = "IBM adds 8 adapters for each processor beyond four"
cite  = "MP16, 'CHIADAPS'"

[threshold.cap]
value = 120
unit  = "count"
kind  = "documented"
why   = "IBM recommends at most this number, and has seen no disadvantage in having so many"
cite  = "MP16, 'CHIADAPS'"

[threshold.cpus_default]
value = 4
unit  = "count"
kind  = "judgement"
why   = "assumed if the site file does not give the number of processors of the LPAR"

[threshold.idle_busy_pct]
value = 1.0
unit  = "percent"
kind  = "documented"
why   = "an adapter below 1 % busy was not needed, as in CH001"
cite  = "IBM documentation, adapter tasks"

[clause.few]
when          = "observed < recommended"
measure       = "adapter[s]"
compared_with = "{limit} recommended"

[clause.none_idle]
when    = "adapter_least_busy_pct >= idle_busy_pct"
measure = "busy time of the least busy adapter"

[source]
cite = "MP16, 'CHIADAPS'; V92, 'Guidance for adapters and dispatchers with AMS Interception on z/OS'; AMSI, 'Guidance for adapters and dispatchers with AMS Message Channel Interception'"
kind = "documented"

[advice]
summary = "The channel initiator has {adapters} adapter[s], and none was idle: the least busy one was {adapter_least_busy_pct:.1f} % busy (an adapter below {idle_busy_pct} % counts as idle). IBM recommends {recommended:.0f} for {cpus_used:.0f} processor[s] ({cpus_from})."
remedy  = "Persistent messages and clients keep an adapter busy while the log is written. If channels only do AMS interception, more adapters may only increase the time for local locks."
report  = "channel_initiator/task_balance"
---*/
WITH
adapter AS (
  SELECT
    c.lpar, c.qmgr, c.interval_start_utc, c.interval_seconds, c.record_id, c.fragment, c.startup_interval, c.suspect_first,
    c.adapters, c.adapter_least_busy_pct, c.adapter_average_pct,
    coalesce(s.cpus, $cpus_default) AS cpus_used,
    CASE WHEN s.cpus IS NULL THEN 'assumed' ELSE 'site' END AS cpus_from
  FROM channel_initiator AS c
  LEFT JOIN site_input AS s ON s.lpar = c.lpar AND s.qmgr = c.qmgr
),
advised AS (
  SELECT *, least($cap, $base + $per_cpu * greatest(0, cpus_used - 4)) AS recommended
  FROM adapter
)
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first,
  'adapters'                AS subject,
  adapters                  AS observed,
  adapters, adapter_least_busy_pct, adapter_average_pct, recommended, cpus_used, cpus_from
FROM advised
WHERE adapters > 0
