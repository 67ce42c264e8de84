/*---
id          = "LG027"
name        = "zhyperlink-write-sessions-short"
title       = "More zHyperLink write sessions are needed than one storage system has"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr"]
over        = "all"
needs       = ["log_period.zhl_sessions_together", "site_input.log_stripes", "site_input.metro_mirror", "site_input.zhl_other_sessions"]
prints      = ["log_period.zhl_write_sessions", "log_period.log_copies", "log_period.zhl_used"]
judge       = "whole period"
worst       = "highest"
measure     = "zHyperLink write session[s]"
when        = "observed > sessions_max"
mq_since    = "9.4.0"
default_on  = false                       # on if the site declares stripes, mirroring and other users
look        = ["DISPLAY LOG", "D IOS,ZHYPERLINK"]
plans       = ["zhyperlink_sessions"]

[threshold.sessions_max]
value = 64
unit  = "count"
kind  = "documented"
why   = "today's storage systems have 64 concurrent write sessions"

[source]
cite = "MP16, 'Do I have enough write sessions?'"

[advice]
summary = "This queue manager needs {zhl_write_sessions} zHyperLink write session[s] ({log_copies} log cop[ies|y] of {log_stripes} stripe[s]); together, all queue managers in this data and other users need {observed:.0f} (limit {sessions_max}). Without a session, MQ silently uses ordinary I/O."
remedy  = "Use fewer stripes, another storage system, or zHyperLink for fewer queue managers. With Metro Mirror the sessions may be split over two storage systems; DEVSERV QDASD with ZHL shows the sessions in use."
report  = "log/zhyperlink"
---*/
SELECT
  p.lpar, p.qmgr, p.record_id,
  'zHyperLink write sessions' AS subject,
  p.zhl_sessions_together   AS observed,
  p.zhl_write_sessions, p.log_copies, s.log_stripes
FROM log_period AS p
LEFT JOIN site_input AS s ON s.lpar = p.lpar AND s.qmgr = p.qmgr
WHERE p.zhl_used IS DISTINCT FROM false
