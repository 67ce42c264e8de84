/*---
id       = "plan/tls_renegotiation"
title    = "Cost of key renegotiation"
question = "What does SSLRKEYC cost?"
subject  = "qmgr"
needs    = ["channel"]
holds    = "z15 with Crypto Express cards; in software a negotiation costs 70 to 133 ms."
source   = "MP16, 'Will using cryptographic co-processors reduce cost?' and 'Secret key (re-)negotiation costs'"
result   = "cpu_seconds"
note     = "SSLRKEYC holds for all channels of the queue manager. With AT-TLS the keys are not negotiated by MQ."

[parameter.tls12_data]
unit     = "mib"
measured = "data sent and received by channels with TLS 1.2, in an hour"
doc      = "Data of channels with TLS 1.2 in an hour."
remedy   = "collect channel accounting (116.10), or set tls12_data=10GiB"

[parameter.tls13_data]
unit     = "mib"
measured = "data sent and received by channels with TLS 1.3, in an hour"
doc      = "Data of channels with TLS 1.3 in an hour."
remedy   = "collect channel accounting (116.10), or set tls13_data=10GiB"

[parameter.starts]
unit     = "per_h"
measured = "starts of channels with TLS in an hour"
doc      = "Starts of channels with TLS in an hour; each negotiates a key."
remedy   = "collect channel accounting (116.10), or set starts=100/h"

[parameter.sslrkeyc]
unit   = "bytes"
fact   = "sslrkeyc_bytes"
doc    = "SSLRKEYC: data after which a key is negotiated again; 0 = never."
remedy = "DISPLAY QMGR SSLRKEYC, and set sslrkeyc=100MiB"

[parameter.negotiation_ms]
unit    = "ms"
doc     = "CPU time of a negotiation."
default = 2
others  = [7]
source  = "MP16, 'Will using cryptographic co-processors reduce cost?': 2 to 7 ms with hardware"

[step.negotiations]
unit    = "number"
label   = "negotiations in an hour"
formula = "TLS 1.2 data / SSLRKEYC + starts"

[step.cpu_seconds]
unit    = "s"
label   = "CPU time in an hour"
formula = "negotiations * CPU time of one"

[answer.no_tls]
text = "No channel with TLS moved data or started, so SSLRKEYC costs nothing."

[answer.tls13]
text = "Channels with TLS 1.3 moved {tls13_data:,.1f} MiB an hour: SSLRKEYC above 0 costs CPU time there and negotiates no key. With TLS 1.2 it is {negotiations:,.1f} negotiations and {cpu_seconds:,.2f} CPU seconds an hour."
do   = ["Set SSLRKEYC(0) if all channels can use TLS 1.3, which has key updates of its own."]

[answer.off]
text = "SSLRKEYC(0) costs nothing; the {starts:,.1f} starts an hour take {cpu_seconds:,.2f} CPU seconds."

[answer.cost]
text = "About {negotiations:,.1f} negotiations an hour take {cpu_seconds:,.2f} CPU seconds with SSLRKEYC of {sslrkeyc:,.0f} bytes."
---*/
WITH span AS (
  SELECT lpar, qmgr, sum(seconds) / 3600 AS hours
  FROM (
    SELECT lpar, qmgr, interval_start_utc, max(interval_seconds) AS seconds
    FROM channel
    GROUP BY lpar, qmgr, interval_start_utc
  )
  GROUP BY lpar, qmgr
),
moved AS (
  SELECT
    lpar, qmgr,
    sum(CASE WHEN uses_tls AND NOT tls13 THEN bytes_sent + bytes_received ELSE 0 END) / 1048576 AS tls12,
    sum(CASE WHEN tls13 THEN bytes_sent + bytes_received ELSE 0 END) / 1048576 AS tls13,
    count(*) FILTER (uses_tls AND started_in_interval)            AS starts
  FROM channel
  GROUP BY lpar, qmgr
)
SELECT
  m.lpar, m.qmgr, NULL AS subject,
  m.tls12 / nullif(s.hours, 0)                                    AS tls12_data,
  m.tls13 / nullif(s.hours, 0)                                    AS tls13_data,
  m.starts / nullif(s.hours, 0)                                   AS starts
FROM moved AS m
JOIN span AS s ON s.lpar = m.lpar AND s.qmgr = m.qmgr;

WITH counted AS (
  SELECT *, starts + CASE WHEN sslrkeyc = 0 THEN 0 ELSE tls12_data * 1048576 / sslrkeyc END AS negotiations
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, negotiations, negotiations * negotiation_ms / 1000 AS cpu_seconds,
  CASE
    WHEN negotiations IS NULL OR tls13_data IS NULL THEN NULL
    WHEN tls12_data + tls13_data + starts = 0 THEN 'no_tls'
    WHEN sslrkeyc = 0 THEN 'off'
    WHEN tls13_data > 0 THEN 'tls13'
    ELSE 'cost'
  END                                                             AS answer
FROM counted;
