/*---
id       = "plan/accounting_cost"
title    = "CPU of accounting and queue statistics"
question = "How much CPU time does accounting cost, or would it cost?"
subject  = "qmgr"
needs    = ["message_manager", "record_count", "task"]
holds    = "Unit costs of zEC12 for accounting, of z17 for queue statistics: on a newer machine accounting costs less."
source   = "MP16, 'Accounting Trace Costs'; Z17, 'Why the decrease in peak transaction rate?'"
result   = "class3_cpu"
note     = "SMF itself writes the records, so part of the cost is charged to its address space. On z17 with 30 processors the peak rate of a test fell by 24 % with class 3: where every processor is busy with short MQ calls, expect more than the CPU time alone."

[coverage]
least = 0.25
unit  = "h"
why   = "a shorter time may not have the usual rate"

[parameter.api_calls]
unit     = "per_s"
measured = "MQPUT, MQPUT1 and MQGET calls per second over all intervals"
doc      = "MQPUT, MQPUT1 and MQGET calls per second."
remedy   = "collect statistics class 1, or set api_calls=5000/s"

[parameter.other_calls]
unit     = "per_s"
measured = "commits, backouts and other calls per second of the tasks in class 3 accounting"
doc      = "Commits, backouts and other calls per second that class 3 counts; a CICS transaction has three."
remedy   = "set other_calls=3000/s, three for each transaction"

[parameter.transactions]
unit     = "per_s"
measured = "class 3 records of tasks, or class 1 records where there are none, per second"
doc      = "Transactions (tasks) that end per second: each writes a record."
remedy   = "take it from CICS, IMS or WLM, and set transactions=1000/s"

[parameter.records]
unit     = "number"
measured = "class 3 records of a task, with continuations"
doc      = "Class 3 records of a transaction: one for up to 8 queues, one more for each further 9."
default  = 1
source   = "MP16, 'Accounting Trace Costs': up to 8 queues"
least    = 1

[parameter.transaction_cpu]
unit     = "us"
doc      = "CPU time of a transaction without accounting, to see the increase."
optional = true
least    = 1

[parameter.class1_call]
unit    = "us"
doc     = "Class 1: CPU time for each MQPUT, MQPUT1 and MQGET."
default = 2
source  = "MP16, 'Accounting Trace Costs'"

[parameter.class1_record]
unit    = "us"
doc     = "Class 1: CPU time to write the record."
default = 3
others  = [1, 5]
source  = "MP16, 'Accounting Trace Costs': 3 in the worked example, 1 to 5 elsewhere"

[parameter.class3_call]
unit    = "us"
doc     = "Class 3: CPU time for each call, also commit, backout and other calls."
default = 2
others  = [1, 3, 0.55, 2.5]
source  = "MP16, 'Accounting Trace Costs': 2 in the worked example, 1 to 3 elsewhere; Z17, 'Why the decrease in peak transaction rate?': 0.55 with 2 and 2.5 with 30 processors"

[parameter.class3_record]
unit    = "us"
doc     = "Class 3: CPU time to write the first record."
default = 25
others  = [6, 50]
source  = "MP16, 'Accounting Trace Costs': 25 in the worked example, 6 to 50 elsewhere"

[parameter.continuation]
unit    = "percent"
doc     = "Class 3: CPU time of a continuation record, as a share of the first."
default = 60
source  = "MP16, 'Accounting Trace Costs': up to 60 %"

[parameter.class5_call]
unit    = "us"
doc     = "Queue statistics (class 5): CPU time for each call."
default = 0.08
source  = "Z17, 'Why the decrease in peak transaction rate?'"

[parameter.class3_on]
unit     = "flag"
measured = "class 3 records in the data"
doc      = "Whether class 3 accounting is on."
optional = true

[step.class1_transaction]
unit    = "us"
label   = "class 1 for a transaction"
formula = "(calls * class 1 call + transactions * class 1 record) / transactions"

[step.class1_total]
unit    = "us"
label   = "a transaction with class 1"
formula = "transaction CPU + class 1"

[step.class1_increase]
unit    = "percent"
label   = "increase by class 1"
formula = "100 * class 1 / transaction CPU"

[step.class3_transaction]
unit    = "us"
label   = "class 3 for a transaction"
formula = "((calls + other calls) * class 3 call + transactions * class 3 record * (1 + (records - 1) * continuation)) / transactions"

[step.class3_total]
unit    = "us"
label   = "a transaction with class 3"
formula = "transaction CPU + class 3"

[step.class3_increase]
unit    = "percent"
label   = "increase by class 3"
formula = "100 * class 3 / transaction CPU"

[step.class5_transaction]
unit    = "us"
label   = "queue statistics for a transaction"
formula = "calls * class 5 call / transactions"

[step.class3_over_class5]
unit    = "ratio"
label   = "a call with class 3 against one with queue statistics"
formula = "class 3 call / class 5 call"

[step.class1_cpu]
unit    = "s"
label   = "CPU time of class 1 in an hour"
formula = "3600 * transactions * class 1 for a transaction"

[step.class3_cpu]
unit    = "s"
label   = "CPU time of class 3 in an hour"
formula = "3600 * transactions * class 3 for a transaction"

[step.class5_cpu]
unit    = "s"
label   = "CPU time of queue statistics in an hour"
formula = "3600 * calls * class 5 call"

[step.processors]
unit    = "number"
label   = "processors that class 3 takes"
formula = "CPU time of class 3 in an hour / 3600"

[answer.idle]
text = "There were no calls and no transactions, so accounting costs nothing."

[answer.on]
text = "Class 3 accounting is on and costs about {class3_cpu:,.1f} CPU seconds an hour ({processors:,.3f} processors), {class3_transaction:,.0f} µs for each transaction or interval of a task<<, {class3_increase:,.1f} % more than without>>. Class 1 would cost {class1_cpu:,.1f}, queue statistics {class5_cpu:,.2f} CPU seconds an hour."

[answer.would_cost]
text = "Class 3 accounting would cost about {class3_cpu:,.1f} CPU seconds an hour ({processors:,.3f} processors), {class3_transaction:,.0f} µs for each transaction or interval of a task<<, {class3_increase:,.1f} % more than without>>. Class 1 costs {class1_cpu:,.1f}, queue statistics {class5_cpu:,.2f} CPU seconds an hour."
---*/
WITH span AS (
  SELECT lpar, qmgr, date_diff('second', min(first_written_local), max(last_written_local)) AS seconds
  FROM record_count
  WHERE lpar IS NOT NULL AND qmgr IS NOT NULL
  GROUP BY lpar, qmgr
),
called AS (
  SELECT lpar, qmgr, sum(interval_seconds) AS seconds, sum(puts + put1s + gets) AS calls
  FROM message_manager
  GROUP BY lpar, qmgr
),
collected AS (
  SELECT
    lpar, qmgr,
    sum(CASE record_class WHEN '116.0' THEN records ELSE 0 END) AS class1_records,
    sum(CASE record_class WHEN '116.1' THEN records ELSE 0 END) AS task_records,
    sum(records) FILTER (record_class = '116.2')            AS continuations
  FROM record_count
  GROUP BY lpar, qmgr
),
tasks AS (
  SELECT lpar, qmgr, sum(commits + backouts + prepares + other_calls) AS other_calls
  FROM task
  GROUP BY lpar, qmgr
)
SELECT
  s.lpar, s.qmgr, NULL AS subject,
  CASE WHEN k.seconds > 0 THEN k.seconds ELSE s.seconds END / 3600 AS covered,
  k.calls / nullif(k.seconds, 0)                            AS api_calls,
  t.other_calls / nullif(s.seconds, 0)                      AS other_calls,
  CASE WHEN c.task_records > 0 THEN c.task_records WHEN c.class1_records > 0 THEN c.class1_records END / nullif(s.seconds, 0) AS transactions,
  CASE WHEN c.task_records > 0 THEN 1 + coalesce(c.continuations, 0) / c.task_records END AS records,
  c.task_records > 0                                        AS class3_on
