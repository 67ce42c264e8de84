/*---
id       = "plan/chinit_adapters"
title    = "Adapter tasks of the channel initiator"
question = "How many adapters must this channel initiator have, and do its requests wait?"
subject  = "qmgr"
needs    = ["channel_initiator"]
covers   = ["chinit_adapter_utilisation"]
holds    = "MQ 8.0 and later, with statistics class 4."
source   = "MP16, 'CHIADAPS'; V92, 'Channel initiator tasks and local lock'"
result   = "adapters_to_set"
note     = "Where no adapter was left idle, requests may have waited for one, and how many would have been used is not known. A channel initiator that only intercepts messages for AMS loses CPU time to lock waits with more adapters: keep as few as one leaves idle."


[coverage]
least = 0.25
unit  = "h"
why   = "a shorter time may not have the peak"

[parameter.adapters]
unit     = "count"
measured = "adapter tasks in the last interval"
fact     = "chiadaps"
doc      = "Adapter tasks now (CHIADAPS)."
remedy   = "collect statistics class 4, or give DISPLAY CHINIT to mqstat site init, or set adapters=8"
least    = 1

[parameter.adapters_used]
unit     = "count"
measured = "adapters at least 1 % busy in the interval with the most of them"
doc      = "Adapter tasks that were needed at once."
remedy   = "collect statistics class 4, or set adapters_used=6"

[parameter.full_intervals]
unit     = "count"
measured = "intervals in which no adapter stayed below 1 % busy"
doc      = "Intervals in which all adapters were needed, so that requests may have waited."
optional = true

[parameter.request_rate]
unit     = "per_s"
measured = "adapter requests per second in the interval with the most adapter time"
doc      = "Requests to adapters per second at the peak."
optional = true

[parameter.request_elapsed]
unit     = "us"
measured = "elapsed time for each adapter request in that interval"
doc      = "Mean elapsed time of an adapter request."
optional = true

[parameter.request_cpu]
unit     = "us"
measured = "CPU time for each adapter request in that interval"
doc      = "Mean CPU time of an adapter request."
optional = true

[parameter.cpus]
unit    = "count"
fact    = "cpus"
doc     = "Processors of the LPAR."
default = 4
source  = "MP16, 'CHIADAPS': the least of its advice is for up to 4 processors"
least   = 1

[step.adapters_idle]
unit    = "count"
label   = "adapters left idle"
formula = "adapters - adapters used, at least 0"

[step.adapters_advised]
unit    = "count"
label   = "advised for heavy persistent work"
formula = "30 for up to 4 processors, 8 more for each further one, at most 120"

[step.adapters_to_set]
unit    = "count"
label   = "adapters to have"
formula = "one more than was used where that is known, otherwise the advice, never fewer than now"

[step.busy_adapters]
unit    = "number"
label   = "adapters busy on average at the peak"
formula = "request rate * request elapsed"

[step.adapters_busy]
unit    = "percent"
label   = "adapters busy at the peak"
formula = "100 * busy adapters / adapters, at most 100"

[step.request_wait]
unit    = "us"
label   = "wait of a request"
formula = "request elapsed - request CPU, at least 0"

[answer.too_few]
text = "The {adapters:.0f} adapter[s] [are|is] too few: in {full_intervals:.0f} interval[s] none was left idle. For heavy persistent work on {cpus:.0f} processor[s] {adapters_advised} are advised<<; at the peak a request waited {request_wait:,.0f} µs>>."
do   = ["ALTER QMGR CHIADAPS({adapters_to_set})", "Restart the channel initiator to use it; that ends all its channels."]

[answer.most]
text = "None of the {adapters:.0f} adapters was left idle in {full_intervals:.0f} interval[s], but they are as many as are advised for {cpus:.0f} processor[s]: look for what the requests wait for<<, {request_wait:,.0f} µs each at the peak>>."
do   = ["Compare the log write time and the lock waits of the same interval; if they are short, try CHIADAPS(120) and restart the channel initiator."]

[answer.not_known]
text = "Whether {adapters:.0f} adapter[s] [are|is] enough is not known: at least {adapters_used:.0f} [were|was] used at once, and in {full_intervals:.0f} interval[s] none was left idle. {adapters_advised} are advised for heavy persistent work on {cpus:.0f} processor[s]."

[answer.enough]
text = "The {adapters:.0f} adapters are enough: in every interval {adapters_idle} or more of them stayed below 1 % busy<<. At the peak {adapters_busy:,.1f} % of their time was used>>."

[answer.lacking]
text = "{adapters:.0f} adapter[s] [are|is] too few: {adapters_used:.0f} [were|was] used at once, so have {adapters_to_set}."
do   = ["ALTER QMGR CHIADAPS({adapters_to_set})", "Restart the channel initiator to use it; that ends all its channels."]
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  sum(interval_seconds) / 3600                                                 AS covered,
  arg_max(adapters, interval_start_utc)                                        AS adapters,
  max(adapters - adapters_idle)                                                AS adapters_used,
  at_peak(interval_start_local, adapters - adapters_idle, interval_start_utc)                      AS adapters_used_at,
  count(*) FILTER (adapters_idle = 0)                                          AS full_intervals,
  at_peak(adapter_requests / nullif(interval_seconds, 0), adapter_average_pct * adapters, interval_start_utc) AS request_rate,
  at_peak(interval_start_local, adapter_average_pct * adapters, interval_start_utc)                AS request_rate_at,
  at_peak(adapter_average_et_us, adapter_average_pct * adapters, interval_start_utc)               AS request_elapsed,
  at_peak(adapter_average_cpu_us, adapter_average_pct * adapters, interval_start_utc)              AS request_cpu
FROM channel_initiator
WHERE adapters > 0 AND settled(interval_seconds, startup_interval)
GROUP BY lpar, qmgr;

WITH counted AS (
  SELECT
    *,
    greatest(adapters - adapters_used, 0)::BIGINT                              AS adapters_idle,
    least(120, 30 + 8 * greatest(0, ceil(cpus) - 4))::BIGINT                   AS adapters_advised,
    request_rate * request_elapsed / 1e6                                       AS busy_adapters,
    CASE WHEN request_elapsed >= request_cpu THEN request_elapsed - request_cpu WHEN request_elapsed < request_cpu THEN 0 END AS request_wait
  FROM plan_input
),
decided AS (
  SELECT
    *,
    CASE
      WHEN adapters IS NULL OR adapters_used IS NULL THEN NULL
      WHEN full_intervals > 0 AND adapters_used >= adapters AND adapters >= adapters_advised THEN 'most'
      WHEN full_intervals > 0 AND adapters_used >= adapters THEN 'too_few'
      WHEN full_intervals > 0 THEN 'not_known'
      WHEN adapters_used >= adapters THEN 'lacking'
      ELSE 'enough'
    END                                                                        AS answer
  FROM counted
)
SELECT
  lpar, qmgr, subject, adapters_idle, adapters_advised,
  CASE
    WHEN answer IS NULL THEN NULL
    WHEN answer = 'lacking' THEN adapters_used + 1
    WHEN answer IN ('too_few', 'not_known') THEN greatest(adapters, adapters_advised)
    ELSE adapters
  END::BIGINT                                                                  AS adapters_to_set,
  busy_adapters,
  CASE WHEN busy_adapters IS NOT NULL THEN least(100, pct(busy_adapters, adapters)) END AS adapters_busy,
  request_wait, answer
FROM decided;
