/*---
id          = "LG002"
name        = "logger-task-saturated"
title       = "The log writer was busy nearly all the time"
severity    = "critical"
weight      = "delay"
grain       = ["lpar", "qmgr"]
needs       = ["log.logger_task_busy_pct"]
prints      = ["log.logger_io_busy_pct", "log.logger_spin_pct", "log.copy1_mib_per_s"]
judge       = "3 consecutive"
worst       = "highest"
key_figure  = "logger_task_busy_pct"
culprits    = ["log writes"]
measure     = "busy time of the logger task"
when        = "observed >= busy_pct"
guards      = ["G1", "G2"]
caused_by   = ["LG004", "LG029"]
look        = ["DISPLAY LOG", "D IOS,HYPERWRITE"]
do          = ["SET LOG ZHYWRITE(YES)", "Do so only if the logs are mirrored with Metro Mirror; the queue manager uses more SRB time. Make it permanent in CSQ6LOGP."]
sets        = ["ZHYWRITE"]
plans       = ["logger_capacity"]

[threshold.busy_pct]
value = 95.0
unit  = "percent"
kind  = "judgement"
why   = "no document gives a number; in the sample that IBM calls constrained, the logger is 99.82 % busy"

[source]
cite = "MP16, 'Why does my log performance matter?' and 'MQ Statistics' (sample log report); V92, 'Why does my log performance matter?'"

[advice]
summary = "The logger task was {observed:.1f} % busy (limit {busy_pct} %), {logger_io_busy_pct:.1f} % in log I/O and {logger_spin_pct:.1f} % in synchronous zHyperLink writes, at {copy1_mib_per_s:.1f} MiB/s per copy."
remedy  = "There is one logger per queue manager. If I/O explains the busy time, use faster DASD, zHPF, zHyperWrite for mirrored logs, zHyperLink, striping if writes have 4 pages or more, or more messages per commit. Otherwise spread the load over more queue managers."
report  = "log/busy"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first,
  'logger task'             AS subject,
  logger_task_busy_pct      AS observed,
  logger_io_busy_pct, logger_spin_pct, copy1_mib_per_s
FROM log
