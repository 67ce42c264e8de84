/*---
id          = "LG022"
name        = "fast-log-write-feature-unused"
title       = "New logs could use zHyperWrite or zHyperLink, but did not"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr"]
needs       = ["log_period.fast_write_unused_logs"]
prints      = ["log_period.zhyperwrite_unused_logs", "log_period.zhyperlink_unused_logs", "log_period.new_logs"]
judge       = "whole period"
worst       = "highest"
measure     = "new log[s] that could use a faster write but did not"
when        = "observed > 0"
unit        = "count"
mq_since    = "9.1.2"
look        = ["DISPLAY LOG", "D IOS,HYPERWRITE", "D IOS,ZHYPERLINK"]
do          = ["SET LOG ZHYWRITE({zhywrite})", "SET LOG ZHYLINK({zhylink})"]
sets        = ["ZHYWRITE and ZHYLINK"]
plans       = ["zhyperlink_benefit", "zhyperwrite_benefit"]

[size.zhywrite]
formula   = "CASE WHEN zhyperwrite_unused_logs > 0 THEN 'YES' END"
cost      = "The queue manager's address space uses more SRB time. Make it permanent in CSQ6LOGP."
otherwise = ""

[size.zhylink]
formula   = "CASE WHEN zhyperlink_unused_logs > 0 THEN 'YES' END"
cost      = "The queue manager's address space uses more SRB time. Make it permanent in CSQ6LOGP."
otherwise = ""

[source]
cite = "V92, 'zHyperWrite support for active logs'; MP16, 'What is zHyperWrite?', 'zHyperLink support for MQ active logs' and 'zHyperLink and striped active logs'"
kind = "judgement"

[advice]
summary = "Of {new_logs} new log[s], {zhyperwrite_unused_logs} could have used zHyperWrite and {zhyperlink_unused_logs} zHyperLink, but did not."
remedy  = "Use zHyperWrite if the logs are mirrored: in IBM's tests writes took up to 60 % less time. With zHyperLink they took a quarter of the time. With zHyperLink, striped logs lose their advantage: a request writes at most 56 KB, with four stripes 19 KB to each instead of 128 KB. Check whether the logs still need stripes."
report  = "log/new_logs"
---*/
SELECT
  lpar, qmgr, record_id,
  'new logs'                AS subject,
  fast_write_unused_logs    AS observed,
  zhyperwrite_unused_logs, zhyperlink_unused_logs, new_logs
FROM log_period
