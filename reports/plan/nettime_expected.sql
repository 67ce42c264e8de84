/*---
id       = "plan/nettime_expected"
title    = "Network time that the distance explains"
question = "Is the network time of this channel what the latency of the link predicts?"
subject  = "channel"
needs    = ["channel_delay"]
holds    = "All levels with channel accounting; the unit of the network time in the records is assumed to be microseconds."
source   = "V92, 'Does achieved batch size affect Aspera fasp.io gateway performance?'; MP16, 'Why is there no improvement to transfer rate despite the transport cost being reduced?'"
result   = "expected_ms"
note     = "Encryption by AT-TLS is inside the network time. Lost packets lengthen it: links of 40 and 50 ms had up to 100 and 180 ms over TCP/IP."

[parameter.latency]
unit   = "us"
fact   = "latency_us"
doc    = "Time of the link in one direction."
remedy = "take half of the time that PING shows, and put it into the site file as latency_us of the channel, or set latency=5ms"

[parameter.network_time]
unit     = "ms"
measured = "mean network time, weighted by batches"
doc      = "Network time (NETTIME) of the channel."
remedy   = "collect channel accounting (116.10), or set network_time=12ms from DISPLAY CHSTATUS NETTIME"

[parameter.tolerance]
unit    = "percent"
doc     = "By how much more than expected is still as expected."
default = 50
source  = "V92, 'Does achieved batch size affect Aspera fasp.io gateway performance?': the measured times of the links, 1 to 1.8 times the expected"

[step.expected_ms]
unit    = "ms"
label   = "expected network time"
formula = "2 * latency"

[step.times_expected]
unit    = "ratio"
label   = "network time against the expected"
formula = "network time / expected network time"

[answer.longer]
text = "The network time of {network_time:,.2f} ms is longer than the {expected_ms:,.2f} ms that the link explains<<, {times_expected:,.1f} times as long>>: look for lost packets, small TCP buffers, AT-TLS, or a slow receiving end."
do   = ["DISPLAY CHSTATUS({subject}) NETTIME"]

[answer.expected]
text = "The network time of {network_time:,.2f} ms is what the link explains ({expected_ms:,.2f} ms, one way and back)."
---*/
SELECT
  lpar, qmgr, channel_name AS subject,
  sum(network_average_us * batches) / nullif(sum(batches) FILTER (network_average_us IS NOT NULL), 0) / 1000 AS network_time
FROM channel_delay
WHERE batches > 0
GROUP BY lpar, qmgr, channel_name;

SELECT
  lpar, qmgr, subject,
  2 * latency / 1000                                                            AS expected_ms,
  network_time / nullif(2 * latency / 1000, 0)                                     AS times_expected,
  CASE
    WHEN latency IS NULL OR network_time IS NULL THEN NULL
    WHEN network_time > 2 * latency / 1000 * (1 + tolerance / 100) THEN 'longer'
    ELSE 'expected'
  END                                                                       AS answer
FROM plan_input;
