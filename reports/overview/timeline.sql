/*---
id         = "overview/timeline"
title      = "Timeline"
question   = "How did the queue manager run during the day?"
needs      = ["interval_headline"]
grain      = ["lpar", "qmgr", "interval_start_utc"]
drill_down = ["overview/peaks"]
note       = "0 means zero, - means not collected. Puts, not gets, show how busy the queue manager was: gets include those that found no message."

[columns]
interval_seconds = { screen = 3 }
gets_per_s = { screen = 3 }
mqi_calls_per_s = { screen = 0 }
persistent_put_pct = { screen = 0 }
log_created_mib_per_s = { format = ".2f" }
log_buffer_waits = { label = "log buffer waits", screen = 2 }
checkpoints = { screen = 0 }
log_reads_archive = { label = "archive reads" }
structure_fulls = { label = "structure full", screen = 0 }
db2_queue_high = { label = "Db2 queue" }
sos_set = { label = "short on storage" }
available_31_mib = { label = "free 31-bit MiB", format = ".0f", screen = 0 }
active_channels_pct = { label = "channels %", screen = 0 }
adapters_idle = { label = "idle adapters", screen = 0 }
dispatcher_busiest_pct = { label = "dispatcher %", screen = 3 }
ssl_busiest_pct = { label = "TLS task %", screen = 0 }
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
