/*---
id      = "log_commit"
title   = "Commits of the tasks whose accounting interval ends in a statistics interval"
grain   = "one row per lpar, qmgr and interval in which a task's accounting interval ends"
needs   = ["decoded.wtas", "interval_cut"]
classes = ["116.1"]
note    = "Accounting is written within a second of statistics; tasks that end in a gap belong to no interval."

[columns]
commits = { doc = "Commits of tasks with class 3 accounting.", label = "commits", screen = 1 }
---*/
SELECT i.lpar, i.qmgr, i.interval_start_utc, sum(t.commits)::BIGINT AS commits
FROM decoded.wtas AS t
ASOF JOIN interval_cut AS i
  ON i.lpar = t.lpar AND i.qmgr = t.qmgr AND i.interval_end_utc >= t.task_interval_end_utc - INTERVAL 1 SECOND
WHERE t.task_interval_end_utc IS NOT NULL AND t.task_interval_end_utc > i.interval_start_utc
GROUP BY i.lpar, i.qmgr, i.interval_start_utc
