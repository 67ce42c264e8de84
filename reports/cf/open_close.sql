/*---
id       = "cf/open_close"
title    = "First-open and last-close on shared queues"
question = "Which opens and closes went to the CF because nobody else held the queue open?"
unseen   = true
needs    = ["shared_queue_open"]
rules    = ["CF012"]
grain    = ["lpar", "qmgr", "base_name"]
wsc      = [13]
drill_down = ["cf/verb_cost"]
note     = "The saving assumes that an open costs 1 µs if a handle of the same type is held open, as IBM measured. A handle held for input stops triggers of type FIRST. Latch times are those of whole tasks that used the queue."

[columns]
lpar = { screen = 2 }
qmgr = { screen = 1 }
base_name = { label = "queue", screen = 1 }
cf_structure = { label = "structure", screen = 2 }
queue_disposition = { label = "disposition" }
opens = { label = "opens", screen = 1 }
opens_without_cf = { label = "opens without CF" }
opens_with_cf = { label = "opens with CF", screen = 1 }
open_cf_pct = { label = "with CF %", screen = 1 }
open_et_us = { label = "open µs" }
open_cpu_us = { label = "open CPU µs" }
average_open_et_us = { label = "avg open µs", screen = 1 }
average_open_cpu_us = { label = "avg open CPU µs", screen = 1 }
average_open_wait_us = { label = "avg open wait µs", screen = 3 }
closes = { label = "closes" }
closes_without_cf = { label = "closes without CF" }
closes_with_cf = { label = "closes with CF", screen = 2 }
close_cf_pct = { label = "closes with CF %" }
close_et_us = { label = "close µs" }
close_cpu_us = { label = "close CPU µs" }
average_close_cpu_us = { label = "avg close CPU µs" }
applications = { label = "applications", screen = 3 }
top_application = { label = "most opens by", screen = 2 }
latch_11_us = { label = "latch 11 µs", screen = 3 }
latch_15_us = { label = "latch 15 µs" }
saving_cpu_s = { label = "saving CPU s", screen = 1 }
---*/
SELECT
  lpar, qmgr, base_name, cf_structure, queue_disposition, opens, opens_without_cf, opens_with_cf, open_cf_pct, open_et_us, open_cpu_us,
  average_open_et_us, average_open_cpu_us, average_open_wait_us, closes, closes_without_cf, closes_with_cf, close_cf_pct, close_et_us,
  close_cpu_us, average_close_cpu_us, applications, top_application, latch_11_us, latch_15_us, saving_cpu_s
FROM shared_queue_open
ORDER BY opens_with_cf DESC, lpar, qmgr, base_name
