/*---
id       = "plan/ams_idle_getters"
title    = "Gets without a message on protected queues"
question = "What do gets that find no message cost on queues with an AMS policy?"
subject  = "qmgr"
needs    = ["queue_flow"]
holds    = "Advanced Message Security of MQ 8.0 on zEC12, a get buffer of 4 KB; a larger buffer costs more."
source   = "MP1J, 'Tuning for AMS: Minimise idle getters'"
result   = "extra_seconds"
note     = "Accounting does not show the part of AMS. Each redrive of a waiting get that finds no message counts as such a get."

[parameter.failed_gets]
unit     = "count"
measured = "gets without a message on all queues, from queue statistics or accounting"
doc      = "Gets that find no message."
remedy   = "collect queue statistics or accounting class 3, or set failed_gets=100000"

[parameter.protected_share]
unit    = "percent"
doc     = "Share of them on queues with a policy."
default = 100
source  = "MP1J, 'Tuning for AMS: Minimise idle getters': all of them, the cautious case"
most    = 100

[parameter.plain_cost]
unit    = "us"
doc     = "CPU time of such a get on a queue without a policy."
default = 4
source  = "MP1J, 'Tuning for AMS: Minimise idle getters'"

[parameter.protected_cost]
unit    = "us"
doc     = "CPU time of such a get on a queue with a policy."
default = 22
source  = "MP1J, 'Tuning for AMS: Minimise idle getters'"

[step.plain_seconds]
unit    = "s"
label   = "all of them without a policy"
formula = "gets * cost of such a get"

[step.protected_seconds]
unit    = "s"
label   = "all of them with a policy"
formula = "gets * cost of such a get"

[step.extra_seconds]
unit    = "s"
label   = "more by the policies"
formula = "share with a policy * difference"

[answer.idle]
text = "No get was without a message."

[answer.cost]
text = "{failed_gets:,.0f} gets without a message take {plain_seconds:,.2f} CPU seconds without a policy and {protected_seconds:,.2f} with one: policies cost {extra_seconds:,.2f} s more for {protected_share:,.0f} % of them."
do   = ["Have fewer tasks wait for the same queue, and use get with wait or triggering in place of polling."]
---*/
SELECT lpar, qmgr, NULL AS subject, sum(gets_no_message) AS failed_gets
FROM queue_flow
GROUP BY lpar, qmgr;

WITH priced AS (
  SELECT *, failed_gets * plain_cost / 1e6 AS plain_seconds, failed_gets * protected_cost / 1e6 AS protected_seconds
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, plain_seconds, protected_seconds,
  protected_share / 100 * (protected_seconds - plain_seconds) AS extra_seconds,
  CASE
    WHEN protected_share * (protected_seconds - plain_seconds) IS NULL THEN NULL
    WHEN failed_gets = 0 THEN 'idle'
    ELSE 'cost'
  END                                                         AS answer
FROM priced;
