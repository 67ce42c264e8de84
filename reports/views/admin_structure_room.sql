/*---
id      = "admin_structure_room"
title   = "Entries of CSQ_ADMIN for each member of a queue-sharing group"
grain   = "one row per member whose site file gives csq_admin_entsmax"
needs   = ["sharing_member", "site_input"]
note    = "Helper of rule CF008. Members are those with data; a group whose name no record gives cannot be counted."

[columns]
group_members = { unit = "count", doc = "Members of the group with data.", over = "same" }
admin_entries = { unit = "count", kind = "setting", doc = "Maximum number of entries of CSQ_ADMIN, from the site file." }
admin_entries_per_member = { unit = "count", doc = "Entries for each member after one more has started.", over = "min" }
---*/
WITH counted AS (
  SELECT qsg, count(DISTINCT qmgr) AS group_members
  FROM sharing_member
  WHERE qsg IS NOT NULL
  GROUP BY qsg
)
SELECT
  m.lpar, m.qmgr, m.qsg, c.group_members,
  s.csq_admin_entsmax                             AS admin_entries,
  s.csq_admin_entsmax // (c.group_members + 1)    AS admin_entries_per_member
FROM sharing_member AS m
JOIN counted AS c ON c.qsg = m.qsg
JOIN site_input AS s ON s.lpar = m.lpar AND s.qmgr = m.qmgr
WHERE s.csq_admin_entsmax IS NOT NULL
