/*---
id       = "plan/zhyperlink_cost"
title    = "CPU time of zHyperLink"
question = "What CPU time does the logger spend in zHyperLink writes, and what is that of the whole?"
subject  = "qmgr"
needs    = ["log"]
holds    = "MQ 9.4 on z16."
source   = "MP16, 'Cost of zHyperLink' and 'Factoring in a more complex environment'"
result   = "cpu_percent"
note     = "The unit of these times in SMF is taken to be microseconds: no document confirms it. The logger spins in these writes, so their time is CPU time of the queue manager."

[parameter.spin_time]
unit     = "s"
measured = "total time of zHyperLink writes"
doc      = "Time in zHyperLink writes."
remedy   = "collect statistics class 1 on MQ 9.4, or set spin_time=55s"

[parameter.hours]
unit     = "h"
measured = "length of the intervals"
doc      = "Time considered."
remedy   = "collect statistics class 1, or set hours=1h"

[parameter.log_mib]
unit     = "mib"
measured = "new log data"
doc      = "Log data created in that time."
optional = true

[parameter.mq_share]
unit     = "ratio"
doc      = "CPU time of MQ's persistent work as a share of all CPU time of the work, without zHyperLink."
optional = true
remedy   = "take it from RMF; set mq_share=0.2"
most     = 1

[parameter.mq_factor]
unit    = "ratio"
doc     = "CPU time of MQ's persistent work with zHyperLink, divided by that without."
default = 3.14
others  = [1.9, 2.4]
source  = "MP16, 'Factoring in a more complex environment': 3.14 fits the two printed points; 1.9 to 3.5 by message size in MP16, 'Measurements in performance environment'"
least   = 1

[step.cpu_percent]
unit    = "percent"
label   = "share of one processor"
formula = "100 * time in zHyperLink writes / time"

[step.us_per_mib]
unit    = "us_per_mib"
label   = "CPU for each MiB of log data"
formula = "time in zHyperLink writes / log data"

[step.overall_factor]
unit    = "ratio"
label   = "all CPU time with zHyperLink, divided by that without"
formula = "1 + share of MQ * (factor of MQ - 1)"

[answer.not_used]
text = "No log write used zHyperLink<<; with it all CPU time of the work would be {overall_factor:,.2f} times what it is>>."

[answer.cost]
text = "zHyperLink writes took {spin_time:,.1f} CPU seconds in {hours:,.1f} hours, {cpu_percent:,.2f} % of one processor<<, {us_per_mib:,.0f} µs for each MiB of log data>><<; all CPU time of the work is about {overall_factor:,.2f} times that without>>."
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  sum(zhl_total_1ci_us + zhl_total_multi_us) / 1e6 AS spin_time,
  sum(interval_seconds) / 3600                     AS hours,
  sum(log_mib_created)                             AS log_mib
FROM log
GROUP BY lpar, qmgr;

SELECT
  lpar, qmgr, subject,
  pct(spin_time, 3600 * hours)              AS cpu_percent,
  spin_time * 1e6 / nullif(log_mib, 0)      AS us_per_mib,
  1 + mq_share * (mq_factor - 1)            AS overall_factor,
  CASE
    WHEN pct(spin_time, 3600 * hours) IS NULL THEN NULL
    WHEN spin_time = 0 THEN 'not_used'
    ELSE 'cost'
  END                                       AS answer
FROM plan_input;
