/*---
id         = "overview/timeline"
title      = "Timeline"
question   = "How did the queue manager run during the day?"
needs      = ["interval_headline"]
grain      = ["lpar", "qmgr", "interval_start_utc"]
drill_down = ["overview/peaks"]
note       = "0 means zero, - means not collected. Puts, not gets, show how busy the queue manager was: gets include those that found no message."

[columns]
lpar = { screen = 1 }
qmgr = { screen = 1 }
qsg = {}
interval_start_utc = { screen = 1 }
interval_seconds = { screen = 3 }
startup_interval = {}
puts_per_s = { label = "puts/s", screen = 1 }
gets_per_s = { label = "gets/s", screen = 3 }
mqi_calls_per_s = { label = "calls/s" }
persistent_put_pct = { label = "persistent %" }
log_created_mib_per_s = { label = "log MiB/s", screen = 1, format = ".2f" }
logger_task_busy_pct = { label = "logger %", screen = 1 }
log_buffer_waits = { label = "log buffer waits", screen = 2 }
longest_log_io_us = { label = "longest log I/O µs", screen = 2 }
checkpoints = { label = "checkpoints" }
log_reads_archive = { label = "archive reads" }
lowest_pool_free_pct = { label = "pool free %", screen = 1 }
lowest_pool_id = { label = "pool" }
synchronous_write_hits = { label = "synchronous writes", screen = 2 }
no_buffer_waits = { label = "no buffer" }
page_set_ios_per_s = { label = "page set I/O/s" }
fullest_page_set_pct = { label = "page set %", screen = 2 }
fullest_page_set_id = { label = "page set" }
page_set_fulls = { label = "page set full" }
page_set_expansions = { label = "expansions" }
cf_calls_per_s = { label = "CF calls/s", screen = 3 }
cf_redrive_pct = { label = "redrives %" }
structure_fulls = { label = "structure full" }
smds_waits = { label = "SMDS waits", screen = 3 }
db2_queue_high = { label = "Db2 queue" }
sos_set = { label = "short on storage" }
available_31_mib = { label = "free 31-bit MiB", format = ".0f" }
active_channels_pct = { label = "channels %" }
adapters_idle = { label = "idle adapters" }
adapter_busiest_pct = { label = "adapter %", screen = 2 }
dispatcher_busiest_pct = { label = "dispatcher %", screen = 3 }
ssl_busiest_pct = { label = "TLS task %" }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, startup_interval,
  puts_per_s, gets_per_s, mqi_calls_per_s, persistent_put_pct,
  log_created_mib_per_s, logger_task_busy_pct, log_buffer_waits, longest_log_io_us, checkpoints, log_reads_archive,
  lowest_pool_free_pct, lowest_pool_id, synchronous_write_hits, no_buffer_waits, page_set_ios_per_s,
  fullest_page_set_pct, fullest_page_set_id, page_set_fulls, page_set_expansions,
  cf_calls_per_s, cf_redrive_pct, structure_fulls, smds_waits, db2_queue_high, sos_set, available_31_mib,
  active_channels_pct, adapters_idle, adapter_busiest_pct, dispatcher_busiest_pct, ssl_busiest_pct
FROM interval_headline
ORDER BY lpar, qmgr, interval_start_utc
