/*---
id           = "SM008"
name         = "smds-reads-not-served-from-buffers"
title        = "Local gets re-read data that was just written"
severity     = "info"
weight       = "delay"
grain        = ["lpar", "qmgr", "cf_structure"]
needs        = ["smds.smds_reads_saved_pct", "smds.smds_read_ios", "smds.remote_read_ios"]
prints       = ["smds.buffer_bytes", "smds.smds_read_requests", "smds.smds_reads_partly_saved", "smds.smds_buffers"]
judge        = "share >= 25 %"
weighted_by = "smds_read_requests"
weighted_min = 10000
worst        = "lowest"
culprits     = ["SMDS pages"]
breach_when = "saved and own"
guards       = ["G1"]
min_activity = "smds_read_requests >= $reads_min"
caused_by    = ["SM001"]
mq_since     = "7.1.0"
look        = ["DISPLAY USAGE TYPE(SMDS)", "DISPLAY SMDS({qmgr}) CFSTRUCT({cf_structure}) ALL"]
do          = ["ALTER SMDS({qmgr}) CFSTRUCT({cf_structure}) DSBUFS({buffers_to_set})"]
raises       = ["DSBUFS"]
do_unless   = { ST006 = "DSBUFS is not raised: little storage above the bar is left for more buffers (ST006). Raise MEMLIMIT in the JCL of the queue manager first." }
plans       = ["smds_dsbufs_needed"]

[size.more_mib]
formula = "(least(200, smds_buffers * 2) - smds_buffers) * buffer_bytes / 1048576"

[size.buffers_to_set]
when      = "smds_buffers < 200"
formula   = "least(200, smds_buffers * 2)"
at_most   = 9999
cost      = "This is a step, up to 200 buffers.<< It takes {more_mib:,.1f} MiB above the bar.>><< At least {above_bar_left_mib:,.0f} MiB were left there.>>"
otherwise = "With {smds_buffers} SMDS buffers, more of them hardly help."
unknown   = "The records do not show how many SMDS buffers there are."

[threshold.saved_pct_min]
value = 50.0
unit  = "percent"
kind  = "judgement"
why   = "no document gives a number; with enough buffers local gets need no I/O at all"

[threshold.reads_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "for fewer reads, more buffers are a waste of storage"

[clause.saved]
when    = "observed < saved_pct_min"
measure = "reads satisfied by a buffer"

[clause.own]
when          = "smds_read_ios > remote_read_ios"
measure       = "read I/O[s] of own messages"
compared_with = "{limit} of messages of other members"

[source]
cite = "MP16, 'Level 2 optimisation: Cache of recently put messages'; V92, 'MQGET - When the messages are read from SMDS buffers'"

[advice]
summary = "Only {observed:.1f} % of the {smds_read_requests} read[s] of structure {cf_structure} were saved by its {smds_buffers} buffer[s] (limit {saved_pct_min} %), and {smds_reads_partly_saved} more in part; {smds_read_ios} I/O[s] were for messages that this queue manager had written itself, {remote_read_ios} for those of other members."
remedy  = "Add buffers in steps, but not far above 200, and watch SMDS storage and SM005. Buffers cannot hold messages that are read long after the put."
report  = "smds/buffers"
---*/
SELECT
  lpar, qmgr, cf_structure, interval_start_utc, interval_seconds, record_id, fragment,
  'structure ' || cf_structure AS subject,
  smds_reads_saved_pct         AS observed,
  smds_read_requests, smds_reads_partly_saved, smds_buffers, buffer_bytes, smds_read_ios, remote_read_ios
FROM smds
