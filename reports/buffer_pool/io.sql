/*---
id         = "buffer_pool/io"
title      = "Buffer pool input and output"
question   = "How much page set I/O does each pool cause, and are messages read back or scanned?"
needs      = ["buffer_pool", "buffer_pool_usual"]
rules      = ["BP006", "BP008", "BP011", "BP014"]
grain      = ["lpar", "qmgr", "pool_id", "interval_start_utc"]
dd         = ["BUFFIO"]
note       = "The ratio of gets of old pages to gets of new pages differs so much between healthy pools (112 in a published one) that no fixed number indicates a scan in the pool. A scan is reported if page gets are five times the usual rate of the pool, with no more new pages and updates than usual."

[columns]
lpar = { screen = 1 }
qmgr = { screen = 1 }
qsg = {}
interval_start_utc = { screen = 1 }
interval_seconds = { screen = 3 }
interval_end_utc = {}
pool_id = { label = "pool", screen = 1 }
pages_read = { label = "read", screen = 1 }
pages_written = { label = "written", screen = 1 }
write_ios = { label = "write I/Os", screen = 2 }
pages_per_write = { label = "pages/write", screen = 3 }
immediate_writes = { label = "immed. writes", screen = 2 }
page_set_ios = { label = "I/Os" }
page_set_ios_per_s = { label = "I/O per s", screen = 1 }
pool_hit_pct = { label = "hit %", screen = 2, format = ".2f" }
old_to_new_ratio = { label = "gets old/new", screen = 3 }
read_to_written_ratio = { label = "read/written", screen = 1 }
steals = { label = "steals", screen = 2 }
net_steals = { label = "net steals" }
steal_contention = { label = "steal cont." }
steal_contention_pct = { label = "cont. %", screen = 2 }
set_writes = { label = "set writes" }
read_mib_per_s = { unit = "mib_per_s", label = "read MiB/s", doc = "Data read from page sets per second.", over_time = "mean", across = "add" }
written_mib_per_s = { unit = "mib_per_s", label = "written MiB/s", doc = "Data written to page sets per second.", over_time = "mean", across = "add" }
scan_reading = { unit = "text", label = "pattern", screen = 1, doc = "Whether messages seem to be scanned; for display only." }
page_gets_old = { label = "gets old" }
page_gets_new = { label = "gets new" }
---*/
SELECT
  b.lpar, b.qmgr, b.qsg, b.interval_start_utc, b.interval_seconds, b.interval_end_utc, b.pool_id,
  b.pages_read, b.pages_written, b.write_ios, b.pages_per_write, b.immediate_writes, b.page_set_ios, b.page_set_ios_per_s, b.pool_hit_pct,
  b.old_to_new_ratio, b.read_to_written_ratio, b.steals, b.net_steals, b.steal_contention, b.steal_contention_pct, b.set_writes,
  per_s(pages_mib(b.pages_read), b.interval_seconds)               AS read_mib_per_s,
  per_s(pages_mib(b.pages_written), b.interval_seconds)            AS written_mib_per_s,
  CASE
    WHEN b.old_to_new_ratio > 10 AND b.pages_read > 2 * b.pages_written THEN 'scanning messages on the page set'
    WHEN b.old_to_new_ratio > 10 AND u.looks_like_scan THEN 'scanning messages in the pool'
  END AS scan_reading,
  b.page_gets_old, b.page_gets_new
FROM buffer_pool AS b
LEFT JOIN buffer_pool_usual AS u
  ON u.lpar = b.lpar AND u.qmgr = b.qmgr AND u.pool_id = b.pool_id AND u.interval_start_utc = b.interval_start_utc
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc, pool_id