FROM span AS s
LEFT JOIN called AS k ON k.lpar = s.lpar AND k.qmgr = s.qmgr
LEFT JOIN collected AS c ON c.lpar = s.lpar AND c.qmgr = s.qmgr
LEFT JOIN tasks AS t ON t.lpar = s.lpar AND t.qmgr = s.qmgr;

WITH rated AS (
  SELECT
    *,
    api_calls * class1_call + transactions * class1_record  AS class1_us,
    (api_calls + other_calls) * class3_call + transactions * class3_record * (1 + (records - 1) * continuation / 100) AS class3_us,
    api_calls * class5_call                                 AS class5_us
  FROM plan_input
),
shared AS (
  SELECT
    *,
    class1_us / nullif(transactions, 0)                     AS class1_transaction,
    class3_us / nullif(transactions, 0)                     AS class3_transaction,
    class5_us / nullif(transactions, 0)                     AS class5_transaction
  FROM rated
)
SELECT
  lpar, qmgr, subject, class1_transaction,
  transaction_cpu + class1_transaction                      AS class1_total,
  pct(class1_transaction, transaction_cpu)                  AS class1_increase,
  class3_transaction,
  transaction_cpu + class3_transaction                      AS class3_total,
  pct(class3_transaction, transaction_cpu)                  AS class3_increase,
  class5_transaction,
  class3_call / nullif(class5_call, 0)                      AS class3_over_class5,
  class1_us * 3600 / 1e6                                    AS class1_cpu,
  class3_us * 3600 / 1e6                                    AS class3_cpu,
  class5_us * 3600 / 1e6                                    AS class5_cpu,
  class3_us / 1e6                                           AS processors,
  CASE
    WHEN class3_us IS NULL THEN NULL
    WHEN transactions = 0 THEN 'idle'
    WHEN class3_on THEN 'on'
    ELSE 'would_cost'
  END                                                       AS answer
FROM shared;
