/*---
id       = "plan/log_buffers"
title    = "Log buffers and OUTBUFF"
question = "How many log buffers are there, and is OUTBUFF large enough?"
subject  = "qmgr"
needs    = ["log"]
holds    = "All levels: buffers of 4 KiB, OUTBUFF up to 4000 KiB."
source   = "MP16, 'Description of log manager concepts and terms'"
result   = "buffers"
note     = "Waits with OUTBUFF at its largest come from slow log writes."

[parameter.outbuff]
unit    = "kib"
fact    = "outbuff_kib"
doc     = "OUTBUFF of CSQ6LOGP."
default = 4000
source  = "MP16, 'Description of log manager concepts and terms': the largest, and the default"
least   = 40
most    = 4000

[parameter.waits]
unit     = "count"
measured = "waits because no log buffer was free"
doc      = "Waits for a log buffer."
remedy   = "collect statistics class 1, or set waits=0"

[parameter.cis_created]
unit     = "count"
measured = "log control intervals created"
doc      = "Log pages created in the same time."
optional = true

[step.buffers]
unit    = "buffers"
label   = "log buffers"
formula = "OUTBUFF / 4 KiB"

[step.wait_share]
unit    = "percent"
label   = "waits for each page created"
formula = "100 * waits / pages created; test the count, the share may be shown as 0"

[answer.raise]
text = "OUTBUFF {outbuff:,.0f} KiB is too small: with {buffers:,.0f} log buffers tasks waited {waits:,.0f} time[s] for one."
do   = ["Set OUTBUFF=4000 in CSQ6LOGP."]

[answer.slow_log]
text = "Tasks waited {waits:,.0f} time[s] for a log buffer. With OUTBUFF {outbuff:,.0f} KiB, the largest ({buffers:,.0f} buffers), the log writes are too slow."
do   = ["If OUTBUFF is smaller (DISPLAY LOG shows it), set OUTBUFF=4000 in CSQ6LOGP first.", "Find what limits the log: mqstat plan logger_capacity."]

[answer.enough]
text = "OUTBUFF {outbuff:,.0f} KiB is enough: {buffers:,.0f} log buffers, and no task waited for one."
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  sum(log_buffer_waits) AS waits,
  sum(cis_created)      AS cis_created
FROM log
GROUP BY lpar, qmgr;

SELECT
  lpar, qmgr, subject,
  floor(outbuff / 4)      AS buffers,
  pct(waits, cis_created) AS wait_share,
  CASE
    WHEN waits IS NULL OR outbuff IS NULL THEN NULL
    WHEN waits > 0 AND outbuff < 4000 THEN 'raise'
    WHEN waits > 0 THEN 'slow_log'
    ELSE 'enough'
  END                     AS answer
FROM plan_input;
