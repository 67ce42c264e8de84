/*---
id      = "task_hour"
title   = "Tasks by hour"
grain   = "one row per lpar, qmgr and hour in which accounting intervals of tasks ended"
needs   = ["task"]
classes = ["116.1"]
note    = "Helper of view verdict_interval."

[columns]
hour_start_utc = { unit = "ts_utc", doc = "Start of the hour." }
hour_start_local = { unit = "ts_local", doc = "Start of the hour in local time." }
hour_tasks = { unit = "count", doc = "Accounting intervals of tasks that ended in the hour.", over = "add" }
---*/
WITH hour AS (
  SELECT
    lpar, qmgr, max(qsg) AS qsg,
    task_hour_start_utc                       AS hour_start_utc,
    min(task_hour_start_local)                AS hour_start_local,
    count(*)                                  AS hour_tasks,
    sum(commits)::BIGINT                      AS commits,
    sum(commit_et_us)::BIGINT                 AS commit_et_us,
    max(longest_latch_wait_us)                AS longest_latch_wait_us
  FROM task
  WHERE task_interval_end_utc IS NOT NULL
  GROUP BY lpar, qmgr, task_hour_start_utc
)
SELECT
  h.lpar, h.qmgr, h.qsg, h.hour_start_utc, h.hour_start_local,
  h.hour_tasks, h.commits, h.commit_et_us,
  h.commit_et_us / nullif(h.commits, 0)               AS commit_average_et_us,
  h.longest_latch_wait_us
FROM hour AS h
