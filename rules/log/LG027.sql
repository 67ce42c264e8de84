/*---
id          = "LG027"
name        = "zhyperlink-write-sessions-beyond-storage-system"
title       = "Write tokens needed exceed what one storage system offers"
severity    = "warning"
grain       = ["lpar", "qmgr"]
needs       = ["log_period.zhl_sessions_together", "site_input.log_stripes", "site_input.metro_mirror", "site_input.zhl_other_sessions"]
prints      = ["log_period.zhl_write_sessions", "log_period.log_copies", "log_period.zhl_used"]
judge       = "whole period"
worst       = "highest"
measure     = "zHyperLink write session[s]"
when        = "observed > sessions_max"
guards      = []
silenced_by = []
mq_since    = "9.4.0"
default_on  = false                       # on as soon as the site declares stripes, mirroring and other users

[threshold.sessions_max]
value = 64
unit  = "count"
why   = "a storage system of today has 64 concurrent write sessions"

[source]
cite = "MP16, 'Do I have enough write sessions?'"
kind = "documented"

[advice]
summary = "This queue manager needs {zhl_write_sessions} zHyperLink write sessions ({log_copies} log copies of {log_stripes} stripes), all queue managers here and other users {observed:.0f} together (limit {sessions_max}). Without a session MQ falls back to ordinary I/O and says nothing."
remedy  = "Fewer stripes, another storage system, or zHyperLink on fewer queue managers. Under Metro Mirror the sessions may be split over two systems; DEVSERV QDASD with ZHL shows what is in use."
report  = "log/zhyperlink"
---*/
SELECT
  p.lpar, p.qmgr, p.record_id,
  'zHyperLink write sessions' AS subject,
  p.zhl_sessions_together   AS observed,
  p.zhl_write_sessions, p.log_copies, s.log_stripes,
  p.zhl_sessions_together > $sessions_max AS breach
FROM log_period AS p
LEFT JOIN site_input AS s ON s.lpar = p.lpar AND s.qmgr = p.qmgr
WHERE p.zhl_used IS DISTINCT FROM false
ORDER BY p.lpar, p.qmgr
