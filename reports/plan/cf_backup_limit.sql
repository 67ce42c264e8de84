/*---
id       = "plan/cf_backup_limit"
title    = "Largest structure that can be recovered"
question = "Can the backup of this structure still be recovered?"
subject  = "structure"
needs    = ["cf_structure", "smds"]
holds    = "All levels with SMDS: a backup is read from the logs that the BSDS remembers."
source   = "MP16, 'Backup CFSTRUCT limit'"
result   = "share"
note     = "A backup that is too large seems to work: only the recovery fails. The printed formula counts the logs twice that are active and archived. Data in SMDS is that of all members in this data."

[parameter.data]
unit     = "gib"
measured = "elements in use of the structure, and used blocks of its shared message data sets, at their highest"
doc      = "Data in the structure and its shared message data sets."
remedy   = "collect statistics classes 1 and 3 (records 115.231), or set data=100GiB"

[parameter.recoverable]
unit    = "flag"
fact    = "cf_recover"
doc     = "Whether the structure has RECOVER(YES), so that it can be backed up."
default = true
source  = "MP16, 'Backup CFSTRUCT limit': only such structures are backed up"

[parameter.maxarch]
unit    = "count"
fact    = "maxarch"
doc     = "Archives that the BSDS remembers: MAXARCH of CSQ6LOGP."
default = 500
source  = "MP16, 'Backup CFSTRUCT limit': 10 to 1000; 500 is the default of CSQ6LOGP"
least   = 10
most    = 1000

[parameter.log_size]
unit    = "mib"
fact    = "active_log_mb"
doc     = "Size of one log."
default = 4096
source  = "MP16, 'Backup CFSTRUCT limit': 4 GB"
most    = 4096

[step.limit]
unit    = "gib"
label   = "largest backup"
formula = "MAXARCH * log size"

[step.share]
unit    = "percent"
label   = "data as a share of it"
formula = "100 * data / largest backup"

[step.maxarch_needed]
unit    = "count"
label   = "MAXARCH needed"
formula = "data / log size, rounded up"

[answer.no_backup]
text = "The structure has RECOVER(NO): it cannot be backed up, and its messages are lost if it fails."
do   = ["If it holds persistent messages, set RECOVER(YES) with ALTER CFSTRUCT and back it up."]

[answer.empty]
text = "The structure and its shared message data sets held no data; backups of up to {limit:,.0f} GiB can be recovered."

[answer.too_large]
text = "The data of {data:,.1f} GiB is more than the {limit:,.0f} GiB of log that can be recovered: a backup would seem to work and the recovery would fail. MAXARCH {maxarch_needed:,.0f} would be needed."
do   = ["Raise MAXARCH in CSQ6LOGP, at most 1000, use larger logs, or spread the queues over several structures."]

[answer.fits]
text = "The {data} GiB of data can be recovered: {share} % of the {limit:,.0f} GiB of log that the BSDS remembers."
---*/
WITH elements AS (
  SELECT coalesce(qsg, lpar || '.' || qmgr) AS owner, lpar, qmgr, cf_structure, max(elements_mib) / 1024 AS gib
  FROM cf_structure
  WHERE group_member AND NOT admin_structure
  GROUP BY owner, lpar, qmgr, cf_structure
),
blocks AS (
  SELECT coalesce(qsg, lpar || '.' || qmgr) AS owner, lpar, qmgr, cf_structure, max(smds_used_blocks_high * buffer_bytes) / 1024.0 / 1048576 AS gib
  FROM smds
  GROUP BY owner, lpar, qmgr, cf_structure
),
offloaded AS (
  SELECT owner, cf_structure, sum(gib) AS gib
  FROM blocks
  GROUP BY owner, cf_structure
)
SELECT e.lpar, e.qmgr, e.cf_structure AS subject, list_sum([e.gib, o.gib]) AS data
FROM elements AS e
LEFT JOIN offloaded AS o ON o.owner = e.owner AND o.cf_structure = e.cf_structure;

WITH held AS (
  SELECT *, maxarch * log_size / 1024 AS "limit"
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, "limit",
  pct(data, "limit")                           AS share,
  ceil(data * 1024 / nullif(log_size, 0))      AS maxarch_needed,
  CASE
    WHEN pct(data, "limit") IS NULL THEN NULL
    WHEN NOT recoverable THEN 'no_backup'
    WHEN data = 0 THEN 'empty'
    WHEN data > "limit" THEN 'too_large'
    ELSE 'fits'
  END                                          AS answer
FROM held;
