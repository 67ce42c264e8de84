/*---
id      = "queue_sharing_group"
title   = "Queue-sharing group of each queue manager"
grain   = "one row per lpar and qmgr"
needs   = ["record_count", "decoded.qcct", "decoded.qqst"]

[columns]
qsg_from = { unit = "text", doc = "Record that qsg comes from: qwhx, qcct, qqst or not known.", label = "group from", screen = 3 }
---*/
WITH
named AS (
  SELECT lpar, qmgr, max(qsg) AS qwhx, NULL AS qcct, NULL AS qqst FROM record_count GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, NULL, max(chinit_qsg), NULL FROM decoded.qcct GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, NULL, NULL, max(queue_qsg) FROM decoded.qqst GROUP BY lpar, qmgr
)
SELECT
  lpar, qmgr,
  coalesce(max(qwhx), max(qcct), max(qqst)) AS qsg,
  CASE
    WHEN max(qwhx) IS NOT NULL THEN 'qwhx'
    WHEN max(qcct) IS NOT NULL THEN 'qcct'
    WHEN max(qqst) IS NOT NULL THEN 'qqst'
    ELSE 'not known'
  END AS qsg_from
FROM named
GROUP BY lpar, qmgr
