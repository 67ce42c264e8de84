/*---
id       = "cf/structures"
title    = "Coupling facility structures"
question = "How much CF work does each structure cause, how fast is it, and is it close to full?"
needs    = ["cf_structure"]
rules    = ["CF003", "CF005", "CF006", "CF007", "CF009"]
grain    = ["lpar", "qmgr", "interval_start_utc", "cf_structure"]
dd       = ["CF", "CFCSV"]
wsc      = [8]
drill_down = ["cf/verb_cost", "cf/shared_scan"]
note     = "Redrives are requests repeated with a larger buffer, which MP1B prints as retries; the calls include them. The XES name of a structure is the group name followed by its name."

[columns]
interval_seconds = { screen = 3 }
redrive_pct = { screen = 0 }
elements_per_entry = { screen = 3 }
runs_out_first = { screen = 3 }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, mq_version, cf_structure, structure_number, cf_calls, single_calls,
  single_call_us, average_single_us, single_calls_per_s, single_redrives, single_redrive_pct, multiple_calls, multiple_call_us,
  average_multiple_us, multiple_calls_per_s, multiple_redrives, multiple_redrive_pct, redrive_pct, structure_fulls, entries_high,
  elements_high, elements_per_entry, runs_out_first, admin_structure
FROM cf_structure
WHERE group_member
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc, admin_structure, cf_structure
