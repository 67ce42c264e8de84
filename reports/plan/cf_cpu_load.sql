/*---
id       = "plan/cf_cpu_load"
title    = "CPU of the coupling facility"
question = "How busy does the rate of shared messages make the coupling facility?"
subject  = "qmgr"
needs    = ["queue_statistics", "queue_use"]
holds    = "Persistent messages on shared queues, coupling facility with internal links, z16."
source   = "MP16, 'Shared queue persistent message - CF usage' and 'When do I need to add more engines to my Coupling Facility?'"
result   = "busy_pct"
note     = "The messages of this queue manager only: add those of the other members and of other users of the coupling facility, so it is a lower bound. RMF has the true busy time."

[parameter.message_rate]
unit     = "per_s"
measured = "messages put to shared queues per second in the busiest hour"
doc      = "Persistent messages put to and got from shared queues per second."
remedy   = "collect queue statistics (STATQ, class 5) or accounting class 3, or set message_rate=5000/s"

[parameter.engines]
unit   = "count"
doc    = "Engines of the coupling facility."
remedy = "take it from D CF, and set engines=2"
least  = 1

[parameter.cf_cpu]
unit    = "us"
doc     = "CPU of the coupling facility for each message, put and got."
default = 28
others  = [30]
source  = "MP16, 'Shared queue persistent message - CF usage': 28 µs for 1 KB and 30 µs for 5 KB on z16"

[parameter.limit]
unit     = "percent"
doc      = "Share of the engines that may be busy, if it is not the recommended one."
optional = true
most     = 100

[step.limit_pct]
unit    = "percent"
label   = "busy at most"
formula = "60 %, with one engine 30 %, or what was set"

[step.busy_pct]
unit    = "percent"
label   = "busy by these messages"
formula = "messages per second * CPU for each / engines"

[step.max_rate]
unit    = "per_s"
label   = "rate at the limit"
formula = "limit * engines / CPU for each"

[step.transaction_us]
unit    = "us"
label   = "CPU for each request with its reply"
formula = "2 * CPU for each message"

[answer.idle]
text = "No message was put to a shared queue."

[answer.too_busy]
text = "{message_rate:,.0f} messages a second make {engines:.0f} engine[s] at least {busy_pct:,.1f} % busy, above {limit_pct:,.0f} %: at most {max_rate:,.0f} a second keep it."
do   = ["Add an engine to the coupling facility, or move structures to another one; look at the busy time in RMF first."]

[answer.fits]
text = "{message_rate:,.0f} messages a second make {engines:.0f} engine[s] at least {busy_pct:,.1f} % busy; at most {max_rate:,.0f} a second keep {limit_pct:,.0f} %."
---*/
WITH
counted AS (
  SELECT lpar, qmgr, date_trunc('hour', interval_start_utc) AS hour_utc, interval_start_utc, min(interval_start_local) AS at_local, max(interval_seconds) AS seconds, sum(messages_put) AS messages
  FROM queue_statistics
  WHERE cf_structure IS NOT NULL
  GROUP BY lpar, qmgr, interval_start_utc
),
counted_hour AS (
  SELECT lpar, qmgr, min(at_local) AS at_local, per_s(sum(messages), sum(seconds)) AS rate
  FROM counted
  GROUP BY lpar, qmgr, hour_utc
),
-- Accounting records overlap: an hour of them has at most 3600 seconds.
accounted_hour AS (
  SELECT
    lpar, qmgr, min(interval_start_local) AS at_local,
    sum(valid_puts) FILTER (cf_structure IS NOT NULL) / greatest(10, least(3600, epoch(max(interval_end_utc)) - epoch(min(interval_start_utc)))) AS rate
  FROM queue_use
  GROUP BY lpar, qmgr, date_trunc('hour', interval_end_utc)
)
SELECT lpar, qmgr, NULL AS subject, max(rate) AS message_rate, at_peak(at_local, rate, at_local) AS message_rate_at
FROM (
  SELECT * FROM counted_hour
  UNION ALL
  SELECT a.* FROM accounted_hour AS a ANTI JOIN counted_hour AS c ON c.lpar = a.lpar AND c.qmgr = a.qmgr
)
GROUP BY lpar, qmgr;

WITH limited AS (
  SELECT *, CASE WHEN "limit" IS NOT NULL THEN "limit" WHEN engines = 1 THEN 30 WHEN engines > 1 THEN 60 END AS limit_pct
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, limit_pct,
  100 * message_rate * cf_cpu / 1e6 / nullif(engines, 0)   AS busy_pct,
  limit_pct / 100 * engines * 1e6 / nullif(cf_cpu, 0)      AS max_rate,
  2 * cf_cpu                                               AS transaction_us,
  CASE
    WHEN message_rate IS NULL OR engines IS NULL OR cf_cpu IS NULL THEN NULL
    WHEN message_rate = 0 THEN 'idle'
    WHEN 100 * message_rate * cf_cpu / 1e6 / engines > limit_pct THEN 'too_busy'
    ELSE 'fits'
  END                                                      AS answer
FROM limited;
