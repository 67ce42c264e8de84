/*---
id      = "quality_level"
title   = "MQ levels of each queue manager"
grain   = "one row per lpar and qmgr"
needs   = ["record_count"]

[columns]
mq_levels = { unit = "count", doc = "Number of MQ levels in the data.", over = "add" }
first_mq_version = { unit = "text", doc = "MQ level of the first records." }
last_mq_version = { unit = "text", doc = "MQ level of the last records." }
level_changed_local = { unit = "ts_local", kind = "clock", doc = "Time of the first record of the last level." }
---*/
WITH level AS (
  SELECT lpar, qmgr, mq_version, min(first_written_local) AS first_written_local, max(last_written_local) AS last_written_local
  FROM record_count
  WHERE mq_version IS NOT NULL AND lpar IS NOT NULL AND qmgr IS NOT NULL
    AND record_class NOT IN ('115.5', '115.6', '115.7') -- they have no standard header, so their level is that of another record
  GROUP BY lpar, qmgr, mq_version
  HAVING sum(confirmed_records) > 0 OR sum(undamaged_records) > 1
)
SELECT
  lpar, qmgr,
  count(*)                                     AS mq_levels,
  arg_min(mq_version, first_written_local)     AS first_mq_version,
  arg_max(mq_version, last_written_local)      AS last_mq_version,
  arg_max(first_written_local, last_written_local) AS level_changed_local
FROM level
GROUP BY lpar, qmgr
