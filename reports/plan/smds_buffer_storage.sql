/*---
id       = "plan/smds_buffer_storage"
title    = "Storage of SMDS buffers"
question = "How much 64-bit storage do the SMDS buffers of the queue manager take?"
subject  = "qmgr"
needs    = ["smds", "storage_region"]
holds    = "MQ 7.1 and later."
source   = "MP16, 'Tuning SMDS'"
result   = "storage_mib"

[parameter.structures]
unit     = "count"
measured = "structures with SMDS statistics in the last interval"
doc      = "Structures of the queue manager with shared message data sets."
remedy   = "collect statistics class 2 in a queue-sharing group, or set structures=3"

[parameter.dsbufs]
unit     = "buffers"
measured = "average over the structures in the last interval"
doc      = "Buffers for each structure (DSBUFS)."
default  = 100
source   = "MP16, 'Tuning SMDS': the default"
least    = 1

[parameter.dsblock]
unit     = "kib"
measured = "average over the buffers in the last interval"
doc      = "Size of a buffer (DSBLOCK)."
default  = 256
source   = "MP16, 'Tuning SMDS': the default"
least    = 8

[parameter.storage_in_use]
unit     = "mib"
measured = "SMDS storage of the region in the last interval"
doc      = "64-bit storage of SMDS that the queue manager reports."
optional = true

[step.storage_mib]
unit    = "mib"
label   = "storage of the buffers"
formula = "structures * buffers * size of a buffer"

[step.each_mib]
unit    = "mib"
label   = "storage for each structure"
formula = "buffers * size of a buffer"

[answer.no_structures]
text = "The queue manager has no structures with shared message data sets, so no buffers."

[answer.takes]
text = "The SMDS buffers of {structures:.0f} structure[s] take {storage_mib:,.1f} MiB above the bar, {each_mib:,.1f} MiB for each<<; the queue manager reports {storage_in_use:,.1f} MiB for SMDS>>."
---*/
WITH
latest AS (
  SELECT *, max(interval_start_utc) OVER (PARTITION BY lpar, qmgr) AS latest_utc FROM smds WHERE smds_buffers > 0
),
region AS (
  SELECT lpar, qmgr, arg_max(smds_64_bytes, interval_start_utc) / 1048576 AS storage_in_use FROM storage_region GROUP BY lpar, qmgr
)
SELECT
  s.lpar, s.qmgr, NULL AS subject,
  count(*)                                                                AS structures,
  avg(s.smds_buffers)                                                     AS dsbufs,
  sum(s.smds_buffers * s.buffer_bytes) / 1024 / nullif(sum(s.smds_buffers), 0) AS dsblock,
  max(r.storage_in_use)                                                   AS storage_in_use
FROM latest AS s
LEFT JOIN region AS r ON r.lpar = s.lpar AND r.qmgr = s.qmgr
WHERE s.interval_start_utc = s.latest_utc
GROUP BY s.lpar, s.qmgr;

SELECT
  lpar, qmgr, subject, structures * dsbufs * dsblock / 1024 AS storage_mib, dsbufs * dsblock / 1024 AS each_mib,
  CASE
    WHEN structures * dsbufs * dsblock IS NULL THEN NULL
    WHEN structures = 0 THEN 'no_structures'
    ELSE 'takes'
  END AS answer
FROM plan_input;
