/*---
id       = "page_set/io"
title    = "Page set input and output"
question = "Which page sets do I/O, of which kind, how fast, and outside checkpoints?"
unseen   = true
needs    = ["page_set"]
rules    = ["PS007"]
grain    = ["lpar", "qmgr", "interval_start_utc", "page_set_id"]
dd       = ["PSIOCSV", "PSET"]
drill_down = ["buffer_pool/io"]
mq_since = "9.0.0"
note     = "Page sets without I/O in the interval are excluded. Times of deferred writes overlap, up to 64 at once: they give an average, not a data rate."

[columns]
interval_seconds = { screen = 3 }
deferred_write_ios = { label = "deferred writes", screen = 1 }
deferred_write_pages = { label = "pages", screen = 3 }
immediate_write_ios = { label = "immediate writes", screen = 1 }
immediate_write_pages = { label = "immediate pages" }
read_ios = { label = "reads", screen = 1 }
checkpoint_pages = { label = "at checkpoints", screen = 2 }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, page_set_id, pool_id, deferred_write_ios, deferred_write_pages,
  average_deferred_write_us, pages_per_deferred_write, immediate_write_ios, immediate_write_pages,
  average_immediate_write_us, pages_per_immediate_write, read_ios, read_pages, average_read_us, pages_per_read,
  checkpoint_pages, pages_written_outside_checkpoint, page_set_io_count, page_set_io_count_per_s, page_set_mib_per_s,
  deferred_writes_at_once, stripes, encrypted
FROM page_set
WHERE page_set_io_count > 0
ORDER BY lpar, qmgr, interval_start_utc, page_set_id
