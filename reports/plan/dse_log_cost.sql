/*---
id       = "plan/dse_log_cost"
title    = "CPU time of encrypted logs"
question = "What would encrypting the logs cost?"
subject  = "qmgr"
needs    = ["log_period"]
holds    = "MQ 9.2 and later, archives from 8.0; measured on z14 and z15 with the cryptographic coprocessor."
source   = "MP16, 'Active and Archive log encryption'"
result   = "us_per_mib"
note     = "The queue manager address space is charged; MQ's records do not show it. IBM's own workload with two copies of each cost 17 % more than this sum, so expect 20 % more or less."

[parameter.mean_growth]
unit     = "mib_per_h"
measured = "new log data per hour over all intervals"
doc      = "Log data created per hour, one copy."
remedy   = "collect statistics class 1, or set mean_growth=4GiB/h"

[parameter.log_copies]
unit     = "count"
measured = "log copies that were written"
doc      = "Active log copies."
remedy   = "collect statistics class 1, or set log_copies=2"
least    = 1
most     = 2

[parameter.archive_copies]
unit    = "count"
fact    = "archive_copies"
doc     = "Copies of each archive log; 0 if nothing is archived."
default = 2
source  = "MP16, 'Active and Archive log encryption': two copies"
most    = 2

[parameter.encrypt_active]
unit    = "flag"
doc     = "Whether the active logs are to be encrypted."
default = true
source  = "MP16, 'Active and Archive log encryption': all log data sets"

[parameter.encrypt_archive]
unit    = "flag"
doc     = "Whether the archive logs are to be encrypted."
default = true
source  = "MP16, 'Active and Archive log encryption': all log data sets"

[parameter.active_cost]
unit    = "us_per_mib"
doc     = "CPU time to encrypt or decrypt 1 MiB of an active log."
default = 180
others  = [154, 230]
source  = "MP16, 'Active and Archive log encryption': 0.7 µs a page, 0.6 to 0.9 by message size"

[parameter.archive_cost]
unit    = "us_per_mib"
doc     = "CPU time to encrypt 1 MiB of an archive log."
default = 154
others  = [64, 256]
source  = "MP16, 'Active and Archive log encryption': 0.6 µs a page, 0.25 to 1 by message size"

[parameter.new_logs_encrypted]
unit     = "count"
measured = "new logs that are encrypted data sets"
doc      = "New active logs that are encrypted already."
optional = true

[step.calls]
unit    = "count"
label   = "encrypt and decrypt calls for each page"
formula = "active copies, and a decrypt if they are archived, if active logs are encrypted; plus archive copies if these are"

[step.active_us]
unit    = "us_per_mib"
label   = "active logs"
formula = "cost of an active log * (copies + 1 if archived)"

[step.archive_us]
unit    = "us_per_mib"
label   = "archive logs"
formula = "cost of an archive log * copies"

[step.us_per_mib]
unit    = "us_per_mib"
label   = "both"
formula = "active + archive logs"

[step.active_seconds]
unit    = "s"
label   = "active logs, CPU per hour"
formula = "log data of an hour * cost"

[step.archive_seconds]
unit    = "s"
label   = "archive logs, CPU per hour"
formula = "log data of an hour * cost"

[step.cpu_seconds]
unit    = "s"
label   = "CPU per hour"
formula = "active + archive logs"

[step.cpu_percent]
unit    = "percent"
label   = "share of one processor"
formula = "100 * CPU per hour / 3600"

[answer.nothing]
text = "Nothing is to be encrypted: encrypt_active and encrypt_archive are both no."

[answer.already]
text = "The active logs are encrypted already ({new_logs_encrypted:.0f} new log[s] were). At {mean_growth:,.0f} MiB per hour encryption takes about {cpu_seconds:,.2f} CPU seconds per hour, {cpu_percent:,.2f} % of one processor, of which archives are {archive_seconds:,.2f}."

[answer.cost]
text = "Encryption would cost about {us_per_mib:,.0f} µs of CPU for each MiB of log data: at {mean_growth:,.0f} MiB per hour {cpu_seconds:,.2f} CPU seconds per hour, {cpu_percent:,.2f} % of one processor ({active_seconds:,.2f} s active logs, {archive_seconds:,.2f} s archives)."
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  log_mib_per_h AS mean_growth,
  log_copies, new_logs_encrypted
FROM log_period;

WITH called AS (
  SELECT
    *,
    CASE encrypt_active WHEN true THEN log_copies + (archive_copies > 0)::INTEGER WHEN false THEN 0 END AS active_calls,
    CASE encrypt_archive WHEN true THEN archive_copies WHEN false THEN 0 END AS archive_calls
  FROM plan_input
),
priced AS (
  SELECT *, active_cost * active_calls AS active_us, archive_cost * archive_calls AS archive_us
  FROM called
)
SELECT
  lpar, qmgr, subject,
  active_calls + archive_calls                                       AS calls,
  active_us, archive_us,
  active_us + archive_us                                             AS us_per_mib,
  mean_growth * active_us / 1e6                                      AS active_seconds,
  mean_growth * archive_us / 1e6                                     AS archive_seconds,
  mean_growth * (active_us + archive_us) / 1e6                       AS cpu_seconds,
  pct(mean_growth * (active_us + archive_us) / 1e6, 3600)            AS cpu_percent,
  CASE
    WHEN mean_growth IS NULL OR active_us IS NULL OR archive_us IS NULL THEN NULL
    WHEN NOT encrypt_active AND NOT encrypt_archive THEN 'nothing'
    WHEN new_logs_encrypted > 0 THEN 'already'
    ELSE 'cost'
  END                                                                AS answer
FROM priced;
