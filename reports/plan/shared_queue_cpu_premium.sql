/*---
id       = "plan/shared_queue_cpu_premium"
title    = "CPU of shared against private queues"
question = "What does it cost to move these messages from private to shared queues?"
subject  = "qmgr"
needs    = []
holds    = "Persistent messages, z16; the private queue in its best case."
source   = "MP16, 'Shared queue persistent message - CPU costs'"
result   = "shared_cpu"

[parameter.private_cpu]
unit   = "us"
doc    = "CPU for each message on the private queue, put and got."
remedy = "take the CPU of put, get and commit from the plan of message costs or accounting class 3, and set private_cpu=12us"

[parameter.message_bytes]
unit    = "bytes"
doc     = "Bytes of a message with all headers but the MQMD."
default = 1000
source  = "MP16, 'Shared queue persistent message - CPU costs': the smaller of the two measured sizes"

[parameter.messages_per_day]
unit     = "per_day"
doc      = "Messages that would move."
optional = true
remedy   = "set messages_per_day=1000000/d"

[parameter.queue_managers]
unit    = "count"
doc     = "Queue managers that use the shared queue."
default = 1
source  = "MP16, 'Shared queue persistent message - CPU costs'"
least   = 1

[step.more_pct]
unit    = "percent"
label   = "more CPU"
formula = "225 % at 1000 bytes, 200 % at 5000, in between by the size"

[step.per_extra_pct]
unit    = "percent"
label   = "more for each further queue manager"
formula = "3 % at 1000 bytes, 2 % at 5000, in between by the size"

[step.factor]
unit    = "ratio"
label   = "shared against private"
formula = "1 + (more + more for each further * (queue managers - 1)) / 100"

[step.shared_cpu]
unit    = "us"
label   = "CPU for each message on the shared queue"
formula = "private CPU * factor"

[step.more_cpu_s]
unit    = "s"
label   = "more CPU each day"
formula = "messages a day * (shared - private CPU)"

[answer.costs]
text = "A message of {message_bytes:,.0f} bytes would take {shared_cpu:,.1f} µs of CPU instead of {private_cpu:,.1f}, {factor:,.2f} times as much, with {queue_managers:.0f} queue manager[s]<<: {more_cpu_s:,.0f} s more each day>>. CPU of the coupling facility is not included."
---*/
SELECT NULL AS lpar, NULL AS qmgr, NULL AS subject WHERE false;

WITH placed AS (
  SELECT *, CASE WHEN message_bytes < 1000 THEN 0 WHEN message_bytes > 5000 THEN 1 ELSE (message_bytes - 1000) / 4000 END AS share
  FROM plan_input
),
stated AS (
  SELECT *, 225 - 25 * share AS more_pct, 3 - share AS per_extra_pct
  FROM placed
),
multiplied AS (
  SELECT *, 1 + (more_pct + per_extra_pct * (queue_managers - 1)) / 100 AS factor
  FROM stated
)
SELECT
  lpar, qmgr, subject, more_pct, per_extra_pct, factor, private_cpu * factor AS shared_cpu,
  messages_per_day * private_cpu * (factor - 1) / 1e6 AS more_cpu_s,
  CASE WHEN private_cpu IS NOT NULL AND factor IS NOT NULL THEN 'costs' END AS answer
FROM multiplied;
