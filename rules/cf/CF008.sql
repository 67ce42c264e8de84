/*---
id          = "CF008"
name        = "admin-structure-entries-short"
title       = "Too few CSQ_ADMIN entries for the next queue manager to start"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr"]
over        = "group"
needs       = ["site_input.csq_admin_entsmax", "admin_structure_room.admin_entries_per_member"]
prints      = ["admin_structure_room.group_members", "admin_structure_room.admin_entries"]
judge       = "whole period"
worst       = "lowest"
culprits    = []
measure     = "entries of CSQ_ADMIN for each member after one more has started"
when        = "observed < entries_per_member_min"
default_on  = false                       # on as soon as the site file gives csq_admin_entsmax
look        = ["DISPLAY CFSTATUS(CSQ_ADMIN) TYPE(SUMMARY)", "DISPLAY GROUP"]
plans       = ["csq_admin_size"]

[threshold.entries_per_member_min]
value = 1000
unit  = "count"
kind  = "documented"
why   = "a queue manager starts in the group only if CSQ_ADMIN has this many entries for each started member"

[source]
cite = "MP16, 'CSQ_ADMIN' (DIS CFSTATUS, 1000 entries for each started queue manager)"

[advice]
summary = "CSQ_ADMIN can have {admin_entries} entr[ies|y]; with one more queue manager than the {group_members} member[s] in the data, each would have {observed:.0f} (limit {entries_per_member_min}). The next queue manager may not start in the group."
remedy  = "Enlarge CSQ_ADMIN in the CFRM policy. Members that sent no data are not counted, so the true figure is lower."
report  = "cf/structure_sums"
---*/
SELECT
  r.lpar, r.qmgr,
  'CSQ_ADMIN of group ' || r.qsg AS subject,
  r.admin_entries_per_member     AS observed,
  r.admin_entries, r.group_members
FROM admin_structure_room AS r
JOIN site_input AS s ON s.lpar = r.lpar AND s.qmgr = r.qmgr
WHERE s.csq_admin_entsmax > 0
