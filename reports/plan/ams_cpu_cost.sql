/*---
id       = "plan/ams_cpu_cost"
title    = "CPU time of AMS"
question = "What CPU time does Advanced Message Security cost, and how much does key reuse avoid?"
subject  = "qmgr"
needs    = ["message_manager"]
profiles = ["ams_confidentiality"]
covers   = ["ams_key_reuse"]
holds    = "Confidentiality with a key reuse of 32 and messages of 32 KB, MQ 9.2 on z15 and 9.1.3 on z14; names of authors and calls without a policy MQ 8.0 on zEC12."
source   = "V92, 'AMS Confidentiality with key reuse 32'; MP1J, 'Does message authentication impact performance?'"
result   = "cpu_percent"
note     = "Accounting does not show this time, except that of adapters of the channel initiator. Figures of 2014 and of 2021 are of different machines and are not comparable. Privacy and integrity cost far more, because every message needs an asymmetric operation."

[parameter.calls]
unit     = "per_s"
measured = "MQPUT, MQPUT1 and MQGET calls per second over all intervals"
doc      = "Puts and gets per second."
remedy   = "collect statistics class 1, or set calls=1000/s"

[parameter.protected_share]
unit    = "percent"
doc     = "Share of them on queues with a policy."
default = 100
source  = "V92, 'AMS Confidentiality with key reuse 32': all of them, the cautious case"
most    = 100

[parameter.machine]
unit    = "text"
doc     = "Machine whose figures count."
default = "z15"
choices = "ams_confidentiality.machine"
source  = "V92, 'AMS Confidentiality with key reuse 32'"

[parameter.key_reuse]
unit    = "count"
doc     = "KEYREUSE of the policy: messages that are protected with one key."
default = 32
source  = "V92, 'AMS Confidentiality with key reuse 32'"
least   = 1

[parameter.author_names]
unit    = "count"
doc     = "Names of authors that the policy checks, beyond the first."
default = 0
source  = "MP1J, 'Does message authentication impact performance?'"

[parameter.name_cost]
unit    = "us"
doc     = "CPU time of each name for a put and for a get."
default = 27
source  = "MP1J, 'Does message authentication impact performance?'"

[parameter.base_cost]
unit    = "us"
doc     = "CPU time of protection for a put and a get, if you measured it."
optional = true
remedy  = "RMF shows the time of the address space xxxxAMSM; set base_cost=540us"

[parameter.unprotected_call]
unit    = "us"
doc     = "CPU time that AMS takes for a call on a queue without a policy."
default = 10
others  = [2.5]
source  = "MP1J, 'Does AMS affect the performance of an unprotected queue?'"

[step.avoided]
unit    = "percent"
label   = "asymmetric operations that key reuse avoids"
formula = "100 * (1 - 1 / key reuse)"

[step.message_us]
unit    = "us"
label   = "a message that is put and got"
formula = "half of what a request and its reply cost in addition"

[step.unprotected_us]
unit    = "us"
label   = "request and reply without protection, in IBM's test"
formula = "what they cost in addition / its share"

[step.names_us]
unit    = "us"
label   = "names of authors, put and get"
formula = "names * 2 * cost of each"

[step.with_base_us]
unit    = "us"
label   = "put and get with the names, on the cost that you measured"
formula = "cost that you measured + names of authors"

[step.cpu_percent]
unit    = "percent"
label   = "share of one processor"
formula = "protected messages per second (half of the calls) * (cost of a message + names), + calls without a policy * their cost"

[answer.calls]
text = "No queue is protected: AMS alone costs about {unprotected_call:,.1f} µs for each of {calls:,.1f} calls per second, {cpu_percent:,.2f} % of one processor."

[answer.cost]
text = "AMS confidentiality would cost about {cpu_percent:,.2f} % of one processor at {calls:,.1f} puts and gets per second, {protected_share:,.0f} % of them protected: {message_us:,.1f} µs for a message that is put and got. A key reuse of {key_reuse:.0f} avoids {avoided:,.1f} % of the asymmetric operations."
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  per_s(sum(total_puts + gets), sum(interval_seconds)) AS calls
FROM message_manager
GROUP BY lpar, qmgr;

WITH priced AS (
  SELECT
    i.*,
    100 * (1 - 1 / nullif(i.key_reuse, 0))             AS avoided,
    a.added_us / 2                                     AS message_us,
    100 * a.added_us / a.percent                       AS unprotected_us,
    i.author_names * 2 * i.name_cost                   AS names_us
  FROM plan_input AS i
  LEFT JOIN ams_confidentiality AS a ON a.machine = i.machine
),
whole AS (
  SELECT
    *,
    calls * (protected_share / 100 / 2 * (message_us + names_us) + (1 - protected_share / 100) * unprotected_call) / 1e4 AS cpu_percent
  FROM priced
)
SELECT
  lpar, qmgr, subject, avoided, message_us, unprotected_us, names_us, base_cost + names_us AS with_base_us, cpu_percent,
  CASE
    WHEN cpu_percent IS NULL OR avoided IS NULL THEN NULL
    WHEN protected_share = 0 THEN 'calls'
    ELSE 'cost'
  END                                                  AS answer
FROM whole;
