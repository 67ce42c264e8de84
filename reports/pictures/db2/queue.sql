/*---
id       = "db2/queue"
title    = "Requests waiting for Db2 server tasks"
question = "Do requests queue for Db2?"
kind     = "line"
unit     = "count"
worst    = "highest"
report   = "db2/activity"
needs    = ["db2"]
rules    = ["DB001"]
limits   = [{ rule = "DB001", threshold = "queue_high_max", text = "deep above" }]
note     = "Highest depth of the request queue in the interval."
---*/
SELECT lpar, qmgr, 'request queue' AS series, interval_start_utc, interval_seconds, db2_queue_high AS value
FROM db2
WHERE group_member
