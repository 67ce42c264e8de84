/*---
id      = "known_error"
title   = "Known errors of IBM's data that the level of a queue manager may have"
grain   = "one row per lpar, qmgr and APAR of its levels"
needs   = ["record_count", "interval_cut", "coverage_calls"]
keep    = true
note    = "What each APAR corrects: mqstat explain APAR. Whether its fix is on is not in the data. Levels are VVRRMM; an APAR with a sign is reported where the data has it, one without where its level is enough to doubt a figure."

[columns]
apar = { unit = "text", kind = "key", doc = "Number of the APAR." }
sign = { unit = "count", doc = "How often the data shows the error: queues without class 3 (PH69524), intervals below a second (PH68566), 1 if queue statistics ended with the old level (PH67349); null if the data cannot show it.", over = "max" }
---*/
WITH
known (apar, first_level, next_level) AS (
  VALUES
    ('PH08561', 90000, 90200), ('PH67349', 90300, 90500), ('PH68566', 90400, 90401), ('PH69352', 90400, 90401),
    ('PH69524', 90400, 90401)
),
level AS (
  SELECT DISTINCT r.lpar, r.qmgr, k.apar
  FROM record_count AS r
  JOIN known AS k ON r.mq_level >= k.first_level AND r.mq_level < k.next_level
  WHERE r.lpar IS NOT NULL AND r.qmgr IS NOT NULL
),
short AS (
  SELECT lpar, qmgr, count(*) FILTER (interval_seconds < 1) AS intervals
  FROM interval_cut
  GROUP BY lpar, qmgr
),
ended AS (
  -- 115.216 of an older level, none of the newest one, which has other statistics.
  SELECT
    lpar, qmgr,
    max(mq_level) FILTER (record_class = '115.216') < max(mq_level) FILTER (record_class = '115.1') AS queue_statistics_ended
  FROM record_count
  GROUP BY lpar, qmgr
)
SELECT
  l.lpar, l.qmgr, l.apar,
  CASE l.apar
    WHEN 'PH69524' THEN c.unaccounted_queues
    WHEN 'PH68566' THEN s.intervals
    WHEN 'PH67349' THEN coalesce(e.queue_statistics_ended, false)::BIGINT
  END AS sign
FROM level AS l
LEFT JOIN short AS s ON s.lpar = l.lpar AND s.qmgr = l.qmgr
LEFT JOIN ended AS e ON e.lpar = l.lpar AND e.qmgr = l.qmgr
LEFT JOIN coverage_calls AS c ON c.lpar = l.lpar AND c.qmgr = l.qmgr AND c.seen_by = 'task accounting'
