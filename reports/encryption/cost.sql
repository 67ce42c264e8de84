/*---
id       = "encryption/cost"
title    = "Cost of data set encryption"
question = "How much CPU does encryption of page sets, logs and shared message data sets cost, and what would switching it on cost?"
needs    = ["encryption_hour"]
rules    = []
grain    = ["lpar", "qmgr", "hour_start_utc"]
site_input = ["archive_copies"]
drill_down = ["encryption/state", "page_set/io"]
note     = "Estimates from IBM's figures for z15, within about 20 %. MQ accounting shows none of this CPU time: it is spent in the queue manager (SRB) and, for puts to shared message data sets, in the application. Without an offload in the period no archive is counted."

[columns]
immediate_write_pages = { label = "immediate pages", screen = 3 }
deferred_write_pages = { label = "deferred pages", screen = 3 }
---*/
SELECT
  lpar, qmgr, hour_start_utc, hour_local, read_pages, immediate_write_pages, deferred_write_pages, page_set_cpu_s, page_set_cpu_encrypted_s,
  log_mib, offloaded_mib, active_copies, archive_copies, log_cpu_s, log_encrypted, smds_pages_4k, smds_cpu_s, total_cpu_s, total_cpu_now_s,
  cpus_equivalent
FROM encryption_hour
ORDER BY total_cpu_s DESC, lpar, qmgr, hour_start_utc
