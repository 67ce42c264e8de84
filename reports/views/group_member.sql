/*---
id      = "group_member"
title   = "Members of queue-sharing groups, in the data or expected"
grain   = "one row per queue-sharing group and queue manager; queue managers of no group together"
needs   = ["queue_sharing_group", "site_input"]
note    = "A member that the site expects and that has no records has no lpar. Before 10.0.0 only channel initiator and queue statistics contain the group."

[columns]
lpar = { doc = "First LPAR by name of the member; null if it has no records." }
members_stated = { unit = "flag", doc = "The site file lists the members of the group (expected_members)." }
---*/
WITH expected AS (
  SELECT DISTINCT coalesce(s.qsg, g.qsg) AS qsg, unnest(s.expected_members) AS qmgr
  FROM site_input AS s
  JOIN queue_sharing_group AS g ON g.lpar = s.lpar AND g.qmgr = s.qmgr
),
member AS (
  SELECT qsg, qmgr, min(lpar) AS lpar
  FROM queue_sharing_group
  GROUP BY qsg, qmgr
  UNION ALL
  SELECT e.qsg, e.qmgr, NULL
  FROM expected AS e
  ANTI JOIN queue_sharing_group AS g ON g.qmgr = e.qmgr
)
SELECT lpar, qmgr, qsg, coalesce(qsg IN (SELECT qsg FROM expected), false) AS members_stated
FROM member
