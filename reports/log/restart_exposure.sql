/*---
id       = "log/restart_exposure"
title    = "Restart exposure"
question = "If the queue manager failed now, how long would the restart take?"
needs    = ["log_restart"]
rules    = []
grain    = ["lpar", "qmgr"]
drill_down = ["log/checkpoints"]
site_input = ["log_read_backward_mib_per_s", "log_read_forward_mib_per_s", "page_read_us"]
note     = "This is an estimate, shown with its inputs. Parts that are not collected are empty; then only the minimum is known, not the worst case. Without a checkpoint in the data, all columns are empty. Read rates missing in the site file are assumed: 800 MiB/s forward, 450 backward and 140 µs per page; IBM also published 1200 MB/s backward on the same DASD, and 60 MB/s from archives. The plan restart_time shows the range."
---*/
SELECT
  lpar, qmgr, median_mib_per_checkpoint, worst_mib_per_checkpoint, phase2_s, forward_mib, forward_log_s,
  forward_pages_max, forward_pages_best_s, forward_pages_worst_s, oldest_task_s, backward_mib, backward_s,
  indexed_persistent_messages, index_rebuild_s, restart_best_s, restart_at_least_s, restart_worst_s, restart_parts_unknown, persistent_page_sets,
  log_read_forward_mib_per_s, log_read_backward_mib_per_s, page_read_us, read_rates_assumed
FROM log_restart
ORDER BY restart_at_least_s DESC NULLS LAST, lpar, qmgr
