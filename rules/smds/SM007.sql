/*---
id           = "SM007"
name         = "smds-io-slow"
title        = "SMDS I/O takes long on average"
severity     = "warning"
weight       = "delay"
grain        = ["lpar", "qmgr", "cf_structure"]
needs        = ["smds_io.smds_ios"]
prints       = ["smds_io.average_smds_io_us", "smds_io.pages_per_smds_io"]
judge        = "share >= 10 %"
weighted_by = "smds_ios"
weighted_min = 10000
worst        = "highest"
victims      = ["SMDS pages"]
measure     = "average SMDS I/O"
when        = "observed > threshold"
guards       = ["G1"]
min_activity = "smds_ios >= $ios_min"
mq_since     = "7.1.0"
look        = ["DISPLAY USAGE TYPE(SMDS)"]

[threshold.write_us_max]
value = 5000
unit  = "us"
kind  = "judgement"
why   = "no document gives a number; a write of a 256 KB block that takes longer slows every put"

[threshold.read_us_max]
value = 2000
unit  = "us"
kind  = "judgement"
why   = "no document gives a number; a read that takes longer slows every get"

[threshold.ios_min]
value = 100
unit  = "count"
kind  = "judgement"
why   = "an average over fewer I/Os is not reliable"

[source]
cite = "Z17, 'Non-Sequential gets from deep shared queue' (1 KB) and 'Streaming Shared Queue Messages from z/OS to MQ client on Linux' (10 KB); MP16, 'Level 2 optimisation: Cache of recently put messages'"
kind = "judgement"

[advice]
summary = "SMDS {io_kind} of structure {cf_structure} took {observed:.0f} µs on average (limit {threshold:.0f} µs) over {smds_ios} I/O[s] of {pages_per_smds_io:.0f} page[s]."
remedy  = "Puts and gets of offloaded messages take that much longer. Check the response times of the volumes; for reads from other members, those of the owner. In IBM's test, zHPF raised throughput by 50 %. More DSBUFS save reads of messages that were put on this queue manager. If writes have many pages, raise the limit in the site file."
report  = "smds/io"
---*/
SELECT
  lpar, qmgr, cf_structure, io_kind, interval_start_utc, interval_seconds, record_id, fragment,
  'structure ' || cf_structure || ' ' || io_kind AS subject,
  average_smds_io_us           AS observed,
  CASE WHEN io_kind = 'writes' THEN $write_us_max ELSE $read_us_max END AS threshold,
  smds_ios, pages_per_smds_io
FROM smds_io
