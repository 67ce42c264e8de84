/*---
id       = "plan/smds_dsbufs_needed"
title    = "Buffers of shared message data sets (DSBUFS)"
question = "How many SMDS buffers does this structure need?"
subject  = "structure"
needs    = ["smds"]
holds    = "MQ 7.1 and later, structures with CFLEVEL(5) and OFFLOAD(SMDS); the attribute is that of one queue manager and structure."
source   = "MP16, 'Tuning SMDS' and 'DSBUFS'; warnings of many buffers: MP16, 'MQGET - When the messages are read from SMDS buffers'"
result   = "dsbufs_needed"
note     = "The lowest number of free buffers is negative if requests waited: then that many were missing at the same time. Gets by another queue manager never find a message in these buffers. The documents differ about many buffers: with 3000 gets took more CPU than with 10 to 200, but random gets of local messages profit from more."

[parameter.dsbufs]
unit     = "buffers"
measured = "SMDS buffers in the last interval"
doc      = "Buffers of the structure (DSBUFS): set the number to try."
remedy   = "collect statistics class 2 in a queue-sharing group, or set dsbufs=100"
least    = 1

[parameter.dsbufs_now]
unit     = "buffers"
measured = "SMDS buffers in the last interval"
doc      = "Buffers of the structure in the data, to compare with."
optional = true
least    = 1

[parameter.lowest_free]
unit     = "buffers"
measured = "lowest number of free buffers of all intervals"
doc      = "Lowest number of free buffers; negative if buffers were missing."
remedy   = "collect statistics class 2 in a queue-sharing group, or take it from message CSQE285I (DISPLAY USAGE TYPE(SMDS)) and set lowest_free=-12"
least    = -100000

[parameter.waits]
unit     = "count"
measured = "waits for a free or busy buffer in all intervals"
doc      = "Requests that waited for a buffer."
remedy   = "collect statistics class 2 in a queue-sharing group, or set waits=0"

[parameter.reads]
unit     = "count"
measured = "read requests of all intervals"
doc      = "Read requests for messages in data sets of the queue manager itself."
optional = true

[parameter.reads_saved]
unit     = "count"
measured = "reads saved by a buffer in all intervals"
doc      = "Read requests that found the message in a buffer."
optional = true

[parameter.used_high]
unit     = "buffers"
measured = "most buffers in use at once in all intervals"
doc      = "Buffers that were in use at once."
optional = true

[parameter.block_size]
unit     = "kib"
measured = "size of a buffer in the last interval"
doc      = "Size of a buffer, which is that of a block of the data set (DSBLOCK)."
default  = 256
source   = "MP16, 'Tuning SMDS': the default block"

[parameter.many]
unit    = "buffers"
doc     = "Buffers above which the search for one was seen to cost more than it saves."
default = 200
source  = "MP16, 'MQGET - When the messages are read from SMDS buffers': 10 to 200 were cheaper than 3000"

[step.missing_buffers]
unit    = "buffers"
label   = "buffers missing at worst"
formula = "minus the lowest free, at least 1, if any request waited; with another number of buffers that changes as they do"

[step.free_then]
unit    = "buffers"
label   = "lowest number of free buffers with these"
formula = "lowest free + buffers - buffers of the data"

[step.dsbufs_needed]
unit    = "buffers"
label   = "buffers needed"
formula = "buffers + buffers missing at worst"

[step.dsbufs_enough]
unit    = "buffers"
label   = "buffers that would do"
formula = "half more than were in use at once, at least the number above which the search costs more"

[step.freed_mib]
unit    = "mib"
label   = "storage that these free"
formula = "(buffers - buffers that would do) * size of a buffer"

[step.more_mib]
unit    = "mib"
label   = "more storage above the bar"
formula = "buffers missing * size of a buffer"

[step.storage_mib]
unit    = "mib"
label   = "storage of the buffers now"
formula = "buffers * size of a buffer"

[step.read_hits]
unit    = "percent"
label   = "reads saved by buffers"
formula = "100 * reads saved / read requests"

[answer.raise]
text = "{dsbufs_needed} buffers are needed: with {dsbufs:,.0f} at worst {missing_buffers} [were|was] missing, and {waits:,.0f} request[s] waited. They take {more_mib:,.1f} MiB more above the bar."
do   = ["ALTER SMDS({qmgr}) CFSTRUCT({subject}) DSBUFS({dsbufs_needed})", "That is {missing_buffers} more, as many as were missing at worst; they take {more_mib:,.1f} MiB above the bar."]

[answer.raise_far]
text = "{dsbufs_needed} buffers are needed: with {dsbufs:,.0f} at worst {missing_buffers} [were|was] missing, and {waits:,.0f} request[s] waited. More than {many:,.0f} buffers may make each get more expensive, so raise the number in steps and look at the CPU of the gets. They take {more_mib:,.1f} MiB more above the bar."
do   = ["ALTER SMDS({qmgr}) CFSTRUCT({subject}) DSBUFS({dsbufs_needed})", "That is {missing_buffers} more, as many as were missing at worst; they take {more_mib:,.1f} MiB above the bar. Raise the number in steps: many buffers make each get more expensive."]

[answer.enough]
text = "The {dsbufs:,.0f} buffers are enough: at worst {lowest_free:,.0f} were free, and {waits:,.0f} request[s] waited<<; {read_hits:,.0f} % of the reads were saved>>. They take {storage_mib:,.1f} MiB above the bar."

[answer.oversized]
text = "The {dsbufs:,.0f} buffers are too many: at most {used_high:,.0f} were in use at once, and more than {many:,.0f} were seen to make gets take more CPU. {dsbufs_enough} would do, and free {freed_mib:,.1f} MiB above the bar."
do   = ["ALTER SMDS({qmgr}) CFSTRUCT({subject}) DSBUFS({dsbufs_enough})", "That is at least 50 % more than were ever in use at once, and frees {freed_mib:,.0f} MiB above the bar. Get there in steps, as long as SM001 stays clear."]

[answer.does_not_fit]
text = "{dsbufs:,.0f} buffers do not fit: {dsbufs_needed} were needed at the peak. With the {dsbufs_now:,.0f} of the data the lowest number of free buffers was {lowest_free:,.0f}."

[answer.fits]
text = "{dsbufs:,.0f} buffers would have been enough: at worst {free_then:,.0f} of them would have been free. How many reads they would save is not in SMF records. They take {storage_mib:,.1f} MiB above the bar."

[answer.many]
text = "The {dsbufs:,.0f} buffers are enough, and more than {many:,.0f}, with which gets were seen to take more CPU<<; they saved {read_hits:,.0f} % of the reads>>. Keep them only if random gets of local messages gain from them. They take {storage_mib:,.1f} MiB above the bar."
---*/
SELECT
  lpar, qmgr, cf_structure AS subject,
  arg_max(smds_buffers, interval_start_utc)         AS dsbufs,
  arg_max(smds_buffers, interval_start_utc)         AS dsbufs_now,
  min(buffers_free_low)                             AS lowest_free,
  at_peak(interval_start_local, -buffers_free_low, interval_start_utc)   AS lowest_free_at,
  sum(pool_waits + busy_buffer_waits)               AS waits,
  max(buffers_used_high)                            AS used_high,
  sum(smds_read_requests)                           AS reads,
  sum(smds_reads_saved)                             AS reads_saved,
  arg_max(buffer_bytes, interval_start_utc) / 1024  AS block_size
