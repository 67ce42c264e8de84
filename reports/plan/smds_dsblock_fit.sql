/*---
id       = "plan/smds_dsblock_fit"
title    = "Block size of shared message data sets (DSBLOCK)"
question = "Does the largest message fit into one block, or one set of overlapped I/O?"
subject  = "structure"
needs    = ["smds", "smds_message_size"]
holds    = "MQ 7.1 and later."
source   = "MP16, 'How should I size my DSBLOCKS?' and 'Understanding how messages are stored in SMDS'"
result   = "rounds"
note     = "The limit of 10 buffers and that of 4 MiB hold together: the smaller counts. The default of 256 KiB was the best in most measurements."

[parameter.message_size]
unit     = "kib"
measured = "largest message put to the structure that can be offloaded"
doc      = "Largest message with all headers."
remedy   = "collect queue statistics (STATQ, class 5) or accounting class 3, or set message_size=100KiB"

[parameter.dsblock]
unit     = "kib"
measured = "size of a buffer in the last interval"
doc      = "Size of a block and buffer (DSBLOCK)."
default  = 256
source   = "MP16, 'Tuning SMDS': the default"
least    = 8

[parameter.max_buffers]
unit    = "buffers"
doc     = "Buffers that one request can transfer at once."
default = 10
source  = "MP16, 'How should I size my DSBLOCKS?'"
least   = 1

[parameter.max_size]
unit    = "mib"
doc     = "Data that one request can transfer at once."
default = 4
source  = "MP16, 'How should I size my DSBLOCKS?'"
least   = 1

[step.buffers]
unit    = "buffers"
label   = "buffers for the message"
formula = "message / block, rounded up"

[step.max_overlapped]
unit    = "buffers"
label   = "buffers transferred at once"
formula = "the smaller of 10 and 4 MiB / block"

[step.rounds]
unit    = "count"
label   = "transfers one after another"
formula = "buffers / buffers transferred at once, rounded up"

[step.pages_per_block]
unit    = "pages"
label   = "pages of a block"
formula = "block / 4 KiB"

[step.pages_per_message]
unit    = "pages"
label   = "pages of the message"
formula = "message / 4 KiB, rounded up"

[step.smallest_block]
unit    = "kib"
label   = "smallest block that needs one transfer"
formula = "the smallest of 8, 16, 32 ... 1024 KiB"

[answer.one_block]
text = "A message of {message_size:,.0f} KiB fits into one block of {dsblock:,.0f} KiB."

[answer.one_set]
text = "A message of {message_size:,.0f} KiB takes {buffers} buffers of {dsblock:,.0f} KiB, which are transferred at once."

[answer.several]
text = "A message of {message_size:,.0f} KiB takes {buffers} buffers of {dsblock:,.0f} KiB; at most {max_overlapped} are transferred at once, so it takes {rounds} transfers<<. A block of {smallest_block:,.0f} KiB would need one>>. DSBLOCK can be changed only while no data set of the structure exists."
---*/
WITH largest AS (
  SELECT lpar, qmgr, cf_structure, max(largest_message_bytes) / 1024 AS message_size FROM smds_message_size GROUP BY lpar, qmgr, cf_structure
)
SELECT
  s.lpar, s.qmgr, s.cf_structure AS subject,
  max(l.message_size)                                  AS message_size,
  arg_max(s.buffer_bytes, s.interval_start_utc) / 1024 AS dsblock
FROM smds AS s
LEFT JOIN largest AS l ON l.lpar = s.lpar AND l.qmgr = s.qmgr AND l.cf_structure = s.cf_structure
WHERE s.smds_buffers > 0
GROUP BY s.lpar, s.qmgr, s.cf_structure;

WITH fitted AS (
  SELECT
    *,
    greatest(1, ceil(message_size / nullif(dsblock, 0)))::BIGINT AS buffers,
    least(max_buffers, floor(max_size * 1024 / nullif(dsblock, 0)))::BIGINT AS max_overlapped
  FROM plan_input
),
timed AS (
  SELECT *, CASE WHEN message_size IS NOT NULL THEN ceil(buffers / nullif(max_overlapped, 0))::BIGINT END AS rounds
  FROM fitted
)
SELECT
  lpar, qmgr, subject, CASE WHEN message_size IS NOT NULL THEN buffers END AS buffers, max_overlapped, rounds,
  dsblock / 4 AS pages_per_block, ceil(message_size / 4)::BIGINT AS pages_per_message,
  list_min(list_filter([8, 16, 32, 64, 128, 256, 512, 1024], lambda block: ceil(message_size / block) <= least(max_buffers, floor(max_size * 1024 / block)))) AS smallest_block,
  CASE
    WHEN rounds IS NULL THEN NULL
    WHEN buffers = 1 THEN 'one_block'
    WHEN rounds = 1 THEN 'one_set'
    ELSE 'several'
  END AS answer
FROM timed;
