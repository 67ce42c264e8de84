/*---
id      = "lock_manager"
title   = "Lock manager"
grain   = "one row per lpar, qmgr and interval"
needs   = ["decoded.qlst", "interval_cut", "queue_sharing_group"]
classes = ["115.2"]

[columns]
lock_gets_per_s = { unit = "per_s", doc = "Lock get requests per second.", over_time = "mean", across = "add", label = "gets/s", screen = 1 }
held_pct = { unit = "percent", doc = "Lock gets for a lock that was already held, as a share of all lock gets.", ratio = { numerator = "lock_gets_held", denominator = "lock_gets", scale = 100 }, label = "held %", screen = 1 }
lock_growth = { unit = "count", doc = "Lock gets minus releases. This does not indicate locks that are kept, because one release can free many.", over = "add", label = "gets - releases", screen = 2 }
---*/
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  q.lock_gets, q.lock_gets_held, q.lock_releases,
  per_s(q.lock_gets, q.interval_us / 1e6)            AS lock_gets_per_s,
  pct(q.lock_gets_held, q.lock_gets)                 AS held_pct,
  q.lock_gets - q.lock_releases                      AS lock_growth
FROM decoded.qlst AS q
LEFT JOIN interval_cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
