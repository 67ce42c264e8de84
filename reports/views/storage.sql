/*---
id      = "storage"
title   = "Storage manager"
grain   = "one row per lpar, qmgr and interval"
needs   = ["decoded.qsst", "interval_cut", "queue_sharing_group"]
classes = ["115.1"]

[columns]
getmains_per_s = { unit = "per_s", doc = "GETMAIN requests per second.", over_time = "mean", across = "add", label = "getmains/s", screen = 2 }
getmain_balance = { unit = "count", doc = "GETMAIN minus FREEMAIN requests.", over = "add", label = "balance", screen = 2 }
---*/
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  q.fixed_pools_created, q.fixed_pools_freed, q.fixed_segments_freed, q.fixed_segments_expanded,
  q.fixed_segments_contracted, q.variable_pools_created, q.variable_pools_freed, q.variable_segments_freed,
  q.variable_segments_expanded, q.variable_segments_contracted, q.getmains, q.freemains, q.storage_errors,
  q.sos_contractions, q.sos_set, q.sos_abends,
  per_s(q.getmains, q.interval_us / 1e6)                         AS getmains_per_s,
  q.getmains - q.freemains                                       AS getmain_balance
FROM decoded.qsst AS q
LEFT JOIN interval_cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
