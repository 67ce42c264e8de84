/*---
id       = "cf/structures"
title    = "Entries of each structure in use"
question = "Is a structure filling up?"
kind     = "line"
unit     = "count"
worst    = "highest"
report   = "cf/structures"
needs    = ["cf_structure"]
rules    = ["CF001"]
note     = "Highest number of list entries in use in the interval, application structures only. Elements are in the report: a structure is full when either runs out."
---*/
SELECT lpar, qmgr, cf_structure AS series, interval_start_utc, interval_seconds, entries_high AS value, cf_structure
FROM cf_structure
WHERE group_member AND NOT admin_structure AND entries_high > 0
