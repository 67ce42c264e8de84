/*---
id       = "plan/channel_start_time"
title    = "Time to start all channels"
question = "How long does it take to start all sending channels again, with or without TLS?"
subject  = "qmgr"
needs    = ["channel_period", "queue_statistics"]
profiles = ["channel_start_rates", "tls_start_costs"]
covers   = ["tls_start_cost"]
holds    = "z16 with MQ 9.3 and z17 with MQ 9.4 without TLS; z15 and z16 with Crypto Express cards for TLS."
source   = "MP16, 'Channel start/stop rates and costs' and 'TLS channel start costs'; Z17, 'Message Channel Start Rate when using Network Express'; V92, 'Starting TLS channels'"
result   = "start_seconds"
note     = "Only the sending side is counted. Every channel that was ever started is in SYSTEM.CHANNEL.SYNCQ until its definition is deleted. The figures for TLS are from a test with 4,000 channels there; TLS_CHACHA20_POLY1305_SHA256 has no hardware support for its data."

[parameter.channels]
unit     = "count"
measured = "sending channels in the data"
doc      = "Channels to start."
remedy   = "collect channel accounting (116.10), or set channels=1000"

[parameter.syncq]
unit     = "count"
measured = "highest depth of SYSTEM.CHANNEL.SYNCQ"
doc      = "Channels in SYSTEM.CHANNEL.SYNCQ."
remedy   = "DISPLAY QSTATUS(SYSTEM.CHANNEL.SYNCQ) CURDEPTH, and set syncq=2000"

[parameter.machine]
unit    = "text"
doc     = "Machine."
choices = ["z15", "z16", "z17"]
remedy  = "set machine=z16"

[parameter.cipher]
unit     = "text"
doc      = "CipherSpec of the channels."
choices  = "tls_start_costs.cipher"
optional = true

[step.start_rate]
unit    = "per_s"
label   = "channels started per second"
formula = "the published rate for the machine and SYSTEM.CHANNEL.SYNCQ, on a straight line between two of them, or for the CipherSpec"

[step.start_cpu]
unit    = "ms"
label   = "CPU time of a start"
formula = "likewise"

[step.start_seconds]
unit    = "s"
label   = "time to start all channels"
formula = "channels / channels per second"

[step.cpu_seconds]
unit    = "s"
label   = "CPU time to start all channels"
formula = "channels * CPU time of a start"

[step.rate_against_plain]
unit    = "ratio"
label   = "rate against that without TLS"
formula = "channels per second / channels per second without TLS"

[answer.no_tls_figure]
text = "There is no published rate of TLS starts on {machine}: set machine to one that has them (z15 or z16)."

[answer.tls]
text = "{channels:,.0f} channels with {cipher} start in about {start_seconds:,.1f} s and take {cpu_seconds:,.2f} CPU seconds, on the sending side<<; the rate is {rate_against_plain:,.2f} of that without TLS>>."

[answer.beyond]
text = "{channels:,.0f} channels start in at least {start_seconds:,.1f} s: the slowest published rate is for 4,000 channels in SYSTEM.CHANNEL.SYNCQ, and there are {syncq:,.0f}. Delete definitions of channels that are not used."

[answer.plain]
text = "{channels:,.0f} channels start in about {start_seconds:,.1f} s and take {cpu_seconds:,.2f} CPU seconds, on the sending side without TLS."
---*/
WITH depth AS (
  SELECT lpar, qmgr, max(depth_high) AS syncq
  FROM queue_statistics
  WHERE queue = 'SYSTEM.CHANNEL.SYNCQ'
  GROUP BY lpar, qmgr
),
sending AS (
  SELECT lpar, qmgr, count(*) AS channels
  FROM channel_period
  WHERE is_sending_end
  GROUP BY lpar, qmgr
)
SELECT s.lpar, s.qmgr, NULL AS subject, s.channels, d.syncq
FROM sending AS s
LEFT JOIN depth AS d ON d.lpar = s.lpar AND d.qmgr = s.qmgr;

WITH sought AS (
  SELECT *, CASE WHEN syncq IS NOT NULL THEN least(4000, greatest(1000, syncq)) END AS size_sought
  FROM plan_input
),
found AS (
  SELECT
    i.subject,
    max(p.syncq) FILTER (p.syncq <= i.size_sought)                AS below,
    arg_max(p.rate, p.syncq) FILTER (p.syncq <= i.size_sought)    AS below_rate,
    arg_max(p.cpu_ms, p.syncq) FILTER (p.syncq <= i.size_sought)  AS below_cpu,
    min(p.syncq) FILTER (p.syncq >= i.size_sought)                AS above,
    arg_min(p.rate, p.syncq) FILTER (p.syncq >= i.size_sought)    AS above_rate,
    arg_min(p.cpu_ms, p.syncq) FILTER (p.syncq >= i.size_sought)  AS above_cpu
  FROM sought AS i
  JOIN channel_start_rates AS p ON p.machine = i.machine
  GROUP BY i.subject
),
placed AS (
  SELECT
    i.*, f.below_rate, f.above_rate, f.below_cpu, f.above_cpu,
    CASE WHEN f.above = f.below THEN 0 ELSE (i.size_sought - f.below) / (f.above - f.below) END AS share,
    t.rate AS tls_rate, t.cpu_ms AS tls_cpu
  FROM sought AS i
  LEFT JOIN found AS f ON f.subject = i.subject
  LEFT JOIN tls_start_costs AS t ON t.machine = i.machine AND t.cipher = i.cipher
),
rated AS (
  SELECT
    *,
    below_rate + share * (above_rate - below_rate)                AS plain_rate,
    CASE WHEN cipher IS NULL THEN below_rate + share * (above_rate - below_rate) ELSE tls_rate END AS start_rate,
    CASE WHEN cipher IS NULL THEN below_cpu + share * (above_cpu - below_cpu) ELSE tls_cpu END AS start_cpu
  FROM placed
)
SELECT
  lpar, qmgr, subject, start_rate, start_cpu, channels / start_rate AS start_seconds, channels * start_cpu / 1000 AS cpu_seconds,
  start_rate / plain_rate                                         AS rate_against_plain,
  CASE
    WHEN channels IS NULL OR machine IS NULL THEN NULL
    WHEN cipher IS NOT NULL AND tls_rate IS NULL THEN 'no_tls_figure'
    WHEN start_rate IS NULL THEN NULL
    WHEN cipher IS NOT NULL THEN 'tls'
    WHEN syncq > 4000 THEN 'beyond'
    ELSE 'plain'
  END                                                             AS answer
FROM rated;
