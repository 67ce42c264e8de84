/*---
id       = "smds/buffers"
title    = "Shared message data set buffers"
question = "Are there enough SMDS buffers, and do they save reads?"
needs    = ["smds"]
rules    = ["SM001", "SM005", "SM006", "SM008"]
grain    = ["lpar", "qmgr", "interval_start_utc", "cf_structure"]
dd       = ["SMDSBCSV", "SMDS"]
wsc      = [11]
drill_down = ["smds/io"]
mq_since = "7.1.0"
note     = "If the lowest number of free buffers is negative, requests waited for that many buffers. With far more than 200 buffers, puts and gets cost more."

[columns]
buffer_bytes = { label = "buffer bytes", screen = 3 }
smds_buffers = { label = "buffers", screen = 1 }
shared_buffers_used = { label = "shared used" }
private_buffers_used = { label = "private used" }
saved_buffers_free = { label = "saved free" }
empty_buffers_free = { label = "empty free" }
pool_waiters_now = { label = "pool waiters" }
buffer_waiters_now = { label = "buffer waiters" }
buffer_gets = { label = "gets", screen = 2 }
buffer_gets_valid = { label = "gets valid" }
buffer_gets_matching_empty = { label = "gets matching" }
buffer_gets_free_empty = { label = "gets free" }
buffer_gets_stolen = { label = "gets stolen", screen = 3 }
buffer_gets_none = { label = "gets none" }
smds_read_requests = { label = "reads", screen = 2 }
smds_reads_saved = { label = "reads saved" }
smds_reads_partly_saved = { label = "reads partly saved" }
smds_write_requests = { label = "writes", screen = 3 }
buffers_freed_with_data = { label = "freed with data" }
buffers_freed_empty = { label = "freed empty" }
pool_waits = { label = "pool waits", screen = 1 }
busy_buffer_waits = { label = "busy waits", screen = 1 }
pool_wait_us = { label = "pool wait µs" }
busy_buffer_wait_us = { label = "busy wait µs" }
buffers_used_high = { label = "most used", screen = 1 }
buffers_free_low = { label = "fewest free", screen = 1 }
pool_waiters_high = { label = "most pool waiters" }
buffer_waiters_high = { label = "most buffer waiters" }
remote_read_share_pct = { label = "remote reads %", screen = 0 }
suggested_buffers = { unit = "buffers", label = "suggested buffers", screen = 1, doc = "Buffers that would have been enough, if requests waited.", over = "max" }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, mq_version, cf_structure, structure_number, buffer_bytes,
  smds_buffers, smds_buffer_mib, shared_buffers_used, private_buffers_used, saved_buffers_free, empty_buffers_free,
  pool_waiters_now, buffer_waiters_now, buffer_gets, buffer_gets_valid, buffer_valid_pct,
  buffer_gets_matching_empty, buffer_gets_free_empty, buffer_gets_stolen, buffer_gets_none, smds_read_requests,
  smds_reads_saved, smds_reads_saved_pct, smds_reads_partly_saved, smds_write_requests, buffers_freed_with_data,
  buffers_freed_empty, pool_waits, busy_buffer_waits, buffer_wait_pct, pool_wait_us, average_pool_wait_us,
  busy_buffer_wait_us, average_busy_buffer_wait_us, buffers_used_high, buffers_free_low,
  pool_waiters_high, buffer_waiters_high, overlapped_buffers, remote_read_share_pct,
  CASE WHEN buffers_free_low <= 0 AND pool_waits + busy_buffer_waits > 0
    THEN smds_buffers + abs(buffers_free_low) END AS suggested_buffers
FROM smds
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc, cf_structure
