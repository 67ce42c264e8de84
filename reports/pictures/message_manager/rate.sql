/*---
id       = "message_manager/rate"
title    = "Puts and gets"
question = "How busy was the queue manager, and when?"
kind     = "line"
unit     = "per_s"
worst    = "highest"
report   = "message_manager/calls"
needs    = ["message_manager"]
note     = "Counts requests, successful or not; MQ does not count gets through callbacks."
---*/
SELECT lpar, qmgr, 'puts' AS series, interval_start_utc, interval_seconds, puts_per_s AS value
FROM message_manager
UNION ALL
SELECT lpar, qmgr, 'gets' AS series, interval_start_utc, interval_seconds, gets_per_s AS value
FROM message_manager
