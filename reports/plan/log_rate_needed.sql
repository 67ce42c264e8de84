/*---
id       = "plan/log_rate_needed"
title    = "Log rate of a planned workload"
question = "What log rate will this workload need?"
subject  = "qmgr"
needs    = ["log", "message_manager"]
holds    = "Persistent messages; counts of them are in SMF from MQ 9.0.3."
source   = "MP16, 'What is my logging rate?'"
result   = "rate"
note     = "Set messages_per_s to the rate that you plan. The figure of the queue manager includes all that it logs now; without it the formula for a put and a get counts."


[coverage]
least = 0.25
unit  = "h"
why   = "the peak of a shorter time shows little"

[parameter.messages_per_s]
unit     = "per_s"
measured = "persistent messages put per second in the busiest interval (MQ 9.0.3)"
doc      = "Persistent messages, or transactions, per second."
remedy   = "set messages_per_s=1000/s"

[parameter.own_bytes]
unit     = "bytes"
measured = "new log data divided by persistent messages put"
doc      = "Log bytes for each message or transaction, all calls together."
optional = true
remedy   = "add up the calls with mqstat plan log_bytes_per_message, and set own_bytes=9550B"

[parameter.message_bytes]
unit     = "bytes"
measured = "mean size of the persistent messages put (MQ 9.0.3)"
doc      = "Size of the message, for the formula."
optional = true
remedy   = "set message_bytes=1kB"

[parameter.header_bytes]
unit    = "bytes"
doc     = "Size of all its headers."
default = 300
source  = "MP16, 'How can we estimate the required log data rate for a system?'"

[step.formula_bytes]
unit    = "bytes"
label   = "put and get by the formula"
formula = "message + headers + 1000, and 150 for each page from 5000 bytes on"

[step.bytes_per_transaction]
unit    = "bytes"
label   = "log bytes of each"
formula = "those of the queue manager if they are known, otherwise those of the formula"

[step.rate]
unit    = "mib_per_s"
label   = "log rate of each copy"
formula = "messages per second * log bytes of each"

[step.mib_per_hour]
unit    = "mib_per_h"
label   = "log data per hour"
formula = "3600 * log rate"

[answer.own]
text = "{messages_per_s:,.1f} messages per second need {rate:,.2f} MiB/s for each log copy, {mib_per_hour:,.0f} MiB per hour, at {own_bytes:,.0f} bytes for each."

[answer.formula]
text = "{messages_per_s:,.1f} messages of {message_bytes:,.0f} bytes per second, put and got, need about {rate:,.2f} MiB/s for each log copy, {mib_per_hour:,.0f} MiB per hour, at {formula_bytes:,.0f} bytes for each."
---*/
SELECT
  m.lpar, m.qmgr, NULL AS subject,
  sum(m.interval_seconds) / 3600                                   AS covered,
  max(per_s(m.persistent_puts, m.interval_seconds))                AS messages_per_s,
  at_peak(m.interval_start_local, per_s(m.persistent_puts, m.interval_seconds), m.interval_start_utc) AS messages_per_s_at,
  sum(g.cis_created) * 4096 / nullif(sum(m.persistent_puts), 0)    AS own_bytes,
  sum(m.persistent_put_bytes) / nullif(sum(m.persistent_puts), 0)  AS message_bytes
FROM message_manager AS m
JOIN log AS g ON g.lpar = m.lpar AND g.qmgr = m.qmgr AND g.interval_start_utc = m.interval_start_utc
WHERE judgeable(m.interval_seconds)
GROUP BY m.lpar, m.qmgr;

WITH counted AS (
  SELECT *, log_bytes_per_message(message_bytes, header_bytes)     AS formula_bytes
  FROM plan_input
),
chosen AS (
  SELECT *, CASE WHEN own_bytes IS NOT NULL THEN own_bytes ELSE formula_bytes END AS bytes_per_transaction
  FROM counted
),
rated AS (
  SELECT *, messages_per_s * bytes_per_transaction / 1048576       AS rate
  FROM chosen
)
SELECT
  lpar, qmgr, subject, formula_bytes, bytes_per_transaction, rate, 3600 * rate AS mib_per_hour,
  CASE
    WHEN rate IS NULL THEN NULL
    WHEN own_bytes IS NOT NULL THEN 'own'
    ELSE 'formula'
  END                                                              AS answer
FROM rated;
