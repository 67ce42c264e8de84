/*---
id          = "SM003"
name        = "smds-nearly-full"
title       = "Shared message data set nearly full or near 16 TB"
severity    = "warning"                   # critical where the data set cannot grow or did not
weight      = "outage"
grain       = ["lpar", "qmgr", "cf_structure"]
needs       = ["smds.smds_used_high_pct", "smds.smds_percent_of_16_tib"]
prints      = ["smds.smds_used_blocks_high", "smds.smds_data_blocks", "smds.smds_allocated_mib"]
judge       = "any interval"
worst       = "highest"
culprits    = ["bytes kept", "bytes held", "bytes put minus got"]
caused_by   = ["QU005", "QU006", "QU004", "QU022"]
breach_when = "used or size"
mq_since    = "7.1.0"
look        = ["DISPLAY USAGE TYPE(SMDS)", "DISPLAY SMDS({qmgr}) CFSTRUCT({cf_structure}) ALL", "DISPLAY CFSTATUS({cf_structure}) TYPE(SMDS)"]
do          = ["ALTER SMDS({qmgr}) CFSTRUCT({cf_structure}) DSEXPAND({expand})"]
sets        = ["DSEXPAND"]

[size.expand]
when      = "NOT at_largest"
formula   = "'YES'"
cost      = "The volumes of the data set must have space; the space is not released."
otherwise = "The shared message data set of structure {cf_structure} cannot be enlarged: it has its largest size, 16 TB. Move queues to another structure."
unknown   = "The records do not show whether the shared message data set of structure {cf_structure} can be enlarged: check its size with DISPLAY USAGE TYPE(SMDS)."

[threshold.used_pct_max]
value = 90.0
unit  = "percent"
kind  = "judgement"
why   = "no document gives a number; the last 10 % leave time to act"

[threshold.size_pct_max]
value = 90.0
unit  = "percent"
kind  = "judgement"
why   = "a shared message data set cannot grow beyond 16 TB; the last 10 % leave time to act"

[clause.used]
when    = "observed > used_pct_max"
measure = "most blocks in use"
summary = "The shared message data set of structure {cf_structure} was {smds_used_high_pct:.1f} % full (limit {used_pct_max} %), {smds_used_blocks_high} of {smds_data_blocks} block[s]; its size is {smds_allocated_mib:,.0f} MiB<<; it {growth}>>."

[clause.size]
when    = "smds_percent_of_16_tib > size_pct_max"
measure = "size as a share of 16 TB"
summary = "The shared message data set of structure {cf_structure} has a size of {smds_allocated_mib:,.0f} MiB, {smds_percent_of_16_tib:.1f} % of the largest possible size (limit {size_pct_max} %); at most {smds_used_high_pct:.1f} % of its blocks were in use."
remedy  = "Drain the queue that grows, or move some of the queues to another structure: the data set cannot grow beyond 16 TB."

[source]
cite = "MP16, 'Backup CFSTRUCT limit' and 'Capacity - CFLEVEL(5) Offload - \"Emergency Storage\"' (16 TB)"

[advice]
summary = "The shared message data set of structure {cf_structure} was {smds_used_high_pct:.1f} % full (limit {used_pct_max} %), {smds_used_blocks_high} of {smds_data_blocks} block[s]; its size is {smds_allocated_mib:,.0f} MiB, {smds_percent_of_16_tib:.1f} % of the largest possible size (limit {size_pct_max} %)<<; it {growth}>>."
remedy  = "Drain the queue that grows. A data set that may expand is this full before each expansion. One that did not expand has DSEXPAND(NO), or no space: look for the messages CSQE2xx about it in the job log."
report  = "smds/space"
---*/
SELECT
  lpar, qmgr, cf_structure, interval_start_utc, interval_seconds, record_id,
  'structure ' || cf_structure AS subject,
  smds_used_high_pct           AS observed,
  smds_used_high_pct, smds_used_blocks_high, smds_data_blocks, smds_allocated_mib, smds_percent_of_16_tib, at_largest,
  CASE WHEN at_largest THEN 'cannot grow any more' WHEN did_not_expand THEN 'did not expand' END AS growth,
  CASE WHEN smds_used_high_pct > $used_pct_max AND (at_largest OR did_not_expand) THEN 'critical' END AS severity
FROM smds
WHERE smds_data_blocks > 0
