/*---
id       = "lock_manager/activity"
title    = "Lock manager"
question = "How many locks are taken and how often was one already held?"
needs    = ["lock_manager"]
rules    = []
grain    = ["lpar", "qmgr", "interval_start_utc"]
dd       = ["LOCK"]
note     = "More gets than releases are usual: one release can free many locks. Long units of work and large messages need many locks."

[columns]
qsg = { screen = 3 }
interval_seconds = { screen = 3 }
lock_gets = { label = "lock gets", screen = 1 }
lock_gets_held = { label = "already held", screen = 1 }
lock_releases = { label = "releases", screen = 1 }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, lock_gets, lock_gets_held, lock_releases, lock_gets_per_s, held_pct, lock_growth
FROM lock_manager
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
