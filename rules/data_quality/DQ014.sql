/*---
id          = "DQ014"
name        = "ams-cost-not-in-accounting"
title       = "AMS is active: accounting times exclude it"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["coverage_connection.ams_connections"]
prints      = ["coverage_connection.ams_record_id"]
judge       = "whole period"
worst       = "highest"
measure     = "accounting record[s] of the AMS address space"
when        = "observed > 0"
unit        = "count"
look        = ["DISPLAY QMGR SPLCAP"]

[source]
cite = "MP1J, 'Is there an impact on queue manager accounting and statistics data?'; AMSI, 'AMS Interception on z/OS and the MQ channel initiator'"
kind = "documented"

[advice]
summary = "Advanced Message Security is active ({observed} accounting record[s] of its address space): accounting starts to measure a call after AMS has done its work, so CPU and elapsed times of protected queues are too low."
remedy  = "In cost reports, add SMF 30 of the AMSM address space. Protected queues never use put to a waiting getter. If a channel intercepts (SPLPROT), the adapter times include the work of AMS."
report  = "overview/data_quality"
---*/
SELECT
  lpar, qmgr,
  ams_record_id             AS record_id,
  'Advanced Message Security' AS subject,
  ams_connections           AS observed
FROM coverage_connection
