/*---
id          = "LG021"
name        = "log-buffers-paged-in"
title       = "Log buffers had been paged out"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["log.log_buffer_page_ins"]
prints      = ["log.log_buffer_write_calls"]
judge       = "share >= 10 %"
worst       = "highest"
measure     = "log buffer[s] paged in"
when        = "observed > page_ins_max"
guards      = ["G2"]
look        = ["mqstat report --report log/activity --qmgr {qmgr}"]

[threshold.page_ins_max]
value = 0
unit  = "count"
kind  = "judgement"
why   = "log buffers are in constant use; if they are paged out, real storage is short"

[source]
cite = "Meaning of QJSTBPAG; MP16, 'MQ Statistics' (sample log report, Buff_Pagein)"

[advice]
summary = "Log buffers had to be paged in {log_buffer_page_ins} time[s] (limit {page_ins_max}) in {log_buffer_write_calls} call[s] to write them: storage of the queue manager is paged, which makes all times in these records longer."
remedy  = "Check the paging of the LPAR in RMF. Then use fewer or smaller buffer pools, more real storage, or storage protection in WLM. The first use of the buffers after a change of OUTBUFF has the same effect."
report  = "log/activity"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
  'log buffers'             AS subject,
  log_buffer_page_ins       AS observed,
  log_buffer_page_ins, log_buffer_write_calls
FROM log
