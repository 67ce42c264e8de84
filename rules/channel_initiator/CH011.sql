/*---
id          = "CH011"
name        = "software-compression-suspected"
title       = "Dispatcher CPU time indicates software compression"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr"]
needs       = ["channel_initiator.dispatcher_average_cpu_us", "chinit_compression.compression_rate_most_pct"]
prints      = ["channel_initiator.dispatcher_requests", "chinit_compression.compressing_channels", "chinit_compression.most_compressing_channel"]
judge       = "share >= 10 %"
weighted_by = "dispatcher_requests"
weighted_min = 100000
worst       = "highest"
culprits    = ["compressed bytes"]
measure     = "CPU time per dispatcher request"
when        = "observed >= cpu_us_min"
min_activity = "dispatcher_requests >= $min_requests"
mq_since    = "8.0.0"
look        = ["DISPLAY CHANNEL({most_compressing_channel}) COMPHDR COMPMSG", "DISPLAY CHSTATUS({most_compressing_channel}) COMPMSG COMPRATE COMPTIME"]
plans       = ["channel_compression"]

[threshold.cpu_us_min]
value = 60
unit  = "us"
kind  = "judgement"
why   = "for 32 KB messages IBM measured 5 µs per request without compression, 12 with hardware and 105 with software compression"

[threshold.min_requests]
value = 10000
unit  = "count"
kind  = "judgement"
why   = "an average over fewer requests is not reliable"

[source]
cite = "MP16, 'CHIDISPS and MAXCHL' and 'Channel option COMPMSG'"

[advice]
summary = "A dispatcher request used {observed:.0f} µs of CPU (limit {cpu_us_min} µs) on average over {dispatcher_requests} request[s]; {compressing_channels} channel[s] compress[|es] messages, {most_compressing_channel} the most ({compression_rate_most_pct:.0f} %)."
remedy  = "Use COMPMSG(ZLIBFAST), and make sure that this LPAR has the compression hardware (on-chip or zEDC): without it ZLIBFAST uses software, as ZLIBHIGH always does. Very large messages use as much CPU without compression."
report  = "channel_initiator/dispatchers"
---*/
SELECT
  c.lpar, c.qmgr, c.interval_start_utc, c.interval_seconds, c.record_id, c.startup_interval, c.suspect_first,
  'dispatchers'             AS subject,
  c.dispatcher_average_cpu_us AS observed,
  c.dispatcher_requests, z.compressing_channels, z.most_compressing_channel, z.compression_rate_most_pct
FROM channel_initiator AS c
JOIN chinit_compression AS z ON z.record_id = c.record_id
WHERE z.compression_rate_most_pct > 0
