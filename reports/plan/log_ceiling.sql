/*---
id       = "plan/log_ceiling"
title    = "Highest rate of log and messages"
question = "How close is the log to what its DASD can take, and how many persistent messages is that?"
subject  = "qmgr"
needs    = ["log", "message_manager"]
profiles = ["log_dasd"]
covers   = ["log_max_persistent_rate"]
holds    = "Two log copies, one message per commit, RAID 5; DASD before DS8870 is left out because its figures are not comparable."
source   = "MP16, 'Upper bound on persistent message capacity - DASD log data rate'"
result   = "ceiling"
note     = "These are the peaks of IBM's own systems. Measure your own with a test and put it into the site file as log_peak_mb_s."

[coverage]
least = 0.25
unit  = "h"
why   = "the peak of a shorter time shows little"

[parameter.peak_rate]
unit     = "mib_per_s"
measured = "log data written per second to copy 1 in the busiest interval"
doc      = "Log data written to each copy per second."
remedy   = "collect statistics class 1, or set peak_rate=20MiB/s"

[parameter.message_bytes]
unit     = "bytes"
measured = "mean size of the persistent messages put (MQ 9.0.3)"
doc      = "Size of the persistent messages."
default  = 1024
least    = 1
source   = "MP16, 'Upper bound on persistent message capacity - DASD log data rate': 1 KB, the lowest rates"

[parameter.device]
unit    = "text"
doc     = "DASD of the logs."
default = "DS8900F, 4 stripes, zHPF"
choices = "log_dasd.device"
source  = "MP16, 'Upper bound on persistent message capacity - DASD log data rate': the newest"

[parameter.site_ceiling]
unit     = "mib_per_s"
fact     = "log_peak_mb_s"
doc      = "Highest log rate of your own DASD for each copy, instead of IBM's."
optional = true
remedy   = "run a test that only logs, and put its rate into the site file as log_peak_mb_s"

[parameter.planning_share]
unit    = "percent"
doc     = "Share of the ceiling that is planned with."
default = 50
source  = "MP16, 'Upper bound on persistent message capacity - DASD log data rate'"
most    = 100

[parameter.log_bytes]
unit     = "bytes"
measured = "new log data divided by persistent messages put"
doc      = "Log bytes of each persistent message."
default  = 2300
source   = "MP16, 'How can we estimate the required log data rate for a system?': 1,000 bytes put and got"
least    = 1

[step.ceiling]
unit    = "mib_per_s"
label   = "ceiling of each copy"
formula = "that of the site, otherwise of the DASD, interpolated on the logarithm of the message size between 1 KB, 5 KB and 1 MB"

[step.share]
unit    = "percent"
label   = "present peak as a share of it"
formula = "100 * peak / ceiling"

[step.planning_limit]
unit    = "mib_per_s"
label   = "rate to plan with"
formula = "ceiling * share to plan with"

[step.messages_per_s]
unit    = "per_s"
label   = "persistent messages at the ceiling"
formula = "ceiling / log bytes of a message"

[step.planned_messages_per_s]
unit    = "per_s"
label   = "persistent messages to plan with"
formula = "the same * share to plan with"

[answer.over]
text = "The log wrote {peak_rate:,.1f} MiB/s to each copy, {share:,.0f} % of the {ceiling:,.0f} MiB/s that the DASD can take and more than the {planning_limit:,.0f} to plan with: about {planned_messages_per_s:,.0f} persistent messages per second."
do   = ["Move work to another queue manager, or use faster log writes: zHyperWrite, zHyperLink, stripes."]

[answer.within]
text = "The log wrote {peak_rate:,.1f} MiB/s to each copy, {share:,.1f} % of the {ceiling:,.0f} MiB/s that the DASD can take; plan with up to {planning_limit:,.0f} MiB/s, about {planned_messages_per_s:,.0f} persistent messages per second at {log_bytes:,.0f} log bytes each."
---*/
WITH put AS (
  SELECT lpar, qmgr, sum(persistent_put_bytes) / nullif(sum(persistent_puts), 0) AS message_bytes, sum(persistent_puts) AS puts
  FROM message_manager
  GROUP BY lpar, qmgr
),
written AS (
  SELECT
    lpar, qmgr,
    sum(interval_seconds) / 3600                             AS covered,
    max(copy1_mib_per_s)                                     AS peak_rate,
    at_peak(interval_start_local, copy1_mib_per_s, interval_start_utc)           AS peak_rate_at,
    sum(cis_created) * 4096                                  AS log_bytes
  FROM log
  WHERE judgeable(interval_seconds)
  GROUP BY lpar, qmgr
)
SELECT
  w.lpar, w.qmgr, NULL AS subject, w.covered, w.peak_rate, w.peak_rate_at, p.message_bytes,
  w.log_bytes / nullif(p.puts, 0)                            AS log_bytes
FROM written AS w
LEFT JOIN put AS p ON p.lpar = w.lpar AND p.qmgr = w.qmgr;

WITH chosen AS (
  SELECT
    i.*,
    CASE
      WHEN i.site_ceiling IS NOT NULL THEN i.site_ceiling
      ELSE interpolated(ln(i.message_bytes), [ln(1024), ln(5120), ln(1048576)], [d.small_rate, d.medium_rate, d.large_rate])
    END                                                      AS ceiling
  FROM plan_input AS i
  LEFT JOIN log_dasd AS d ON d.device = i.device
),
limited AS (
  SELECT
    *,
    ceiling * planning_share / 100                           AS planning_limit,
    ceiling * 1048576 / nullif(log_bytes, 0)                 AS messages_per_s
  FROM chosen
)
SELECT
  lpar, qmgr, subject, ceiling, pct(peak_rate, ceiling) AS share, planning_limit, messages_per_s,
  messages_per_s * planning_share / 100                      AS planned_messages_per_s,
  CASE
    WHEN ceiling IS NULL OR peak_rate IS NULL OR messages_per_s IS NULL THEN NULL
    WHEN peak_rate > planning_limit THEN 'over'
    ELSE 'within'
  END                                                        AS answer
FROM limited;
