/*---
id       = "plan/max_rate"
title    = "Rate against the highest rates of IBM"
question = "How close is this queue manager to the highest rates that IBM measured?"
subject  = "qmgr"
needs    = ["message_manager", "queue_statistics"]
profiles = ["highest_rates", "single_queue_rates"]
holds    = "Nonpersistent messages of 1 KB (private queue pairs) or 2 KB (the others) on private queues."
source   = "Z17, 'Scalability'; MP16, 'Throughput for request/reply pairs of private queues' and 'What is the maximum message rate through a single private queue ?'"
result   = "percent"
note     = "A newer machine is not always faster out of syncpoint. Names of the measurements of queue pairs: CPUs of the system, then queue pairs, repliers for each pair and requesters. IBM measured with accounting class 3 on. The statistics count MQGET calls, so gets that found no message are in the rate."


[parameter.reference]
unit    = "text"
doc     = "Which measurement of IBM to compare with: machine and kind."
choices = "highest_rates.reference"
remedy  = "set reference=\"z16 in syncpoint\", or another measurement; mqstat plan max_rate --set reference=? lists them"

[parameter.rate]
unit     = "per_s"
measured = "MQPUT, MQPUT1 and MQGET calls per second in the busiest interval"
doc      = "Messages put and got per second."
remedy   = "collect statistics class 1, or set rate=5000/s"

[parameter.queue_rate]
unit     = "per_s"
measured = "messages put per second to the busiest private queue in its busiest interval"
doc      = "Messages put per second to the busiest private queue."
optional = true
remedy   = "collect queue statistics (STATQ, class 5), or set queue_rate=500/s"

[parameter.queue_bytes]
unit     = "bytes"
measured = "average size of these messages"
doc      = "Average size of the messages of that queue."
optional = true

[step.percent]
unit    = "percent"
label   = "rate as a share"
formula = "100 * rate / rate of the measurement"

[step.reference_rate]
unit    = "per_s"
label   = "rate of the measurement"
formula = "messages per second that IBM measured"

[step.tx_per_s]
unit    = "per_s"
label   = "transactions of the measurement"
formula = "messages / 2"

[step.cpus_used]
unit    = "ratio"
label   = "CPUs of the measurement"
formula = "transactions * CPU of each"

[step.cpu_us_at_most]
unit    = "us"
label   = "CPU of a transaction at most"
formula = "CPUs / transactions, if all were busy"

[step.queue_reference]
unit    = "per_s"
label   = "highest rate through one private queue"
formula = "interpolated by message size between the measurements"

[step.queue_percent]
unit    = "percent"
label   = "busiest queue as a share"
formula = "100 * its rate / highest rate through one private queue"

[answer.compared]
text = "The queue manager moved {rate:,.0f} messages a second in its busiest interval, {percent:,.2f} % of the {reference_rate:,.0f} of the measurement {reference}<<. Its busiest private queue had {queue_rate:,.0f} puts a second, {queue_percent:,.2f} % of what one queue reached>>. This is no limit of your system: IBM measured without business logic on a system of its own."
---*/
WITH
whole AS (
  SELECT lpar, qmgr, max(per_s(total_puts + gets, interval_seconds)) AS rate, at_peak(interval_start_local, per_s(total_puts + gets, interval_seconds), interval_start_utc) AS rate_at
  FROM message_manager
  WHERE judgeable(interval_seconds)
  GROUP BY lpar, qmgr
),
busiest AS (
  SELECT lpar, qmgr, max(puts_per_s) AS queue_rate, at_peak(interval_start_local, puts_per_s, interval_start_utc) AS queue_rate_at, at_peak(put_bytes / nullif(messages_put, 0), puts_per_s, interval_start_utc) AS queue_bytes
  FROM queue_statistics
  WHERE NOT coalesce(shared_queue, false) AND judgeable(interval_seconds)
  GROUP BY lpar, qmgr
)
SELECT w.lpar, w.qmgr, NULL AS subject, w.rate, w.rate_at, b.queue_rate, b.queue_rate_at, b.queue_bytes
FROM whole AS w
LEFT JOIN busiest AS b ON b.lpar = w.lpar AND b.qmgr = w.qmgr;

WITH
band AS (
  SELECT *, lead(message_bytes) OVER sizes AS next_bytes, lead(messages_per_s) OVER sizes AS next_rate
  FROM single_queue_rates
  WINDOW sizes AS (ORDER BY message_bytes)
),
message AS (
  SELECT *, CASE WHEN queue_bytes < 1000 THEN 1000 WHEN queue_bytes > 100000 THEN 100000 ELSE queue_bytes END AS table_size
  FROM plan_input
),
found AS (
  SELECT
    m.*, r.messages_per_s AS reference_rate, r.messages_per_s / 2 AS tx_per_s, r.cpus, r.cpu_us_per_tx,
    CASE WHEN b.next_bytes IS NULL THEN b.messages_per_s ELSE b.messages_per_s + (m.table_size - b.message_bytes) / (b.next_bytes - b.message_bytes) * (b.next_rate - b.messages_per_s) END AS queue_reference
  FROM message AS m
  LEFT JOIN highest_rates AS r ON r.reference = m.reference
  LEFT JOIN band AS b ON m.table_size >= b.message_bytes AND (m.table_size < b.next_bytes OR b.next_bytes IS NULL)
)
SELECT
  lpar, qmgr, subject, pct(rate, reference_rate) AS percent, reference_rate, tx_per_s, tx_per_s * cpu_us_per_tx / 1e6 AS cpus_used, 1e6 * cpus / nullif(tx_per_s, 0) AS cpu_us_at_most,
  queue_reference, pct(queue_rate, queue_reference) AS queue_percent,
  CASE WHEN rate IS NOT NULL AND reference_rate IS NOT NULL THEN 'compared' END AS answer
FROM found;
