/*---
id      = "storage_getmain"
title   = "Getmained storage by requester"
grain   = "one row per record and requester (CSECT, offset, storage class)"
needs   = ["decoded.qsgm", "interval_cut", "queue_sharing_group"]
classes = ["115.6"]
note    = "Part of the getmained storage has no requester here: in a real dump 78 % of what storage_region has."

[columns]
average_getmain_bytes = { unit = "bytes", doc = "Average length of a GETMAIN.", over_time = "last", ratio = { numerator = "getmain_bytes", denominator = "getmain_requests" }, label = "avg bytes", format = ",.0f", screen = 2 }
growth_bytes = { unit = "bytes", doc = "Growth of the storage of the requester since its previous record; null in its first one.", over = "add", label = "grown bytes", screen = 1 }
---*/
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id, q.section,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  q.requester, q.requester_offset, q.storage_class, q.getmain_bytes, q.getmain_requests,
  q.getmain_bytes / nullif(q.getmain_requests, 0)                AS average_getmain_bytes,
  q.getmain_longest_bytes, q.getmain_shortest_bytes, q.new_getmains,
  q.getmain_bytes - lag(q.getmain_bytes) OVER (
    PARTITION BY q.lpar, q.qmgr, q.requester, q.requester_offset, q.storage_class ORDER BY q.interval_start_utc, q.record_id, q.section
  )                                                              AS growth_bytes
FROM decoded.qsgm AS q
LEFT JOIN interval_cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
