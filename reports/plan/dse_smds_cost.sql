/*---
id       = "plan/dse_smds_cost"
title    = "CPU time of an encrypted shared message data set"
question = "What would encrypting the shared message data set of this structure cost?"
subject  = "structure"
needs    = ["smds"]
holds    = "MQ 9.2 and later; measured on z15 with the cryptographic coprocessor."
source   = "MP16, 'Shared message data set encryption'"
result   = "cpu_seconds"
note     = "The putting application is charged for writes and the queue manager for reads. A get of the application itself takes 0.1 µs less for each page, so accounting shows it cheaper. Messages that are got from a buffer cost nothing."

[parameter.hours]
unit     = "h"
measured = "length of the intervals with data of the data set"
doc      = "Time in which the pages were counted."
remedy   = "collect records 115.231, or set hours=24h"

[parameter.pages_written]
unit     = "pages"
measured = "pages written to the data set of this queue manager"
doc      = "Pages written in that time."
remedy   = "collect records 115.231, or set pages_written=1000000"

[parameter.pages_read]
unit     = "pages"
measured = "pages read from the data set of this queue manager"
doc      = "Pages read in that time."
remedy   = "collect records 115.231, or set pages_read=100000"

[parameter.pages_read_remote]
unit     = "pages"
measured = "pages read from data sets of other queue managers"
doc      = "Pages read from the data sets of others in that time."
remedy   = "collect records 115.231, or set pages_read_remote=0"

[parameter.encrypted]
unit     = "flag"
measured = "whether the data set is encrypted"
doc      = "Whether the data set is encrypted already."
optional = true

[parameter.write_cost]
unit    = "us"
doc     = "CPU time to encrypt a page."
default = 0.7
source  = "MP16, 'MQPUT to SMDS'"

[parameter.read_cost]
unit    = "us"
doc     = "CPU time to decrypt a page of its own data set."
default = 0.7
source  = "MP16, 'MQGET - When the messages are read from local SMDS'"

[parameter.remote_cost]
unit    = "us"
doc     = "CPU time to decrypt a page of another data set."
default = 0.8
source  = "MP16, 'MQGET - When the messages are read from remote SMDS'"

[step.write_seconds]
unit    = "s"
label   = "writes"
formula = "pages written * cost of such a page"

[step.read_seconds]
unit    = "s"
label   = "reads"
formula = "pages read * cost of such a page, both kinds"

[step.cpu_seconds]
unit    = "s"
label   = "all"
formula = "writes + reads"

[step.cpu_percent]
unit    = "percent"
label   = "share of one processor"
formula = "100 * all / time"

[answer.idle]
text = "The data set was neither read nor written, so encryption costs nothing."

[answer.already]
text = "The data set is encrypted: that took about {cpu_seconds:,.3f} CPU seconds in {hours:,.1f} hours, {cpu_percent:,.3f} % of one processor ({write_seconds:,.3f} s writes, {read_seconds:,.3f} s reads)."

[answer.cost]
text = "Encryption would have cost about {cpu_seconds:,.3f} CPU seconds in {hours:,.1f} hours, {cpu_percent:,.3f} % of one processor ({write_seconds:,.3f} s writes, {read_seconds:,.3f} s reads)."
---*/
SELECT
  lpar, qmgr, cf_structure AS subject,
  sum(interval_seconds) / 3600                 AS hours,
  sum(smds_write_pages)                        AS pages_written,
  sum(smds_read_pages)                         AS pages_read,
  sum(remote_read_pages)                       AS pages_read_remote,
  arg_max(smds_encrypted, interval_start_utc)  AS encrypted
FROM smds
GROUP BY lpar, qmgr, cf_structure;

WITH priced AS (
  SELECT
    *,
    pages_written * write_cost / 1e6                                     AS write_seconds,
    (pages_read * read_cost + pages_read_remote * remote_cost) / 1e6     AS read_seconds
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, write_seconds, read_seconds,
  write_seconds + read_seconds                       AS cpu_seconds,
  pct(write_seconds + read_seconds, 3600 * hours)    AS cpu_percent,
  CASE
    WHEN pct(write_seconds + read_seconds, 3600 * hours) IS NULL THEN NULL
    WHEN write_seconds + read_seconds = 0 THEN 'idle'
    WHEN encrypted THEN 'already'
    ELSE 'cost'
  END                                                AS answer
FROM priced;
