/*---
id          = "CH002"
name        = "adapter-pool-saturated"
title       = "All adapters were busy for most of the interval"
severity    = "warning"                   # critical where two or more intervals in a row, of ten minutes together, reach critical_pct
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["channel_initiator.adapter_least_busy_pct"]
prints      = ["channel_initiator.adapters", "channel_initiator.adapter_average_pct", "channel_initiator.adapter_average_wait_us"]
judge       = "2 consecutive"
worst       = "highest"
culprits    = ["adapter time", "channel calls"]
breach_when = "(critical and lasting) or busy"
guards      = ["G1", "G2"]
caused_by   = ["CH031", "CH004", "BP001", "BP002", "LG001", "LG002", "LG004", "CF006", "DB001"]
mq_since    = "8.0.0"
look        = ["DISPLAY CHINIT"]
raises      = ["CHIADAPS"]
do_of_plan  = "chinit_adapters"
plans       = ["chinit_adapters"]

[threshold.busy_pct]
value = 50.0
unit  = "percent"
kind  = "judgement"
why   = "IBM writes 'most of the interval', taken here as half; in IBM's own test series, throughput was still flat at 51 to 64 %"

[threshold.critical_pct]
value = 90.0
unit  = "percent"
kind  = "judgement"
why   = "in IBM's own test series, the adapters are saturated at 98 %"

[threshold.interval_seconds_min]
value = 10
unit  = "s"
kind  = "judgement"
why   = "a share of fewer seconds is chance, unless intervals of seconds are usual: such an interval is not one of the two"

[threshold.lasting_seconds_min]
value = 570
unit  = "s"
kind  = "judgement"
why   = "two intervals of five minutes, less 5 % for timers that are a little short"

[clause.critical]
when    = "observed >= critical_pct"
measure = "busy time of the least busy adapter"

[clause.lasting]
when    = "saturated is true"
measure = "ten minutes in a row"
text    = "two intervals and ten minutes in a row"
clear   = "not two intervals and ten minutes in a row"

[clause.busy]
when    = "observed >= busy_pct"
measure = "busy time of the least busy adapter"

[source]
cite = "IBM documentation, adapter tasks; V92, 'Varying the number of adapter tasks'; MP16, 'CHIADAPS'"

[advice]
summary = "Even the least busy of the {adapters} adapter[s] was {observed:.1f} % busy (limit {limit_pct} %), the average was {adapter_average_pct:.1f} %, and each request waited {adapter_average_wait_us:.0f} µs: MQI calls of all channels and clients have to wait."
remedy  = "Add adapters, then check what keeps them busy: log I/O, message selectors, immediate writes of a full buffer pool, AMS."
report  = "channel_initiator/adapters"
---*/
WITH
usable AS (
  SELECT
    *,
    adapter_least_busy_pct >= $critical_pct AND NOT coalesce(fragment, interval_seconds < $interval_seconds_min)
      AND NOT coalesce(startup_interval OR suspect_first, false) AS at_capacity,
    interval_start_utc + to_microseconds((interval_seconds * 1e6)::BIGINT) AS end_utc
  FROM channel_initiator
  WHERE adapters > 0
),
stepped AS (
  SELECT
    *,
    coalesce(at_capacity AND lag(at_capacity) OVER near AND epoch_us(interval_start_utc - lag(end_utc) OVER near) <= 2000000, false) AS goes_on
  FROM usable
  WINDOW near AS (PARTITION BY lpar, qmgr ORDER BY interval_start_utc)
),
numbered AS (
  SELECT *, count(*) FILTER (NOT goes_on) OVER (PARTITION BY lpar, qmgr ORDER BY interval_start_utc ROWS UNBOUNDED PRECEDING) AS run
  FROM stepped
),
lasting AS (
  SELECT *, at_capacity AND count(*) OVER together > 1 AND sum(interval_seconds) OVER together >= $lasting_seconds_min AS saturated
  FROM numbered
  WINDOW together AS (PARTITION BY lpar, qmgr, run)
)
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first,
  'adapters'                AS subject,
  adapter_least_busy_pct    AS observed,
  saturated,
  CASE WHEN saturated THEN $critical_pct ELSE $busy_pct END AS limit_pct,
  adapters, adapter_average_pct, adapter_average_wait_us,
  CASE WHEN saturated THEN 'critical' END AS severity
FROM lasting