FROM smds
WHERE smds_buffers > 0
GROUP BY lpar, qmgr, cf_structure;

WITH tried AS (
  SELECT *, CASE WHEN dsbufs <> dsbufs_now THEN lowest_free + dsbufs - dsbufs_now ELSE lowest_free END AS free_then
  FROM plan_input
),
missing AS (
  SELECT
    *,
    CASE
      WHEN dsbufs <> dsbufs_now THEN greatest(0, -free_then)
      WHEN lowest_free <= 0 AND waits > 0 THEN greatest(1, -lowest_free)
      WHEN lowest_free IS NOT NULL AND waits IS NOT NULL THEN 0
    END::BIGINT AS missing_buffers
  FROM tried
),
sized AS (
  SELECT *, CASE WHEN used_high IS NOT NULL THEN greatest(many, ceil(1.5 * used_high)) END::BIGINT AS dsbufs_enough, pct(reads_saved, reads) AS read_hits
  FROM missing
)
SELECT
  lpar, qmgr, subject, missing_buffers, free_then,
  (dsbufs + missing_buffers)::BIGINT    AS dsbufs_needed,
  dsbufs_enough,
  (dsbufs - dsbufs_enough) * block_size / 1024 AS freed_mib,
  missing_buffers * block_size / 1024   AS more_mib,
  dsbufs * block_size / 1024            AS storage_mib,
  read_hits,
  CASE
    WHEN dsbufs IS NULL OR missing_buffers IS NULL OR block_size IS NULL THEN NULL
    WHEN dsbufs <> dsbufs_now AND free_then IS NULL THEN NULL
    WHEN dsbufs <> dsbufs_now AND missing_buffers > 0 THEN 'does_not_fit'
    WHEN dsbufs <> dsbufs_now THEN 'fits'
    WHEN missing_buffers > 0 AND dsbufs + missing_buffers > many THEN 'raise_far'
    WHEN missing_buffers > 0 THEN 'raise'
    WHEN dsbufs > dsbufs_enough AND used_high < 0.5 * dsbufs AND (read_hits <= 50 OR reads = 0) THEN 'oversized'
    WHEN dsbufs > many THEN 'many'
    ELSE 'enough'
  END                                   AS answer
FROM sized;
