/*---
id      = "chinit_pool_writes"
title   = "Writes of all buffer pools that a task waits for"
grain   = "one row per lpar, qmgr and interval"
needs   = ["decoded.qpst"]
keep    = true                           # expensive, and read more than once
classes = ["115.215"]
note    = "Helper of report channel_initiator/adapter_wait."

---*/
SELECT
  lpar, qmgr, interval_start_utc,
  sum(immediate_writes)::BIGINT       AS immediate_writes,
  sum(synchronous_write_hits)::BIGINT AS synchronous_write_hits
FROM decoded.qpst
GROUP BY lpar, qmgr, interval_start_utc
