/*---
id       = "plan/smf116_volume"
title    = "Volume of accounting data"
question = "How much SMF data does accounting write?"
subject  = "qmgr"
needs    = ["record_count", "task"]
profiles = ["accounting_record_sizes"]
covers   = ["smf116_record_count"]
holds    = "MQ 8.0 and later."
source   = "MP16, 'Accounting Trace Costs', 'How much data is written?' and 'IBM MQ and zEnterprise Data Compression (zEDC) with SMF'"
result   = "class3_mib"
note     = "A task that runs for more than an interval writes a record at each interval. The lengths are those of records without sections for latches and coupling facility calls of further levels; compare with the volume that is written now."

[parameter.transactions]
unit     = "per_day"
measured = "class 3 records of tasks, or class 1 records where there are none, for the time of the data"
doc      = "Transactions (tasks) that end in a day."
remedy   = "take it from CICS, IMS or WLM, and set transactions=1000000/d"

[parameter.queues]
unit     = "number"
measured = "mean queue blocks of a task"
doc      = "Queues that a transaction uses."
remedy   = "count the queues that a transaction opens, and set queues=2"

[parameter.level]
unit     = "text"
measured = "level of the queue manager"
doc      = "MQ level, which decides the length of the sections."
choices  = "accounting_record_sizes.level"
remedy   = "set level=V9.3.2"

[parameter.written_now]
unit     = "mib"
measured = "class 3 data of a day at the rate of the data"
doc      = "Class 3 data that is written in a day now."
optional = true

[parameter.log_stream_gain]
unit    = "ratio"
doc     = "How much more data log streams take than SMF data sets before records are lost."
default = 2
source  = "MP16, 'IBM MQ and zEnterprise Data Compression (zEDC) with SMF'"

[parameter.compression_gain]
unit    = "ratio"
doc     = "How much more again with compressed log streams."
default = 3.8
source  = "MP16, 'IBM MQ and zEnterprise Data Compression (zEDC) with SMF'"

[step.records]
unit    = "count"
label   = "class 3 records of a transaction"
formula = "1 for up to 8 queues, 1 more for each further 9"

[step.class1_bytes]
unit    = "bytes"
label   = "class 1 data of a transaction"
formula = "one record of a fixed length"

[step.class3_bytes]
unit    = "bytes"
label   = "class 3 data of a transaction"
formula = "fixed part + queues * queue section + (records - 1) * fixed part of a continuation"

[step.continuation_bytes]
unit    = "bytes"
label   = "length of a full continuation record"
formula = "its fixed part + 9 queue sections"

[step.class1_mib]
unit    = "mib"
label   = "class 1 data in a day"
formula = "transactions * class 1 data of one"

[step.class3_mib]
unit    = "mib"
label   = "class 3 data in a day"
formula = "transactions * class 3 data of one"

[step.rate_gain]
unit    = "ratio"
label   = "rate without loss with compressed log streams, against SMF data sets"
formula = "gain of log streams * gain of compression"

[answer.on]
text = "Class 3 accounting of {transactions:,.0f} transaction[s] a day with {queues:,.1f} queue[s] each is {class3_mib:,.0f} MiB by the lengths of its records; {written_now:,.0f} MiB a day are written now. Class 1 alone would be {class1_mib:,.0f} MiB."

[answer.would_be]
text = "Class 3 accounting of {transactions:,.0f} transaction[s] a day with {queues:,.1f} queue[s] each would be {class3_mib:,.0f} MiB a day, class 1 alone {class1_mib:,.0f} MiB."
do   = ["START TRACE(ACCTG) CLASS(3)", "Let it run for an hour first, and compare the volume."]
---*/
WITH span AS (
  SELECT
    lpar, qmgr,
    date_diff('second', min(first_written_local), max(last_written_local)) AS seconds,
    max(mq_level)                                                   AS vrm
  FROM record_count
  WHERE lpar IS NOT NULL AND qmgr IS NOT NULL
  GROUP BY lpar, qmgr
),
collected AS (
  SELECT
    lpar, qmgr,
    sum(CASE record_class WHEN '116.0' THEN records ELSE 0 END)     AS class1_records,
    sum(CASE record_class WHEN '116.1' THEN records ELSE 0 END)     AS task_records,
    sum(bytes) FILTER (record_class IN ('116.1', '116.2'))          AS class3_bytes
  FROM record_count
  GROUP BY lpar, qmgr
),
used AS (
  SELECT lpar, qmgr, avg(queue_blocks) AS queues
  FROM task
  GROUP BY lpar, qmgr
)
SELECT
  s.lpar, s.qmgr, NULL AS subject,
  CASE WHEN c.task_records > 0 THEN c.task_records WHEN c.class1_records > 0 THEN c.class1_records END * 86400 / nullif(s.seconds, 0) AS transactions,
  u.queues,
  CASE WHEN s.vrm >= 100000 THEN 'V10.0' WHEN s.vrm >= 90302 THEN 'V9.3.2' WHEN s.vrm > 0 THEN 'V8.0' END AS level,
  CASE WHEN c.task_records > 0 THEN c.class3_bytes / 1048576 * 86400 / nullif(s.seconds, 0) END AS written_now
FROM span AS s
LEFT JOIN collected AS c ON c.lpar = s.lpar AND c.qmgr = s.qmgr
LEFT JOIN used AS u ON u.lpar = s.lpar AND u.qmgr = s.qmgr;

WITH counted AS (
  SELECT *, CASE WHEN queues IS NOT NULL THEN 1 + greatest(0, ceil(round((queues - 8) / 9, 9))) END::BIGINT AS records
  FROM plan_input
),
sized AS (
  SELECT
    i.*, s.class1_bytes, s.continuation_bytes + 9 * s.queue_bytes   AS continuation_bytes,
    s.task_bytes + i.queues * s.queue_bytes + (i.records - 1) * s.continuation_bytes AS class3_bytes
  FROM counted AS i
  LEFT JOIN accounting_record_sizes AS s ON s.level = i.level
)
SELECT
  lpar, qmgr, subject, records, class1_bytes, class3_bytes, continuation_bytes,
  transactions * class1_bytes / 1048576                             AS class1_mib,
  transactions * class3_bytes / 1048576                             AS class3_mib,
  log_stream_gain * compression_gain                                AS rate_gain,
  CASE
    WHEN transactions IS NULL OR class3_bytes IS NULL THEN NULL
    WHEN written_now > 0 THEN 'on'
    ELSE 'would_be'
  END                                                               AS answer
FROM sized;
