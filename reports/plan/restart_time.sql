/*---
id       = "plan/restart_time"
title    = "Restart time"
question = "If the queue manager failed now, how long would the restart take?"
subject  = "qmgr"
needs    = ["log_restart"]
holds    = "All levels; rates of DS8900F with MQ 9.x."
source   = "MP16, 'How long will my system take to restart after a failure?', 'How long will each phase of the recovery take?' and 'Worked example of restart times'"
result   = "restart_seconds"
note     = "An estimate: the phases one after another, the forward phase as long as its slowest part. In-doubt units of work and archives that must be mounted are not in SMF."

[parameter.since_checkpoint]
unit     = "mib"
measured = "new log data per checkpoint in the worst interval"
doc      = "Log data from the last checkpoint to the failure."
remedy   = "collect statistics class 1 over an interval with a checkpoint, or set since_checkpoint=500MiB"

[parameter.forward_range]
unit     = "mib"
measured = "log data of two checkpoints in the worst interval"
doc      = "Log data that forward recovery reads: from the oldest change that was not in a page set, or from the oldest in-doubt or in-commit unit of work."
remedy   = "collect statistics class 1 over an interval with a checkpoint, or set forward_range=1GiB"

[parameter.fraction_read]
unit    = "ratio"
doc     = "Share of the pages changed in that range that forward recovery reads."
default = 1.0
others  = [0.1]
source  = "MP16, 'Impact of LOGLOAD on restart': not all changed pages are read again"
most    = 1

[parameter.page_read]
unit    = "us"
fact    = "page_read_us"
doc     = "Time to read one page."
default = 140
others  = [233]
source  = "MP16, 'QM Restart: Forward recovery time as more data needs recovering': 140 µs on DS8900F, 233 µs on DS8870"

[parameter.forward_rate]
unit    = "mib_per_s"
fact    = "log_read_forward_mib_per_s"
doc     = "Log read rate forward."
default = 800
others  = [370]
source  = "MP16, 'How long will each phase of the recovery take?': 800 MB/s for active logs; 370 MB/s when a structure is recovered"

[parameter.backward_range]
unit     = "mib"
measured = "age of the oldest task with log data and no commit, at the average log rate"
doc      = "Log data from the failure back to the oldest unit of work in flight."
optional = true
remedy   = "collect accounting class 3, or set backward_range=900MiB"

[parameter.backward_rate]
unit    = "mib_per_s"
fact    = "log_read_backward_mib_per_s"
doc     = "Log read rate backward."
default = 450
others  = [1200]
source  = "MP16, 'Backup frequency example calculation': 450 MB/s for active logs, the lower rate; 1200 MB/s in 'How long will each phase of the recovery take?'"

[parameter.indexed_messages]
unit     = "count"
measured = "last depth of private indexed queues with persistent messages"
doc      = "Persistent messages on private indexed queues."
optional = true
remedy   = "collect queue statistics or accounting class 3, or set indexed_messages=0"

[parameter.index_rate]
unit    = "per_s"
doc     = "Messages per second whose index entries are rebuilt."
default = 54421.7687
source  = "MP16, 'Indexed Queues': 8 million messages in 147 s"

[parameter.mounts]
unit    = "count"
doc     = "Archive tapes that must be mounted, or data sets that must be recalled."
default = 0
source  = "MP16, 'How to minimize recovery time': none if the active logs hold the range"

[parameter.mount_time]
unit    = "min"
doc     = "Time for each mount or recall."
default = 1
source  = "MP16, 'Worked example of restart times'"

[step.status_seconds]
unit    = "s"
label   = "current status phase"
formula = "log data since the checkpoint / forward rate"

[step.log_seconds]
unit    = "s"
label   = "forward phase, log"
formula = "log data of the forward range / forward rate"

[step.page_seconds]
unit    = "s"
label   = "forward phase, pages"
formula = "256 pages for each MiB of the forward range * share read * time of a page read"

[step.backward_seconds]
unit    = "s"
label   = "backward phase"
formula = "log data back to the oldest unit of work / backward rate"

[step.index_seconds]
unit    = "s"
label   = "indexes"
formula = "messages / rebuild rate"

[step.mount_seconds]
unit    = "s"
label   = "mounts"
formula = "mounts * time of each"

[step.restart_seconds]
unit    = "s"
label   = "restart"
formula = "current status + the longer of log and pages + backward + indexes + mounts, as far as they are known"

[answer.whole]
text = "A restart would take about {restart_seconds:,.1f} s: {status_seconds:,.1f} s current status, {log_seconds:,.1f} s log and {page_seconds:,.1f} s pages forward (the longer counts), {backward_seconds:,.1f} s backward, {index_seconds:,.1f} s indexes."

[answer.at_least]
text = "A restart would take at least {restart_seconds:,.1f} s: {status_seconds:,.1f} s current status, {log_seconds:,.1f} s log and {page_seconds:,.1f} s pages forward (the longer counts)<<, {backward_seconds:,.1f} s backward>><<, {index_seconds:,.1f} s indexes>>. Parts without data are not included."
---*/
SELECT
  lpar, qmgr, NULL AS subject, NULL AS covered,
  worst_mib_per_checkpoint    AS since_checkpoint,
  forward_mib                 AS forward_range,
  backward_mib                AS backward_range,
  indexed_persistent_messages AS indexed_messages
FROM log_restart;

WITH timed AS (
  SELECT
    *,
    since_checkpoint / nullif(forward_rate, 0)         AS status_seconds,
    forward_range / nullif(forward_rate, 0)            AS log_seconds,
    256 * forward_range * fraction_read * page_read / 1e6 AS page_seconds,
    backward_range / nullif(backward_rate, 0)          AS backward_seconds,
    indexed_messages / nullif(index_rate, 0)           AS index_seconds,
    60 * mounts * mount_time                           AS mount_seconds
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, status_seconds, log_seconds, page_seconds, backward_seconds, index_seconds, mount_seconds,
  list_sum([status_seconds, greatest(log_seconds, page_seconds), backward_seconds, index_seconds, mount_seconds]) AS restart_seconds,
  CASE
    WHEN status_seconds IS NULL OR log_seconds IS NULL OR page_seconds IS NULL THEN NULL
    WHEN backward_seconds IS NULL OR index_seconds IS NULL THEN 'at_least'
    ELSE 'whole'
  END                                                  AS answer
FROM timed;
