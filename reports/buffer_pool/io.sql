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
interval_seconds = { screen = 3 }
write_ios = { label = "write I/Os", screen = 2 }
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
