/*---
id         = "queue/get_waste"
title      = "Wasted gets"
question   = "Who burns CPU on gets that return nothing, scans, repeated opens and single puts?"
needs      = ["queue_waste", "queue_statistics_total"]
rules      = ["QU010", "QU011", "QU035"]
grain      = ["lpar", "qmgr", "base_name", "application", "connection_type_name"]
unmarked   = "A row is a queue as one application uses it."
drill_down = ["queue/index_advisor"]
site_input = ["ams_queues"]
note       = "Savings are estimates: the parts may overlap and must not be charged. Gets without a message are gets minus valid gets, because consumers by callback count no errors. Columns of queue statistics (no message, redrives, handles) are those of the whole queue."

[columns]
lpar = { screen = 2 }
messages_skipped = { label = "skipped", screen = 2 }
pages_skipped = { label = "pages skipped", screen = 2 }
gets_no_message = { label = "no message", over_time = "same", across = "add", whole = ["lpar", "qmgr", "base_name"], why = "The figure is of the queue: all its applications have the same." }
get_wait_redrives = { label = "redrives", over_time = "same", across = "add", whole = ["lpar", "qmgr", "base_name"], why = "The figure is of the queue: all its applications have the same." }
get_wait_failures = { label = "wait failures", over_time = "same", across = "add", whole = ["lpar", "qmgr", "base_name"], why = "The figure is of the queue: all its applications have the same." }
gets_truncated = { label = "truncated", over_time = "same", across = "add", whole = ["lpar", "qmgr", "base_name"], why = "The figure is of the queue: all its applications have the same." }
waiter_cpu_s = { unit = "s", label = "waiters CPU s", over_time = "same", across = "add", whole = ["lpar", "qmgr", "base_name"], format = ".3f", doc = "CPU time of redriven waiting gets of the queue, at the published 1 µs each." }
---*/
SELECT
  w.lpar, w.qmgr, w.base_name, w.application, w.connection_type_name, w.gets, w.valid_gets, w.gets_without_message, w.gets_per_valid_get,
  w.valid_get_pct, w.get_errors, w.average_get_cpu_us, w.empty_get_cpu_s, w.baseline_get_cpu_us, w.messages_skipped, w.pages_skipped, w.scan_cpu_s,
  w.open_close_cpu_s, w.put1_extra_cpu_s, w.waste_cpu_s, w.waste_share_pct, s.gets_no_message, s.get_wait_redrives, s.get_wait_failures,
  s.gets_truncated, s.input_handles_high, s.get_wait_redrives / 1e6 AS waiter_cpu_s, w.ams_waste_cpu_s, w.put_coverage_pct
FROM queue_waste AS w
LEFT JOIN queue_statistics_total AS s ON s.lpar = w.lpar AND s.qmgr = w.qmgr AND s.base_name = w.base_name
WHERE w.gets > 0 OR w.opens > 100 OR w.put1s > 0
ORDER BY waste_cpu_s DESC, lpar, qmgr, base_name, application, connection_type_name
