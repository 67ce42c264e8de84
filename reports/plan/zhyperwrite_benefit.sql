/*---
id       = "plan/zhyperwrite_benefit"
title    = "Gain and cost of zHyperWrite"
question = "What would zHyperWrite change for mirrored logs?"
subject  = "qmgr"
needs    = ["log", "log_io", "message_manager"]
profiles = ["zhyperwrite"]
holds    = "MQ 9.2 and later on mirrored logs (Metro Mirror) at no distance; z16 with DS8950F, one copy z15 with DS8870."
source   = "MP16, 'Reduced I/O time', 'Improved sustainable log rate' and 'Impact to MQ queue manager costs'"
result   = "io_time_after"
note     = "The CPU time differs between the reports: 14 and 8 % on z16, 6 and 7.5 % on z15. Distance between the sites adds to both times."

[parameter.io_time]
unit     = "us"
measured = "mean time of a log write of copy 1"
doc      = "Mean time of a log write."
remedy   = "collect statistics class 1, or set io_time=500us"

[parameter.log_copies]
unit     = "count"
measured = "log copies that were written"
doc      = "Active log copies."
remedy   = "collect statistics class 1, or set log_copies=2"
least    = 1
most     = 2

[parameter.message_bytes]
unit     = "bytes"
measured = "mean size of the persistent messages put (MQ 9.0.3)"
doc      = "Size of the persistent messages."
default  = 1024
source   = "MP16, 'Reduced I/O time': messages up to 96 KB gain most"

[parameter.mirrored]
unit    = "flag"
fact    = "metro_mirror"
doc     = "Whether the log volumes are mirrored with Metro Mirror."
default = true
source  = "MP16, 'What is zHyperWrite?': without mirroring there is nothing to gain"

[parameter.small_share]
unit    = "ratio"
doc     = "Time of a log write with zHyperWrite as a share of that without, messages up to 96 KB."
default = 0.6
others  = [0.4]
source  = "MP16, 'Reduced I/O time': less than 60 %; V92, 'Reduced I/O time': 60 % less"
most    = 1

[parameter.large_share]
unit    = "ratio"
doc     = "The same for longer messages."
default = 0.9
source  = "MP16, 'Reduced I/O time': at least 10 % less"
most    = 1

[parameter.new_logs_in_use]
unit     = "count"
measured = "new logs with zHyperWrite enabled (MQ 9.1.2)"
doc      = "New logs that use zHyperWrite already."
optional = true

[parameter.zhywrite]
unit     = "flag"
fact     = "zhywrite"
doc      = "Whether ZHYWRITE(YES) is set, from DISPLAY LOG."
optional = true

[step.io_time_after]
unit    = "us"
label   = "log write with zHyperWrite"
formula = "time of a log write * its share"

[step.rate_gain_large]
unit    = "percent"
label   = "more log rate, 4 MB messages"
formula = "of the rates that IBM measured"

[step.more_cpu_large]
unit    = "us_per_mib"
label   = "more CPU, 4 MB messages"
formula = "difference of the CPU times that IBM measured"

[step.more_cpu_percent]
unit    = "percent"
label   = "the same as a share"
formula = "100 * difference / CPU time with mirroring alone"

[step.more_srb_percent]
unit    = "percent"
label   = "more SRB time, 4 MB messages"
formula = "of the SRB times that IBM measured"

[step.usual_more_cpu]
unit    = "percent"
label   = "more CPU of the queue manager, usual"
formula = "of what IBM measured over all message sizes"

[answer.not_mirrored]
text = "The logs are not mirrored, so zHyperWrite changes nothing."

[answer.in_use]
text = "zHyperWrite is in use: {new_logs_in_use:.0f} new log[s] had it enabled, and a log write takes {io_time:,.0f} µs."

[answer.set]
text = "ZHYWRITE(YES) is set, and no new log of the data shows whether zHyperWrite was used; a log write takes {io_time:,.0f} µs."
do   = ["Check the messages of the log data sets at the next log switch, and whether the volumes are mirrored."]

[answer.gain]
text = "With zHyperWrite a log write would take about {io_time_after:,.0f} µs instead of {io_time:,.0f}; small messages reach up to twice the log rate, 4 MB messages {rate_gain_large:,.0f} % more. The queue manager uses about {usual_more_cpu:,.0f} % more CPU for each MiB."
do   = ["SET LOG ZHYWRITE(YES)", "Make it permanent in CSQ6LOGP."]
---*/
WITH io AS (
  SELECT lpar, qmgr, sum(io_total_us) / nullif(sum(io_count), 0) AS io_time
  FROM log_io
  WHERE log_copy = 1
  GROUP BY lpar, qmgr
),
put AS (
  SELECT lpar, qmgr, sum(persistent_put_bytes) / nullif(sum(persistent_puts), 0) AS message_bytes
  FROM message_manager
  GROUP BY lpar, qmgr
),
logs AS (
  SELECT lpar, qmgr, max(log_copies) AS log_copies, sum(new_logs_zhyperwrite_enabled) AS new_logs_in_use
  FROM log
  GROUP BY lpar, qmgr
)
SELECT g.lpar, g.qmgr, NULL AS subject, i.io_time, g.log_copies, p.message_bytes, g.new_logs_in_use
FROM logs AS g
LEFT JOIN io AS i ON i.lpar = g.lpar AND i.qmgr = g.qmgr
LEFT JOIN put AS p ON p.lpar = g.lpar AND p.qmgr = g.qmgr;

SELECT
  i.lpar, i.qmgr, i.subject,
  i.io_time * CASE WHEN i.message_bytes <= 98304 THEN i.small_share WHEN i.message_bytes > 98304 THEN i.large_share END AS io_time_after,
  pct(z.zhyperwrite_rate - z.mirrored_rate, z.mirrored_rate) AS rate_gain_large,
  z.zhyperwrite_cpu - z.mirrored_cpu                         AS more_cpu_large,
  pct(z.zhyperwrite_cpu - z.mirrored_cpu, z.mirrored_cpu)    AS more_cpu_percent,
  pct(z.zhyperwrite_srb - z.mirrored_srb, z.mirrored_srb)    AS more_srb_percent,
  z.usual_more_cpu,
  CASE
    WHEN i.io_time IS NULL OR z.usual_more_cpu IS NULL OR i.message_bytes IS NULL THEN NULL
    WHEN i.new_logs_in_use > 0 THEN 'in_use'
    WHEN NOT i.mirrored THEN 'not_mirrored'
    WHEN i.zhywrite THEN 'set'
    ELSE 'gain'
  END                                                        AS answer
FROM plan_input AS i
LEFT JOIN zhyperwrite AS z ON z.log_copies = i.log_copies;
