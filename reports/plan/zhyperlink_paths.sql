/*---
id       = "plan/zhyperlink_paths"
title    = "Use of the zHyperLink paths"
question = "Are the zHyperLink function ids less than 25 % busy?"
subject  = "qmgr"
needs    = ["log"]
holds    = "MQ 9.4 and later. SMF 115 has the writes of MQ alone; RMF has all."
source   = "MP16, 'Are there sufficient zHyperLink paths to the DASD?'"
result   = "each_busy"
note     = "Without the figures of RMF this is a lower bound, because other users of the links are not included. IBM states no limit for writes that become ordinary I/O."

[parameter.mq_busy]
unit     = "percent"
measured = "time in synchronous zHyperLink writes in the busiest interval"
doc      = "Busy time of the links by log writes of MQ, as if there were one."
remedy   = "collect statistics class 1 on MQ 9.4, or set mq_busy=92%"

[parameter.rmf_writes]
unit     = "per_s"
doc      = "Synchronous writes per second of the storage system, from the RMF report of synchronous I/O."
optional = true
remedy   = "RMF reports it; set rmf_writes=13567.3/s"

[parameter.rmf_time]
unit     = "ms"
doc      = "Mean time of these writes, from the same report."
optional = true
remedy   = "RMF reports it; set rmf_time=115us"

[parameter.rmf_rate]
unit     = "mib_per_s"
doc      = "Data of these writes per second, from the same report."
optional = true
remedy   = "RMF reports it; set rmf_rate=592.9MB/s"

[parameter.function_ids]
unit    = "count"
fact    = "zhl_pfids"
doc     = "Function ids (PFIDs) of the links."
default = 8
source  = "MP16, 'Are there sufficient zHyperLink paths to the DASD?': as in the example; D PCIE shows yours"
least   = 1

[parameter.busy_wanted]
unit    = "percent"
doc     = "Highest busy time of a function id."
default = 25
source  = "MP16, 'Are there sufficient zHyperLink paths to the DASD?'"

[parameter.async_share]
unit     = "percent"
measured = "zHyperLink writes that became ordinary I/O, without those at log switches, in the same interval"
doc      = "Writes that became ordinary I/O."
optional = true

[step.rmf_busy]
unit    = "percent"
label   = "busy time by RMF, as if there were one function id"
formula = "writes per second * their time / 10"

[step.busy]
unit    = "percent"
label   = "busy time, as if there were one function id"
formula = "that of RMF if it is known, otherwise that of MQ"

[step.each_busy]
unit    = "percent"
label   = "busy time of each function id"
formula = "the same / function ids"

[step.bytes_per_write]
unit    = "bytes"
label   = "data of a write"
formula = "data per second / writes per second"

[step.function_ids_needed]
unit    = "count"
label   = "function ids needed"
formula = "busy time / busy time wanted, rounded up"

[answer.not_used]
text = "No log write used zHyperLink."

[answer.too_busy]
text = "Each of the {function_ids:.0f} function ids is at least {each_busy:,.1f} % busy, more than {busy_wanted:.0f} %: {function_ids_needed:.0f} are needed<<; {async_share:,.1f} % of the writes became ordinary I/O>>."
do   = ["Define more function ids for the links, or move other users of them."]

[answer.room]
text = "Each of the {function_ids:.0f} function ids is {each_busy:,.1f} % busy, which is within {busy_wanted:.0f} %<<; {async_share:,.1f} % of the writes became ordinary I/O>>."

[answer.room_at_least]
text = "Each of the {function_ids:.0f} function ids is at least {each_busy:,.1f} % busy by the writes of this queue manager alone, which is within {busy_wanted:.0f} %<<; {async_share:,.1f} % of them became ordinary I/O>>. RMF has the other users."
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  max(logger_spin_pct)                                  AS mq_busy,
  at_peak(interval_start_local, logger_spin_pct, interval_start_utc)        AS mq_busy_at,
  at_peak(zhl_async_pct_without_switch, logger_spin_pct, interval_start_utc) AS async_share,
  at_peak(interval_start_local, logger_spin_pct, interval_start_utc)        AS async_share_at
FROM log
WHERE judgeable(interval_seconds)
GROUP BY lpar, qmgr;

WITH timed AS (
  SELECT *, rmf_writes * rmf_time / 10                  AS rmf_busy
  FROM plan_input
),
chosen AS (
  SELECT *, CASE WHEN rmf_busy IS NOT NULL THEN rmf_busy ELSE mq_busy END AS busy
  FROM timed
)
SELECT
  lpar, qmgr, subject, rmf_busy, busy,
  busy / nullif(function_ids, 0)                        AS each_busy,
  rmf_rate * 1048576 / nullif(rmf_writes, 0)            AS bytes_per_write,
  ceil(busy / nullif(busy_wanted, 0))                   AS function_ids_needed,
  CASE
    WHEN busy / nullif(function_ids, 0) IS NULL THEN NULL
    WHEN busy = 0 THEN 'not_used'
    WHEN busy / function_ids > busy_wanted THEN 'too_busy'
    WHEN rmf_busy IS NOT NULL THEN 'room'
    ELSE 'room_at_least'
  END                                                   AS answer
FROM chosen;
