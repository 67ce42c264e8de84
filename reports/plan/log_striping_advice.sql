/*---
id       = "plan/log_striping_advice"
title    = "Gain by striped logs"
question = "Would striped active logs raise the log rate?"
subject  = "qmgr"
needs    = ["log", "log_io"]
holds    = "All levels; IBM measured four stripes on DS8900F. Stripes are not in SMF."
source   = "MP16, 'Will striped logs improve performance?' and 'Should MQ for z/OS use log striping?'"
result   = "pages_per_stripe_now"
note     = "Striped logs fill faster: check the time to archive them."


[coverage]
least = 0.25
unit  = "h"
why   = "the peak of a shorter time shows little"

[parameter.pages_per_io]
unit     = "pages"
measured = "log pages of a write of several pages, copy 1"
doc      = "Pages of a log write of many pages."
remedy   = "collect statistics class 1, or set pages_per_io=8pages"

[parameter.task_busy]
unit     = "percent"
measured = "time that the logger task was not idle, in its busiest interval"
doc      = "Time that the logger task was busy."
remedy   = "collect statistics class 1, or set task_busy=60%"

[parameter.log_copies]
unit     = "count"
measured = "log copies that were written"
doc      = "Active log copies."
remedy   = "collect statistics class 1, or set log_copies=2"
least    = 1
most     = 2

[parameter.zhyperlink_writes]
unit     = "count"
measured = "zHyperLink write requests (MQ 9.4)"
doc      = "zHyperLink write requests; above 0 zHyperLink is in use."
default  = 0
source   = "MP16, 'zHyperLink and striped active logs': none before MQ 9.4"

[parameter.stripes]
unit    = "count"
doc     = "Stripes wanted."
default = 4
source  = "MP16, 'Will striped logs improve performance?'"
least   = 2

[parameter.most_pages]
unit    = "pages"
doc     = "Most pages of a log write."
default = 128
source  = "MP16, 'zHyperLink and striped active logs'"

[parameter.zhyperlink_write]
unit    = "kib"
doc     = "Most data of a zHyperLink write."
default = 56
source  = "MP16, 'zHyperLink and striped active logs': one track"

[parameter.busy_wanted]
unit    = "percent"
doc     = "Busy time of the logger task from which the log limits the work."
default = 80
source  = "MP16, 'Why does my log performance matter?' states no limit: our own choice, as in the rule LG003"

[step.largest_write]
unit    = "kib"
label   = "largest log write"
formula = "most pages * 4 KiB"

[step.pages_per_stripe]
unit    = "pages"
label   = "pages of each stripe, largest write"
formula = "most pages / stripes"

[step.kib_per_stripe]
unit    = "kib"
label   = "the same in KiB"
formula = "pages of each stripe * 4 KiB"

[step.least_write]
unit    = "kib"
label   = "smallest write that uses all stripes"
formula = "stripes * 4 KiB"

[step.zhyperlink_per_stripe]
unit    = "kib"
label   = "zHyperLink write of each stripe"
formula = "most data of a zHyperLink write / stripes"

[step.pages_per_stripe_now]
unit    = "pages"
label   = "pages of each stripe, mean write"
formula = "pages of a write of many pages / stripes"

[answer.not_zhyperlink]
text = "Do not stripe: with two log copies and zHyperLink IBM reached 519 MiB/s striped and 566 not striped."

[answer.small_writes]
text = "Stripes would not help: a write of several pages has {pages_per_io:,.1f} pages, and all {stripes:.0f} stripes are used from {least_write:,.0f} KiB on."

[answer.not_limited]
text = "Stripes would share each write of {pages_per_io:,.1f} pages, but the logger task is busy {task_busy:,.1f} % at most: the log does not limit the work."

[answer.helps]
text = "Stripes would help: a write of several pages has {pages_per_io:,.1f} pages, {pages_per_stripe_now:,.1f} for each of {stripes:.0f} stripes, and the logger task is {task_busy:,.1f} % busy. IBM reached up to 50 % more with messages of 64 KB and larger."
do   = ["Define new active logs with an SMS data class that stripes them, and add them with DEFINE LOG."]
---*/
WITH io AS (
  SELECT lpar, qmgr, sum(io_cis) / nullif(sum(io_count), 0) AS pages_per_io
  FROM log_io
  WHERE log_copy = 1 AND io_type = 2
  GROUP BY lpar, qmgr
),
busy AS (
  SELECT
    lpar, qmgr,
    sum(interval_seconds) / 3600                         AS covered,
    max(logger_task_busy_pct)                            AS task_busy,
    at_peak(interval_start_local, logger_task_busy_pct, interval_start_utc)  AS task_busy_at,
    max(log_copies)                                      AS log_copies,
    sum(zhl_requests)                                    AS zhyperlink_writes
  FROM log
  WHERE judgeable(interval_seconds)
  GROUP BY lpar, qmgr
)
SELECT b.lpar, b.qmgr, NULL AS subject, b.covered, i.pages_per_io, b.task_busy, b.task_busy_at, b.log_copies, b.zhyperlink_writes
FROM busy AS b
LEFT JOIN io AS i ON i.lpar = b.lpar AND i.qmgr = b.qmgr;

SELECT
  lpar, qmgr, subject,
  4 * most_pages                                         AS largest_write,
  most_pages / nullif(stripes, 0)                        AS pages_per_stripe,
  4 * most_pages / nullif(stripes, 0)                    AS kib_per_stripe,
  4 * stripes                                            AS least_write,
  zhyperlink_write / nullif(stripes, 0)                  AS zhyperlink_per_stripe,
  pages_per_io / nullif(stripes, 0)                      AS pages_per_stripe_now,
  CASE
    WHEN pages_per_io IS NULL OR task_busy IS NULL OR log_copies IS NULL OR stripes IS NULL THEN NULL
    WHEN log_copies >= 2 AND zhyperlink_writes > 0 THEN 'not_zhyperlink'
    WHEN pages_per_io < stripes THEN 'small_writes'
    WHEN task_busy < busy_wanted THEN 'not_limited'
    ELSE 'helps'
  END                                                    AS answer
FROM plan_input;
