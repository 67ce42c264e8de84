/*---
id       = "plan/log_max_rate_model"
title    = "Highest message rate from log I/O times"
question = "What message rate do the times of the log writes allow?"
subject  = "qmgr"
needs    = ["log_io"]
holds    = "One task that puts and one that gets, each message with a commit of its own; many tasks share log writes and reach more."
source   = "MP16, 'What is the maximum message rate for 100 000-byte messages?'"
result   = "messages_per_s"
note     = "This is the rate of tasks that do not overlap: a lower bound for a queue manager with many."

[parameter.messages]
unit    = "count"
doc     = "Messages considered."
default = 100
source  = "MP16, 'What is the maximum message rate for 100 000-byte messages?'"
least   = 1

[parameter.log_pages]
unit    = "pages"
doc     = "Log pages of all of them."
default = 2550
source  = "MP16, 'What is the maximum message rate for 100 000-byte messages?': 25.5 pages for each of 100,000 bytes"

[parameter.pages_per_io]
unit    = "pages"
doc     = "Most pages of a log write."
default = 128
others  = [15]
source  = "MP16, 'What is the maximum message rate for 100 000-byte messages?' states 128 and divides by 15"
least   = 1

[parameter.full_time]
unit     = "ms"
measured = "mean time of a log write of several pages, copy 1"
doc      = "Time of a log write of many pages."
remedy   = "collect statistics class 1, or set full_time=2ms"

[parameter.current_page_time]
unit     = "ms"
measured = "mean time of a log write of one page, copy 1"
doc      = "Time of a log write of the current page."
remedy   = "collect statistics class 1, or set current_page_time=500us"

[parameter.writes_per_commit]
unit    = "count"
doc     = "Writes of the current page for each commit."
default = 2
others  = [1]
source  = "MP16, 'What is the maximum message rate for 100 000-byte messages?': 2, one after the other; 1 with a write cache"

[step.full_writes]
unit    = "count"
label   = "writes of many pages"
formula = "(pages - messages) / pages of a write, rounded up"

[step.full_seconds]
unit    = "s"
label   = "their time"
formula = "writes of many pages * time of each"

[step.commit_seconds]
unit    = "s"
label   = "time of the commits"
formula = "2 * messages * writes for each commit * time of the current page"

[step.all_seconds]
unit    = "s"
label   = "both"
formula = "writes of many pages + commits"

[step.messages_per_s]
unit    = "per_s"
label   = "messages per second"
formula = "messages / time"

[answer.rate]
text = "One putting and one getting task that do not overlap reach at least {messages_per_s:,.1f} messages per second with {full_time:,.2f} ms for a write of many pages and {current_page_time:,.2f} ms for one page."
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  sum(io_total_us) FILTER (io_type = 2) / nullif(sum(io_count) FILTER (io_type = 2), 0) / 1000 AS full_time,
  sum(io_total_us) FILTER (io_type = 1) / nullif(sum(io_count) FILTER (io_type = 1), 0) / 1000 AS current_page_time
FROM log_io
WHERE log_copy = 1
GROUP BY lpar, qmgr;

WITH counted AS (
  SELECT *, ceil((log_pages - messages) / nullif(pages_per_io, 0)) AS full_writes
  FROM plan_input
),
timed AS (
  SELECT
    *,
    full_writes * full_time / 1000                                 AS full_seconds,
    2 * messages * writes_per_commit * current_page_time / 1000       AS commit_seconds
  FROM counted
)
SELECT
  lpar, qmgr, subject, full_writes, full_seconds, commit_seconds,
  full_seconds + commit_seconds                                    AS all_seconds,
  messages / nullif(full_seconds + commit_seconds, 0)              AS messages_per_s,
  CASE WHEN messages / nullif(full_seconds + commit_seconds, 0) IS NOT NULL THEN 'rate' END AS answer
FROM timed;
