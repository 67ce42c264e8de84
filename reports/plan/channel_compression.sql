/*---
id       = "plan/channel_compression"
title    = "Gain and cost of channel compression"
question = "Does compression pay for this channel?"
subject  = "channel"
needs    = ["channel_period"]
holds    = "CPU times of z15 for requests of 32 KiB that are 40 % compressible."
source   = "MP16, 'CHIDISPS and MAXCHL' and 'Channel option COMPMSG'"
result   = "saved"
note     = "ZLIBFAST compresses in hardware on z15 and later, before only with zEDC cards at both ends. TLS encrypts less data on a compressed channel, which is not counted here."

[parameter.data]
unit     = "mib"
measured = "message data per hour while the channel ran"
doc      = "Message data in an hour."
remedy   = "collect channel accounting (116.10), or set data=500MiB"

[parameter.messages]
unit     = "per_h"
measured = "messages per hour while the channel ran"
doc      = "Messages in an hour."
remedy   = "collect channel accounting (116.10), or set messages=36000/h"

[parameter.compressible]
unit     = "percent"
measured = "mean compression rate of the channel, if it compresses"
doc      = "By how much the data shrinks."
remedy   = "compress a sample of the messages with zip, and set compressible=40%"
most     = 100

[parameter.type]
unit    = "text"
doc     = "COMPMSG to consider."
choices = ["ZLIBFAST", "ZLIBHIGH"]
default = "ZLIBFAST"
source  = "MP16, 'CHIDISPS and MAXCHL': the one that hardware does"

[parameter.hardware]
unit    = "flag"
doc     = "Whether hardware compresses at both ends."
default = true
source  = "MP16, 'CHIDISPS and MAXCHL': z15 and later"

[parameter.none_us]
unit    = "us"
doc     = "CPU time of a dispatcher request without compression."
default = 5
source  = "MP16, 'CHIDISPS and MAXCHL'"

[parameter.fast_us]
unit    = "us"
doc     = "CPU time of a dispatcher request with compression in hardware."
default = 12
source  = "MP16, 'CHIDISPS and MAXCHL'"

[parameter.high_us]
unit    = "us"
doc     = "CPU time of a dispatcher request with compression in software."
default = 105
source  = "MP16, 'CHIDISPS and MAXCHL'"

[step.saved]
unit    = "mib"
label   = "data less on the line in an hour"
formula = "data * compressible"

[step.requests]
unit    = "count"
label   = "dispatcher requests in an hour"
formula = "data / 32 KiB, at least one for each message"

[step.fast_extra]
unit    = "us"
label   = "more CPU time of a request in hardware"
formula = "with ZLIBFAST - without compression"

[step.high_extra]
unit    = "us"
label   = "more CPU time of a request in software"
formula = "with ZLIBHIGH - without compression"

[step.high_over_fast]
unit    = "ratio"
label   = "software against hardware"
formula = "CPU time of a request with ZLIBHIGH / with ZLIBFAST"

[step.cpu_seconds]
unit    = "s"
label   = "more CPU time in an hour at this end"
formula = "requests * more CPU time of a request"

[step.header_saved]
unit    = "mib"
label   = "what COMPHDR saves in an hour"
formula = "about 300 bytes for each message"

[answer.hardly]
text = "Compression hardly pays: it would save {saved:,.2f} MiB of {data:,.2f} MiB an hour ({compressible:,.1f} %) for {cpu_seconds:,.3f} CPU seconds."

[answer.pays]
text = "COMPMSG({type}) would save {saved:,.2f} of {data:,.2f} MiB an hour for about {cpu_seconds:,.3f} CPU seconds at each end; COMPHDR saves about {header_saved:,.2f} MiB more."
---*/
SELECT
  lpar, qmgr, channel_name AS subject,
  channel_messages_per_s * average_channel_message_bytes * 3600 / 1048576 AS data,
  channel_messages_per_s * 3600                                   AS messages,
  nullif(compression_mean_pct, 0)                                 AS compressible
FROM channel_period
WHERE batches_judged_here;

WITH counted AS (
  SELECT
    *,
    data * compressible / 100                                     AS saved,
    CASE WHEN data IS NOT NULL AND messages IS NOT NULL THEN greatest(messages, data * 32) END AS requests,
    CASE WHEN type = 'ZLIBFAST' AND hardware THEN fast_us ELSE high_us END - none_us AS extra_us
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, saved, requests, fast_us - none_us AS fast_extra, high_us - none_us AS high_extra, high_us / nullif(fast_us, 0) AS high_over_fast,
  requests * extra_us / 1e6                                       AS cpu_seconds,
  messages * 300 / 1048576                                        AS header_saved,
  CASE WHEN saved IS NULL OR requests IS NULL THEN NULL WHEN compressible < 5 THEN 'hardly' ELSE 'pays' END AS answer
FROM counted;
