/*---
id           = "DM001"
name         = "messages-got-from-disk"
title        = "A noticeable share of gets had to read the page set"
severity     = "warning"
weight       = "delay"
grain        = ["lpar", "qmgr"]
needs        = ["data_manager.gets_from_disk_pct"]
prints       = ["data_manager.gets_from_disk", "data_manager.dm_gets"]
judge        = "share >= 10 %"
worst        = "highest"
measure      = "gets that read a page set"
when         = "observed > from_disk_pct_max"
guards       = ["G2"]
min_activity = "dm_gets >= $gets_min"
caused_by    = ["BP001", "BP002", "BP003", "BP004"]
look        = ["DISPLAY USAGE TYPE(PAGESET)"]

[threshold.from_disk_pct_max]
value = 5.0
unit  = "percent"
kind  = "judgement"
why   = "no document gives a number; if one get in twenty waits for a disk, response times show it"

[threshold.gets_min]
value = 10000
unit  = "count"
kind  = "judgement"
why   = "a share of fewer gets is not reliable: an hourly batch job may explain it"

[source]
cite = "V92, 'Page set encryption' (gets read a page at a time when the message is not in the pool)"

[advice]
summary = "{gets_from_disk} of {dm_gets} get[s] ({observed:.1f} %, limit {from_disk_pct_max} %) read their message from a page set: it had left the buffer pool."
remedy  = "Find the buffer pool that is short of stealable buffers and the queue that is deep or read late. Queues that are read hours after the put should have a separate page set and pool."
report  = "data_manager/activity"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, startup_interval, suspect_first,
  'message gets'            AS subject,
  gets_from_disk_pct        AS observed,
  gets_from_disk, dm_gets
FROM data_manager
