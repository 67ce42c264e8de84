/*---
id       = "buffer_pool/usage"
title    = "Buffer pool usage"
question = "Which pools are under pressure, and when?"
needs    = ["buffer_pool"]
rules    = ["BP001", "BP002", "BP003", "BP004", "BP007"]
grain    = ["lpar", "qmgr", "pool_id", "interval_start_utc"]
dd       = ["BUFF", "BUFFCSV"]
wsc      = [1]
drill_down = ["buffer_pool/health", "buffer_pool/map"]
note     = "Pools with 0 buffers are listed with empty percentages."

[columns]
interval_seconds = { screen = 3 }
buffers = { label = "buffers", screen = 1 }
lowest_stealable = { label = "lowest free", screen = 3 }
current_stealable = { label = "free now" }
page_gets_old = { label = "gets old", screen = 2 }
page_gets_new = { label = "gets new", screen = 3 }
pages_written = { screen = 2 }
write_ios = { label = "write I/Os", screen = 3 }
synchronous_write_hits = { label = "DMC", screen = 1 }
no_buffer_waits = { label = "SOS", screen = 1 }
above_bar = { label = "above bar" }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, pool_id, buffers, pool_mib,
  lowest_stealable, highest_used, highest_used_pct, lowest_free_pct, current_stealable, current_free_pct,
  page_gets_old, page_gets_new, pages_read, set_writes, pages_written, write_ios, immediate_writes,
  deferred_write_starts, synchronous_write_hits, steals, steal_contention, no_buffer_waits,
  above_bar, page_fixed, pressure
FROM buffer_pool
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc, pool_id
