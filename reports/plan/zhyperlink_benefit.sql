/*---
id       = "plan/zhyperlink_benefit"
title    = "Gain by zHyperLink"
question = "What log rate could zHyperLink bring?"
subject  = "qmgr"
needs    = ["log"]
profiles = ["zhyperlink_rate"]
holds    = "MQ 9.4, 16 function ids and a cable of 30 m on z16; with zHPF in both cases."
source   = "MP16, 'Performance Measurements' of 'zHyperLink support for MQ active logs'"
result   = "gain_small"
note     = "The rates are the highest that IBM reached on its own system with 1 KB and with the largest messages; small messages may gain less elsewhere. The logger then uses 2 to 3.5 times the CPU for each MiB."

[parameter.log_copies]
unit     = "count"
measured = "log copies that were written"
doc      = "Active log copies."
remedy   = "collect statistics class 1, or set log_copies=2"
least    = 1
most     = 2

[parameter.peak_rate]
unit     = "mib_per_s"
measured = "log data written to copy 1 per second in the busiest interval"
doc      = "Log data written to each copy per second at the peak."
remedy   = "collect statistics class 1, or set peak_rate=20MiB/s"

[parameter.stripes]
unit    = "count"
fact    = "log_stripes"
doc     = "Stripes of each active log; IBM measured 1 and 4."
default = 1
source  = "MP16, 'Striped logs': not striped unless the SMS data class states it"
least   = 1

[parameter.paths]
unit    = "text"
doc     = "Whether other work keeps the channel paths to the DASD busy."
default = "dedicated"
choices = "zhyperlink_rate.paths"
source  = "MP16, 'Performance Measurements': the cautious case"

[parameter.new_logs_in_use]
unit     = "count"
measured = "new logs with zHyperLink enabled"
doc      = "New logs that use zHyperLink already."
optional = true

[parameter.zhylink]
unit     = "flag"
fact     = "zhylink"
doc      = "Whether ZHYLINK(YES) is set, from DISPLAY LOG."
optional = true

[step.base_small]
unit    = "mib_per_s"
label   = "1 KB messages, ordinary I/O"
formula = "highest rate that IBM measured for this configuration"

[step.zhyperlink_small]
unit    = "mib_per_s"
label   = "1 KB messages, zHyperLink"
formula = "highest rate that IBM measured for this configuration"

[step.gain_small]
unit    = "ratio"
label   = "gain for 1 KB messages"
formula = "the second divided by the first"

[step.base_large]
unit    = "mib_per_s"
label   = "large messages, ordinary I/O"
formula = "highest rate that IBM measured for this configuration"

[step.zhyperlink_large]
unit    = "mib_per_s"
label   = "large messages, zHyperLink"
formula = "highest rate that IBM measured for this configuration"

[step.gain_large]
unit    = "ratio"
label   = "gain for large messages"
formula = "the second divided by the first"

[step.share_of_base]
unit    = "percent"
label   = "present peak as a share of the rate for 1 KB messages, ordinary I/O"
formula = "100 * peak rate / that rate"

[answer.in_use]
text = "zHyperLink is in use: {new_logs_in_use:.0f} new log[s] had it enabled. With it IBM reached {zhyperlink_small:,.0f} MiB/s for each copy with 1 KB messages and {zhyperlink_large:,.0f} with large ones; the peak here is {peak_rate:,.1f}."

[answer.set]
text = "ZHYLINK(YES) is set, but no new log of the data had zHyperLink enabled. With it IBM reached {zhyperlink_small:,.0f} MiB/s for each copy with 1 KB messages and {zhyperlink_large:,.0f} with large ones; the peak here is {peak_rate:,.1f}."
do   = ["Check that the DASD has zHyperLink and that the SMS storage class allows writes."]

[answer.slower]
text = "zHyperLink brings {gain_small:,.1f} times the log rate with 1 KB messages ({base_small:,.0f} to {zhyperlink_small:,.0f} MiB/s for each copy), but large messages go down from {base_large:,.0f} to {zhyperlink_large:,.0f}: with two striped copies use it for small messages only. The peak here is {peak_rate:,.1f} MiB/s."

[answer.faster]
text = "zHyperLink brings {gain_small:,.1f} times the log rate with 1 KB messages ({base_small:,.0f} to {zhyperlink_small:,.0f} MiB/s for each copy) and {gain_large:,.1f} times with large ones ({base_large:,.0f} to {zhyperlink_large:,.0f}). The peak here is {peak_rate:,.1f} MiB/s."
do   = ["SET LOG ZHYLINK(YES)", "Do so only if the DASD has zHyperLink and the SMS storage class allows writes; make it permanent in CSQ6LOGP."]

[answer.not_needed]
text = "The log does not need zHyperLink for its rate: the peak of {peak_rate:,.1f} MiB/s is {share_of_base:,.0f} % of what IBM reached with ordinary I/O and 1 KB messages. It would still shorten each write, at {gain_small:,.1f} times the highest rate ({base_small:,.0f} to {zhyperlink_small:,.0f} MiB/s for each copy)."
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  max(log_copies)                                       AS log_copies,
  max(copy1_mib_per_s)                                  AS peak_rate,
  at_peak(interval_start_local, copy1_mib_per_s, interval_start_utc)        AS peak_rate_at,
  sum(new_logs_zhyperlink_enabled)                      AS new_logs_in_use
FROM log
WHERE judgeable(interval_seconds)
GROUP BY lpar, qmgr;

WITH chosen AS (
  SELECT
    i.*, r.base_small, r.zhyperlink_small, r.base_large, r.zhyperlink_large,
    r.zhyperlink_small / r.base_small                   AS gain_small,
    r.zhyperlink_large / r.base_large                   AS gain_large,
    pct(i.peak_rate, r.base_small)                      AS share_of_base
  FROM plan_input AS i
  LEFT JOIN zhyperlink_rate AS r ON r.paths = i.paths AND r.copies = i.log_copies AND (r.striped = 'yes') = (i.stripes >= 2)
)
SELECT
  lpar, qmgr, subject, base_small, zhyperlink_small, gain_small, base_large, zhyperlink_large, gain_large, share_of_base,
  CASE
    WHEN gain_small IS NULL OR peak_rate IS NULL THEN NULL
    WHEN new_logs_in_use > 0 THEN 'in_use'
    WHEN zhylink THEN 'set'
    WHEN share_of_base < 50 THEN 'not_needed'
    WHEN gain_large < 1 THEN 'slower'
    ELSE 'faster'
  END                                                   AS answer
FROM chosen;
