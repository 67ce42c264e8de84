/*---
id      = "queue_manager_move"
title   = "Queue managers with data of two LPARs"
grain   = "one row per interval whose queue manager had its latest earlier interval on another LPAR"
needs   = ["interval_cut"]
note    = "A queue manager that is started on another LPAR has the same name there, and its intervals do not overlap. Two queue managers of one name (two sysplexes in one dump) run at once."

[columns]
lpar = { doc = "The LPAR on which this interval was." }
from_lpar = { unit = "text", kind = "key", doc = "The LPAR of the latest interval before it." }
from_end_utc = { unit = "ts_utc", kind = "clock", doc = "End of the latest interval before it." }
away_seconds = { unit = "s", doc = "Time without data between both; 0 if they overlap.", over = "max" }
at_once = { unit = "flag", doc = "Intervals of the name on two LPARs overlap by more than a minute somewhere in the data: these are two queue managers." }
---*/
WITH
ordered AS (
  SELECT
    lpar, qmgr, interval_start_utc, interval_seconds, record_id,
    lag(lpar) OVER name AS from_lpar,
    lag(interval_end_utc) OVER name AS from_end_utc
  FROM interval_cut
  WHERE qmgr IN (SELECT qmgr FROM interval_cut GROUP BY qmgr HAVING count(DISTINCT lpar) > 1)
  WINDOW name AS (PARTITION BY qmgr ORDER BY interval_start_utc, lpar)
)
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, from_lpar, from_end_utc,
  greatest(0, epoch_us(interval_start_utc - from_end_utc) / 1e6) AS away_seconds,
  bool_or(interval_start_utc < from_end_utc - INTERVAL 1 MINUTE) OVER (PARTITION BY qmgr) AS at_once
FROM ordered
WHERE from_lpar <> lpar
