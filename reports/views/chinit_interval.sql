/*---
id      = "chinit_interval"
title   = "Channel initiator intervals with the statistics interval of each"
grain   = "one row per channel initiator interval: the first 115.231 record"
needs   = ["channel_interval", "chinit_continuation", "interval_cut", "queue_sharing_group"]
classes = ["115.231"]
empty_without = false
mq_since = "8.0.0"
note    = "Helper of the channel initiator views: their many rows are joined once, by record id."
---*/
SELECT m.record_id, m.lpar, m.qmgr, g.qsg, m.record_us / 1e6 < i.shortest_judged_seconds AS fragment, i.startup_interval, i.suspect_first, m.cut_start_utc
FROM channel_interval AS m
ANTI JOIN chinit_continuation AS p ON p.record_id = m.record_id
LEFT JOIN interval_cut AS i ON i.lpar = m.lpar AND i.qmgr = m.qmgr AND i.interval_start_utc = m.cut_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = m.lpar AND g.qmgr = m.qmgr
WHERE m.record_class = '115.231'
