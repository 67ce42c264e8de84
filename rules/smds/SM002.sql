/*---
id          = "SM002"
name        = "smds-allocation-failed"
title       = "Space in the shared message data set could not be allocated"
severity    = "critical"
weight      = "outage"
grain       = ["lpar", "qmgr", "cf_structure"]
needs       = ["smds.smds_failed_allocates"]
prints      = ["smds.smds_free_blocks_low", "smds.smds_data_blocks", "smds.smds_messages_high"]
judge       = "any interval"
worst       = "highest"
culprits    = ["bytes kept", "bytes held", "bytes put minus got"]
measure     = "failed space allocation[s]"
when        = "observed > failed_allocates_max"
caused_by   = ["SM003", "QU005", "QU006", "QU004", "QU022"]
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

[threshold.failed_allocates_max]
value = 0
unit  = "count"
kind  = "judgement"
why   = "each one is a message that could not be stored"

[source]
cite = "MP16, 'Backup CFSTRUCT limit' (SMDS capacity) and 'Db2' (2192 without a full structure); definition of the field"

[advice]
summary = "Space in the shared message data set of structure {cf_structure} could not be allocated {observed:.0f} time[s] (limit {failed_allocates_max}); at worst {smds_free_blocks_low} of {smds_data_blocks} block[s] were free, and the data set held at most {smds_messages_high} message[s]. Puts of messages that must be offloaded fail with reason code 2192, although the structure itself is not full."
remedy  = "Let the data set expand, or define a larger one. Find the queue that grows and remove old messages."
report  = "smds/space"
---*/
SELECT
  lpar, qmgr, cf_structure, interval_start_utc, interval_seconds, record_id,
  'structure ' || cf_structure AS subject,
  smds_failed_allocates        AS observed,
  smds_free_blocks_low, smds_data_blocks, smds_messages_high, at_largest
FROM smds
WHERE smds_blocks > 0
