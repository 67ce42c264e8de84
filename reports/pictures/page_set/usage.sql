/*---
id       = "page_set/usage"
title    = "Page sets in use"
question = "Is a page set filling up, and did it expand?"
kind     = "line"
unit     = "percent"
worst    = "highest"
report   = "page_set/usage"
needs    = ["page_set"]
rules    = ["PS001", "PS002", "PS003", "PS004"]
limits   = [{ rule = "PS003", threshold = "used_pct_max", text = "expansion starts above" }]
mq_since = "9.0.0"
note     = "The mark of PS004 is an expansion: the share in use falls there because the page set is larger."
---*/
SELECT lpar, qmgr, 'page set ' || page_set_id AS series, interval_start_utc, interval_seconds, used_pct AS value, page_set_id
FROM page_set
WHERE status = 'Available'
