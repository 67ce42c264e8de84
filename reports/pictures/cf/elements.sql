/*---
id       = "cf/elements"
title    = "Elements of each structure in use"
question = "Is a structure running out of elements?"
kind     = "line"
unit     = "count"
worst    = "highest"
report   = "cf/structures"
needs    = ["cf_structure"]
rules    = ["CF001"]
note     = "Highest number of list elements of 256 bytes in use in the interval, application structures only."
---*/
SELECT lpar, qmgr, cf_structure AS series, interval_start_utc, interval_seconds, elements_high AS value, cf_structure
FROM cf_structure
WHERE group_member AND NOT admin_structure AND elements_high > 0
