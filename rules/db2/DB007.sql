/*---
id          = "DB007"
name        = "large-messages-kept-in-db2"
title       = "Large shared messages are stored as Db2 LOBs"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["db2.blob_inserts"]
prints      = ["db2.blob_selects", "db2.blob_deletes"]
judge       = "any interval"
worst       = "highest"
culprits    = ["Db2 bytes"]
measure     = "large message[s] inserted into Db2"
when        = "observed > inserts_max"
look        = ["DISPLAY CFSTRUCT(*) ALL"]
do          = ["Large messages: CFLEVEL(5) and OFFLOAD(SMDS) in the CFSTRUCT of their queues, with shared message data sets."]
plans       = ["shared_message_cost"]

[threshold.inserts_max]
value = 0
unit  = "count"
kind  = "guidance"
why   = "any use shows that a structure does not offload to shared message data sets"

[source]
cite = "MP16, 'Who pays for messages stored on Shared Message Data Sets?' and the tables of CPU costs of shared persistent messages"

[advice]
summary = "{observed:.0f} large shared message[s] [were|was] inserted into Db2 in an interval (limit {inserts_max}), {blob_selects} selected and {blob_deletes} deleted. IBM measured 862 µs of CPU for a persistent message of 64 KB in Db2, 176 µs in a shared message data set; each request also waits for a server task."
remedy  = "Offload them to shared message data sets; messages in Db2 stay there until they are got. If there are very few large messages, no change is needed."
report  = "db2/large_messages"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'large messages in Db2' AS subject,
  blob_inserts            AS observed,
  blob_selects, blob_deletes
FROM db2
WHERE group_member
