/*---
id          = "SM004"
name        = "small-messages-offloaded"
title       = "Small messages were offloaded to SMDS: the structure was filling up"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "cf_structure"]
needs       = ["smds.smds_allocate_requests", "smds_message_size.largest_message_bytes"]
prints      = ["smds.smds_write_pages", "smds_message_size.structure_full_from_pct"]
judge       = "any interval"
worst       = "lowest"
culprits    = ["bytes kept", "bytes held", "bytes put minus got"]
breach_when = "small and offloaded"
caused_by   = ["CF001", "CF007"]
mq_since    = "7.1.0"
look        = ["DISPLAY CFSTATUS({cf_structure}) TYPE(SUMMARY)", "DISPLAY CFSTRUCT({cf_structure}) ALL"]
plans       = ["cf_offload_capacity"]

[threshold.message_bytes_max]
value = 64512
unit  = "bytes"
kind  = "documented"
why   = "messages above 63 KB are always offloaded; smaller ones by default only from a structure that is 70, 80 or 90 % full"
cite  = "MP16, 'Sizing structures at CFLEVEL(5)'"

[clause.small]
when    = "observed <= message_bytes_max"
measure = "largest message put to the structure"

[clause.offloaded]
when    = "smds_allocate_requests > 0"
measure = "message[s] offloaded to the data set"

[source]
cite = "MP16, 'Sizing structures at CFLEVEL(5)' and 'CFLEVEL(5) and small messages'"

[advice]
summary = "Structure {cf_structure} wrote {smds_allocate_requests} message[s] ({smds_write_pages} page[s]) to its shared message data set, but the largest message put to its queues had {observed:.0f} byte[s] (limit {message_bytes_max}): with the default offload rules, the structure was at least {structure_full_from_pct} % full."
remedy  = "Find the shared queue that grows, and find out why nobody gets its messages; otherwise enlarge the structure. If OFFLD1TH to OFFLD3SZ offload early on purpose, list the structure in smds_offload_custom in the site file. Message sizes are known only for queues with statistics or class 3 accounting."
report  = "smds/space"
---*/
SELECT
  s.lpar, s.qmgr, s.cf_structure, s.interval_start_utc, s.interval_seconds, s.record_id,
  'structure ' || s.cf_structure AS subject,
  m.largest_message_bytes        AS observed,
  s.smds_allocate_requests, s.smds_write_pages, m.structure_full_from_pct
FROM smds AS s
JOIN smds_message_size AS m
  ON m.lpar = s.lpar AND m.qmgr = s.qmgr AND m.interval_start_utc = s.interval_start_utc AND m.cf_structure = s.cf_structure
WHERE NOT m.offload_custom
