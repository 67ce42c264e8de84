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
cf_structure = { label = "structure", screen = 2 }
opens = { label = "opens", screen = 1 }
opens_without_cf = { label = "opens without CF" }
open_et_us = { label = "open µs" }
open_cpu_us = { label = "open CPU µs" }
closes = { label = "closes" }
closes_without_cf = { label = "closes without CF" }
close_et_us = { label = "close µs" }
---*/
SELECT
  lpar, qmgr, base_name, cf_structure, queue_disposition, opens, opens_without_cf, opens_with_cf, open_cf_pct, open_et_us, open_cpu_us,
  average_open_et_us, average_open_cpu_us, average_open_wait_us, closes, closes_without_cf, closes_with_cf, close_cf_pct, close_et_us,
  close_cpu_us, average_close_cpu_us, applications, top_application, latch_11_us, latch_15_us, saving_cpu_s
FROM shared_queue_open
ORDER BY opens_with_cf DESC, lpar, qmgr, base_name
