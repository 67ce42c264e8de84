/*---
id      = "sharing_member"
title   = "Members of queue-sharing groups"
grain   = "one row per lpar and qmgr"
needs   = ["queue_sharing_group", "decoded.q5st", "decoded.qest_structure"]
note    = "Records before 10.0 do not have the group in their header. A queue manager outside a group writes the sections of the coupling facility and of Db2 too, with zeros and its configured servers."

[columns]
group_member = { unit = "flag", doc = "The queue manager belongs to a queue-sharing group: a record names the group, Db2 servers were active or connected, or a structure was called." }
member_from = { unit = "text", doc = "What shows the membership: qwhx, qcct or qqst (the record that names the group), db2 or cf (activity); null outside a group." }
---*/
WITH
servers AS (
  SELECT
    lpar, qmgr,
    max(greatest(db2_servers_active, db2_connects, db2_disconnects, db2_server_abends, db2_lists, db2_reads, blob_inserts)) > 0 AS active
  FROM decoded.q5st
  GROUP BY lpar, qmgr
),
structures AS (
  SELECT lpar, qmgr, max(greatest(single_calls, multiple_calls)) > 0 AS active
  FROM decoded.qest_structure
  GROUP BY lpar, qmgr
)
SELECT
  g.lpar, g.qmgr, g.qsg,
  g.qsg IS NOT NULL OR coalesce(d.active, false) OR coalesce(c.active, false) AS group_member,
  CASE
    WHEN g.qsg IS NOT NULL THEN g.qsg_from
    WHEN d.active THEN 'db2'
    WHEN c.active THEN 'cf'
  END AS member_from
FROM queue_sharing_group AS g
LEFT JOIN servers AS d ON d.lpar = g.lpar AND d.qmgr = g.qmgr
LEFT JOIN structures AS c ON c.lpar = g.lpar AND c.qmgr = g.qmgr
