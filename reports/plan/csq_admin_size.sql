/*---
id       = "plan/csq_admin_size"
title    = "Size of CSQ_ADMIN"
question = "Is the administration structure large enough for the members of the group?"
subject  = "qmgr"
needs    = ["cf_structure", "sharing_member"]
holds    = "Queue-sharing groups, MQ 7.1 and later."
source   = "MP16, 'CSQ ADMIN'; Z17, 'Does CFCC level 26 affect the size of my ADMIN structure?'"
result   = "init_kib"
note     = "Members that are not in the data are not counted. The structure does not hold messages: its size depends on the members, and for the time of a commit on the messages of a unit of work; the smallest structure is enough for about 40,000. SYSAPPL needs at least 41 MB from CFCC level 25 on."

[parameter.group_members]
unit     = "count"
measured = "members of the queue-sharing group in the data"
doc      = "Queue managers of the queue-sharing group."
remedy   = "collect statistics class 2 of all members, or set group_members=4"
least    = 1

[parameter.entries]
unit     = "count"
fact     = "csq_admin_entsmax"
doc      = "Entries that the structure can have (ENTSMAX)."
optional = true
remedy   = "take ENTSMAX of DISPLAY CFSTATUS(CSQ_ADMIN) into the site file as csq_admin_entsmax"
least    = 1

[parameter.entries_used]
unit     = "count"
measured = "most entries in use in any interval"
doc      = "Entries in use (ENTSUSED)."
optional = true

[parameter.fulls]
unit     = "count"
measured = "requests that found CSQ_ADMIN full, all intervals"
doc      = "Requests that found the structure full."
optional = true

[parameter.cfcc]
unit    = "level"
doc     = "Level of the coupling facility control code."
default = 25
source  = "MP16, 'CSQ ADMIN': more from level 25 on"
least   = 1

[parameter.base]
unit    = "kib"
doc     = "INITSIZE for up to 7 members before CFCC level 25."
default = 20000
source  = "MP16, 'CSQ ADMIN'"

[parameter.extra]
unit    = "kib"
doc     = "What CFCC level 25 and later need in addition."
default = 10000
others  = [8192]
source  = "MP16, 'CSQ ADMIN'; Z17, 'Does CFCC level 26 affect the size of my ADMIN structure?' has 8 MB"

[parameter.entries_each]
unit    = "count"
doc     = "Entries for each started member, without which the next does not start."
default = 1000
source  = "MP16, 'CSQ ADMIN'"
least   = 1

[step.init_kib]
unit    = "kib"
label   = "INITSIZE for up to 7 members"
formula = "20,000 KB, and from CFCC 25 on the additional size"

[step.members_by_entries]
unit    = "count"
label   = "members that the entries admit"
formula = "entries / entries for each member, rounded down"

[step.used_pct]
unit    = "percent"
label   = "entries in use"
formula = "100 * entries in use / entries"

[answer.full]
text = "CSQ_ADMIN was full for {fulls:.0f} request[s]: enlarge it, and look for units of work with very many messages. For up to 7 members INITSIZE({init_kib}) in KB is enough; the group has {group_members:.0f} in the data."
do   = ["DISPLAY CFSTATUS(CSQ_ADMIN) TYPE(SUMMARY)", "Increase INITSIZE and SIZE of CSQ_ADMIN in the CFRM policy."]

[answer.more_than_7]
text = "The group has {group_members:.0f} members in the data; INITSIZE({init_kib}) in KB is stated for up to 7. Take a larger size<<; the entries admit {members_by_entries} members>>."
do   = ["DISPLAY CFSTATUS(CSQ_ADMIN) TYPE(SUMMARY)", "Size CSQ_ADMIN with CFSizer."]

[answer.too_few_entries]
text = "The {entries:,.0f} entries of CSQ_ADMIN admit {members_by_entries} member[s] at {entries_each:,.0f} each; the group has {group_members:.0f}, so one more may not start. INITSIZE({init_kib}) in KB is enough for up to 7."
do   = ["Increase INITSIZE and SIZE of CSQ_ADMIN in the CFRM policy."]

[answer.enough]
text = "INITSIZE({init_kib}) in KB is enough for up to 7 members; the group has {group_members:.0f} in the data<<. The entries admit {members_by_entries} members>><<, and {used_pct:,.1f} % of them were in use>>."
do   = ["Compare with INITSIZE of CSQ_ADMIN in the CFRM policy."]
---*/
WITH member AS (
  SELECT qsg, count(DISTINCT qmgr) AS group_members
  FROM sharing_member
  WHERE qsg IS NOT NULL
  GROUP BY qsg
),
used AS (
  SELECT lpar, qmgr, max(entries_high) AS entries_used, at_peak(interval_start_local, entries_high, interval_start_utc) AS entries_used_at, sum(structure_fulls) AS fulls
  FROM cf_structure
  WHERE admin_structure
  GROUP BY lpar, qmgr
)
SELECT m.lpar, m.qmgr, NULL AS subject, c.group_members, u.entries_used, u.entries_used_at, u.fulls
FROM sharing_member AS m
JOIN member AS c ON c.qsg = m.qsg
LEFT JOIN used AS u ON u.lpar = m.lpar AND u.qmgr = m.qmgr;

WITH sized AS (
  SELECT
    *,
    (base + CASE WHEN cfcc >= 25 THEN extra ELSE 0 END)::BIGINT AS init_kib,
    floor(entries / nullif(entries_each, 0))::BIGINT            AS members_by_entries
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, init_kib, members_by_entries, pct(entries_used, entries) AS used_pct,
  CASE
    WHEN init_kib IS NULL OR group_members IS NULL THEN NULL
    WHEN fulls > 0 THEN 'full'
    WHEN members_by_entries <= group_members THEN 'too_few_entries'
    WHEN group_members > 7 THEN 'more_than_7'
    ELSE 'enough'
  END AS answer
FROM sized;
