/*---
id       = "plan/expiry_scan_cost"
title    = "CPU of the expiry scan of shared queues"
question = "What does EXPRYINT cost?"
subject  = "qmgr"
needs    = ["queue_depth"]
holds    = "Shared queues; messages of 1 KB, z15."
source   = "MP16, 'Queue manager initiated expiry processing'"
result   = "cpu_s_per_hour"
note     = "One queue manager of the group scans all messages of shared queues, those without an expiry too. On private queues the scan costs little."

[parameter.messages]
unit     = "count"
measured = "last depth of the shared queues together"
doc      = "Messages on shared queues."
remedy   = "collect queue statistics (STATQ, class 5), or set messages=100000"

[parameter.expired]
unit    = "count"
doc     = "Messages that are expired at a scan."
default = 0
source  = "MP16, 'Queue manager initiated expiry processing': only the scan if none expired"

[parameter.expryint]
unit   = "s"
fact   = "expryint_s"
doc    = "Time between two scans (EXPRYINT)."
remedy = "take it from DISPLAY QMGR EXPRYINT, and set expryint=60s"
least  = 1

[parameter.in_smds]
unit    = "flag"
doc     = "Whether the messages are in shared message data sets or Db2."
default = false
source  = "MP16, 'Queue manager initiated expiry processing': the scan costs twice as much"

[parameter.scan_cpu]
unit    = "us"
doc     = "CPU to look at a message."
default = 5
source  = "MP16, 'Queue manager initiated expiry processing': 1 KB on z15"

[parameter.delete_cpu]
unit    = "us"
doc     = "CPU to get an expired message."
default = 10
source  = "MP16, 'Queue manager initiated expiry processing': 1 KB on z15"

[parameter.cf_cpu]
unit    = "us"
doc     = "CPU of the coupling facility for each message."
default = 3.5
source  = "MP16, 'Queue manager initiated expiry processing': internal coupling facility of z15"

[step.cpu_s_per_scan]
unit    = "s"
label   = "CPU of a scan"
formula = "(messages - expired) * CPU to look, twice for SMDS, + expired * CPU to get"

[step.cpu_s_per_hour]
unit    = "s"
label   = "CPU each hour"
formula = "CPU of a scan * 3600 / EXPRYINT"

[step.cf_s_per_scan]
unit    = "s"
label   = "CPU of the coupling facility for a scan"
formula = "(messages + expired) * CPU for each"

[step.busy_pct]
unit    = "percent"
label   = "share of one CPU"
formula = "100 * CPU of a scan / EXPRYINT"

[answer.idle]
text = "No message is on a shared queue; a scan costs next to nothing."

[answer.costs]
text = "A scan of {messages:,.0f} message[s] takes {cpu_s_per_scan:,.2f} s of CPU, {cpu_s_per_hour:,.1f} s each hour with EXPRYINT({expryint:.0f}): {busy_pct:,.2f} % of one CPU. The coupling facility takes {cf_s_per_scan:,.2f} s for each scan."
---*/
SELECT lpar, qmgr, NULL AS subject, sum(depth_last) AS messages
FROM queue_depth
WHERE shared_queue
GROUP BY lpar, qmgr;

WITH scanned AS (
  SELECT
    *,
    ((messages - expired) * scan_cpu * CASE WHEN in_smds THEN 2 ELSE 1 END + expired * delete_cpu) / 1e6 AS cpu_s_per_scan,
    (messages + expired) * cf_cpu / 1e6                                                                  AS cf_s_per_scan
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, cpu_s_per_scan, cpu_s_per_scan * 3600 / nullif(expryint, 0) AS cpu_s_per_hour, cf_s_per_scan,
  pct(cpu_s_per_scan, expryint) AS busy_pct,
  CASE
    WHEN cpu_s_per_scan IS NULL OR expryint IS NULL OR cf_s_per_scan IS NULL THEN NULL
    WHEN messages = 0 THEN 'idle'
    ELSE 'costs'
  END AS answer
FROM scanned;
