/*---
id         = "channel_initiator/summary"
title      = "Channel initiator summary"
question   = "How close are the channels to their limits, how much storage is used, and which type of task is the busiest?"
needs      = ["channel_initiator"]
rules      = ["CH012", "CH013", "CH014", "CH015"]
grain      = ["lpar", "qmgr", "interval_start_utc"]
dd         = ["CHINIT", "CHINCSV"]
drill_down = ["channel_initiator/adapters", "channel_initiator/dispatchers"]
site_input = ["chin_31bit_total_mb", "cpus"]
mq_since   = "8.0.0"
note       = "Without a site file, 1466 MB of 31-bit storage and 4 processors are assumed."

[columns]
interval_seconds = { screen = 3 }
chinit_job = { label = "job" }
current_channels = { label = "current", screen = 1 }
max_channels = { label = "MAXCHL", screen = 2 }
active_channels = { label = "active", screen = 1 }
max_active_channels = { label = "ACTCHL" }
max_tcp_channels = { label = "TCPCHL" }
max_lu62_channels = { label = "LU62CHL" }
chinit_31_mib = { label = "31-bit MiB", screen = 2 }
chinit_64_mib = { label = "64-bit MiB", screen = 2 }
chinit_64_limit_mib = { label = "64-bit limit MiB" }
adapter_busiest_pct = { label = "adapter max %" }
ssl_longest_us = { label = "TLS longest µs" }
dns_longest_us = { label = "DNS longest µs", screen = 2 }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, chinit_job,
  current_channels, max_channels, current_channels_pct, active_channels, max_active_channels, active_channels_pct,
  max_tcp_channels, tcp_channels_pct, max_lu62_channels,
  chinit_31_mib, chinit_31_pct, chinit_64_mib, chinit_64_limit_mib, chinit_64_limit_set, chinit_64_pct,
  adapters, adapters_idle, adapters_unused, adapter_average_pct, adapter_busiest_pct, adapter_requests,
  adapter_average_cpu_us, adapter_average_et_us, adapter_average_wait_us,
  dispatchers, dispatchers_unused, dispatcher_average_pct, dispatcher_busiest_pct,
  ssl_tasks, ssl_tasks_in_use, ssl_busiest_pct, ssl_longest_us,
  dns_requests, dns_busy_pct, dns_longest_us,
  chinit_task_cpu_us, task_storage_kib, omvs_threads, recommended_adapters
FROM channel_initiator
ORDER BY lpar, qmgr, interval_start_utc
