/*---
id       = "plan/log_write_model"
title    = "Commit time from log I/O time"
question = "Does the time of a commit fit the time of the log writes?"
subject  = "qmgr"
needs    = ["log_io", "application_work"]
holds    = "128 pages for each log write on current levels; DASD with a write cache writes the current page again in parallel."
source   = "MP16, 'Detailed example of when data is written to log data sets' and 'Interpretation of total time for requests'"
result   = "commit_ms"
note     = "A commit that takes much longer than its log writes waited for something else: a commit of many tasks at once, CPU, or a resource manager of its unit of work."

[parameter.log_pages]
unit     = "pages"
measured = "log bytes of tasks per commit, in pages of 4 KiB"
doc      = "Log pages of a unit of work."
remedy   = "collect accounting class 3, or set log_pages=25pages"

[parameter.pages_per_io]
unit    = "pages"
doc     = "Most pages of a log write."
default = 128
source  = "MP16, 'How data is written to the active log data sets'"
least   = 1

[parameter.serial_rewrites]
unit    = "count"
doc     = "Writes of the current page that wait for another: 1 on DASD without a write cache."
default = 0
source  = "MP16, 'How data is written to the active log data sets': parallel with a write cache"

[parameter.io_time]
unit     = "ms"
measured = "mean time of a log write of copy 1"
doc      = "Time of a log write."
remedy   = "collect statistics class 1, or set io_time=1ms"

[parameter.commit_time]
unit     = "ms"
measured = "mean elapsed time of a commit in accounting"
doc      = "Time of a commit."
optional = true
remedy   = "collect accounting class 3"

[step.writes]
unit    = "count"
label   = "log writes of a commit"
formula = "(pages - 1) / pages of a write, rounded up, + 1 for the current page + serial rewrites"

[step.commit_ms]
unit    = "ms"
label   = "commit by the log writes"
formula = "log writes * time of each"

[step.times_longer]
unit    = "ratio"
label   = "commit measured against it"
formula = "time of a commit / time by the log writes"

[answer.longer]
text = "A commit takes {commit_time:,.2f} ms, {times_longer:,.1f} times the {commit_ms:,.2f} ms of its {writes:,.0f} log write[s]: it waits for something other than the log I/O."
do   = ["Look at commits, latches and CPU of the applications with the longest commits."]

[answer.shorter]
text = "A commit takes {commit_time:,.2f} ms, less than its {writes:,.0f} log write[s] ({commit_ms:,.2f} ms): most commits do not wait for the log."

[answer.fits]
text = "A commit takes {commit_time:,.2f} ms, about as long as its {writes:,.0f} log write[s] ({commit_ms:,.2f} ms): the log I/O is its time."

[answer.estimate]
text = "A commit of {log_pages:,.1f} log page[s] takes about {commit_ms:,.2f} ms for {writes:,.0f} log write[s]; its measured time is not known."
---*/
WITH io AS (
  SELECT lpar, qmgr, sum(io_total_us) / nullif(sum(io_count), 0) / 1000 AS io_time
  FROM log_io
  WHERE log_copy = 1
  GROUP BY lpar, qmgr
),
work AS (
  SELECT
    lpar, qmgr,
    sum(task_log_bytes) / nullif(sum(commits) FILTER (task_log_bytes > 0), 0) / 4096 AS log_pages,
    sum(commit_et_us) FILTER (task_log_bytes > 0) / nullif(sum(commits) FILTER (task_log_bytes > 0), 0) / 1000 AS commit_time
  FROM application_work
  GROUP BY lpar, qmgr
)
SELECT i.lpar, i.qmgr, NULL AS subject, i.io_time, w.log_pages, w.commit_time
FROM io AS i
LEFT JOIN work AS w ON w.lpar = i.lpar AND w.qmgr = i.qmgr;

WITH counted AS (
  SELECT *, ceil(CASE WHEN log_pages < 1 THEN 0 ELSE log_pages - 1 END / nullif(pages_per_io, 0)) + 1 + serial_rewrites AS writes
  FROM plan_input
),
timed AS (
  SELECT *, writes * io_time AS commit_ms, commit_time / nullif(writes * io_time, 0) AS times_longer
  FROM counted
)
SELECT
  lpar, qmgr, subject, writes, commit_ms, times_longer,
  CASE
    WHEN commit_ms IS NULL THEN NULL
    WHEN times_longer IS NULL THEN 'estimate'
    WHEN times_longer > 2 THEN 'longer'
    WHEN times_longer < 0.5 THEN 'shorter'
    ELSE 'fits'
  END AS answer
FROM timed;
