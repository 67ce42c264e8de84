/*---
id          = "QU015"
name        = "group-gets-scan-shared-queue"
title       = "A queue indexed by GROUPID is read with get-next"
severity    = "warning"
weight      = "waste"
grain       = ["lpar", "qmgr", "queue_group", "application_group"]
needs       = ["queue_application.any_gets"]
prints      = ["queue_application.gets", "queue_application.get_cpu_us", "queue_application.readlist_requests"]
judge       = "whole period"
worst       = "highest"
measure     = "gets and browses for any message"
when        = "observed >= gets_min"
look        = ["DISPLAY QLOCAL({queue_group}) CURDEPTH INDXTYPE"]

[threshold.gets_min]
value = 100
unit  = "count"
kind  = "judgement"
why   = "each of them may scan the whole queue; fewer are administration"

[source]
cite = "MP16, 'Avoiding Get-Next when specifying GroupID'"

[advice]
summary = "{application_group} made {observed} get[s] for the next message (limit {gets_min}) on shared queue {queue_group}, which is indexed by GROUPID; a get took {average_get_cpu_us:.0f} µs of CPU time."
remedy  = "Get with MATCH_GROUP_ID together with ALL_MSGS_AVAILABLE and LOGICAL_ORDER, or with MATCH_MSG_SEQ_NUMBER; otherwise the whole queue may be scanned. Use INDXTYPE(CORRELID) for groups of one message. JMS always gets the next message of a group."
report  = "cf/shared_scan"
---*/
SELECT
  lpar, qmgr, queue_group, application_group,
  'queue ' || queue_group || ' by ' || application_group AS subject,
  any_gets                  AS observed,
  get_cpu_us / nullif(gets, 0) AS average_get_cpu_us
FROM queue_application
WHERE index_type = 'GroupId' AND is_shared
