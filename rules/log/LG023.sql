/*---
id          = "LG023"
name        = "zhyperlink-enabled-but-unusable"
title       = "zHyperLink is enabled for volumes that do not support it, or without zHyperWrite"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr"]
needs       = ["log_period.new_logs_zhyperlink_enabled"]
prints      = ["log_period.new_logs_zhyperlink_capable", "log_period.new_logs_zhyperwrite_enabled", "log_period.new_logs"]
judge       = "whole period"
worst       = "highest"
breach_when = "incapable or without"
unit        = "count"
mq_since    = "9.4.0"
look        = ["DISPLAY LOG", "D IOS,ZHYPERLINK"]

[clause.incapable]
when          = "observed > new_logs_zhyperlink_capable"
measure       = "new log[s] with zHyperLink enabled"
compared_with = "{limit} capable of it"

[clause.without]
when          = "observed > new_logs_zhyperwrite_enabled"
measure       = "new log[s] with zHyperLink enabled"
compared_with = "{limit} with zHyperWrite"

[source]
cite = "MP16, 'Using zHyperLink with IBM MQ active logs' and the notes on the sample log report"
kind = "documented"

[advice]
summary = "zHyperLink was enabled for {new_logs_zhyperlink_enabled} new log[s], of which {new_logs_zhyperlink_capable} were capable of it and {new_logs_zhyperwrite_enabled} had zHyperWrite enabled; the others are silently written with ordinary I/O."
remedy  = "Check whether the volumes support zHyperLink, and move the logs. ZHYLINK(YES) switches ZHYWRITE(YES) on; if it did not, the data is inconsistent. zHyperWrite on volumes that are not mirrored is normal and is not reported here."
report  = "log/zhyperlink"
---*/
SELECT
  lpar, qmgr, record_id,
  'new logs'                AS subject,
  new_logs_zhyperlink_enabled AS observed,
  new_logs_zhyperlink_enabled, new_logs_zhyperlink_capable, new_logs_zhyperwrite_enabled
FROM log_period
