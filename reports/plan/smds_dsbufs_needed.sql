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
doc      = "Buffers of the structure now (DSBUFS)."
remedy   = "collect statistics class 2 in a queue-sharing group, or set dsbufs=100"
least    = 1

[parameter.lowest_free]
unit     = "buffers"
measured = "lowest number of free buffers of all intervals"
doc      = "Lowest number of free buffers; negative if buffers were missing."
remedy   = "collect statistics class 2 in a queue-sharing group, or take it from message CSQE285I (DISPLAY USAGE TYPE(SMDS)) and set lowest_free=-12"
least    = -100000

[parameter.waits]
unit     = "count"
measured = "waits for a free buffer in all intervals"
doc      = "Requests that waited for a free buffer."
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
formula = "minus the lowest free, at least 1, if any request waited"

[step.dsbufs_needed]
unit    = "buffers"
label   = "buffers needed"
formula = "buffers + buffers missing at worst"

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
text = "{dsbufs_needed} buffers are needed: with {dsbufs:,.0f} at worst {missing_buffers} were missing, and {waits:,.0f} request[s] waited. They take {more_mib:,.1f} MiB more above the bar."
do   = ["ALTER SMDS({qmgr}) CFSTRUCT({subject}) DSBUFS({dsbufs_needed})"]

[answer.raise_far]
text = "{dsbufs_needed} buffers are needed: with {dsbufs:,.0f} at worst {missing_buffers} were missing, and {waits:,.0f} request[s] waited. More than {many:,.0f} buffers may make each get more expensive, so raise the number in steps and look at the CPU of the gets. They take {more_mib:,.1f} MiB more above the bar."
do   = ["ALTER SMDS({qmgr}) CFSTRUCT({subject}) DSBUFS({dsbufs_needed})"]

[answer.enough]
text = "The {dsbufs:,.0f} buffers are enough: at worst {lowest_free:,.0f} were free, and {waits:,.0f} request[s] waited<<; {read_hits:,.0f} % of the reads were saved>>. They take {storage_mib:,.1f} MiB above the bar."

[answer.many]
text = "The {dsbufs:,.0f} buffers are enough, and more than {many:,.0f}, with which gets were seen to take more CPU<<; they saved {read_hits:,.0f} % of the reads>>. Keep them only if random gets of local messages gain from them. They take {storage_mib:,.1f} MiB above the bar."
---*/
SELECT
  lpar, qmgr, cf_structure AS subject,
  arg_max(smds_buffers, interval_start_utc)         AS dsbufs,
  min(buffers_free_low)                             AS lowest_free,
  arg_min(interval_start_local, buffers_free_low)   AS lowest_free_at,
  sum(pool_waits)                                   AS waits,
  sum(smds_read_requests)                           AS reads,
  sum(smds_reads_saved)                             AS reads_saved,
  arg_max(buffer_bytes, interval_start_utc) / 1024  AS block_size
FROM smds
WHERE smds_buffers > 0
GROUP BY lpar, qmgr, cf_structure;

WITH missing AS (
  SELECT
    *,
    CASE WHEN lowest_free <= 0 AND waits > 0 THEN greatest(1, -lowest_free) WHEN lowest_free IS NOT NULL AND waits IS NOT NULL THEN 0 END::BIGINT AS missing_buffers
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, missing_buffers,
  (dsbufs + missing_buffers)::BIGINT    AS dsbufs_needed,
  missing_buffers * block_size / 1024   AS more_mib,
  dsbufs * block_size / 1024            AS storage_mib,
  pct(reads_saved, reads)               AS read_hits,
  CASE
    WHEN dsbufs IS NULL OR missing_buffers IS NULL OR block_size IS NULL THEN NULL
    WHEN missing_buffers > 0 AND dsbufs + missing_buffers > many THEN 'raise_far'
    WHEN missing_buffers > 0 THEN 'raise'
    WHEN dsbufs > many THEN 'many'
    ELSE 'enough'
  END                                   AS answer
FROM missing;
