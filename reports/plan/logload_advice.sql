/*---
id       = "plan/logload_advice"
title    = "Spacing of checkpoints and LOGLOAD"
question = "Are checkpoints too frequent, and what LOGLOAD fits the restart time wanted?"
subject  = "qmgr"
needs    = ["log_period"]
holds    = "All levels; log switches are in SMF from MQ 9.1.2."
source   = "MP16, 'What is an appropriate value for LOGLOAD?', 'Worked example of restart times' and 'Impact of LOGLOAD on workload'"
result   = "logload_wanted"
note     = "LOGLOAD is not in SMF: without the site file it is estimated as the largest value that the checkpoints allow. ARCHIVE LOG and shutdown also take checkpoints."

[coverage]
least = 1
unit  = "h"
why   = "checkpoints of a shorter time may be chance"

[parameter.log_writes]
unit     = "count"
measured = "log write requests: wait, no wait and force"
doc      = "Log write requests in the time considered."
remedy   = "collect statistics class 1, or set log_writes=5000000"

[parameter.hours]
unit     = "h"
measured = "length of the intervals with log data"
doc      = "Time considered."
remedy   = "collect statistics class 1, or set hours=24h"

[parameter.log_switches]
unit     = "count"
measured = "new logs of copy 1"
doc      = "Log switches in that time; each takes a checkpoint."
optional = true
remedy   = "count the messages CSQJ002I, or set log_switches=10"

[parameter.logload]
unit     = "count"
fact     = "logload"
measured = "estimated from checkpoints that no log switch explains: the true value is at most this"
doc      = "LOGLOAD: log write requests between two checkpoints."
remedy   = "DISPLAY SYSTEM shows it; put it into the site file as logload, or set logload=4000000"
least    = 200
most     = 16000000

[parameter.minutes_wanted]
unit    = "min"
doc     = "Time between two checkpoints."
default = 6
source  = "as in the rule LG018: MP16, 'Worked example of restart times' lists what takes a checkpoint; IBM's description of the log manager statistics calls ten an hour the most"

[parameter.logload_least]
unit    = "count"
doc     = "Lowest LOGLOAD of the range with the best cost and rate."
limit   = "LG019.logload_min"
most    = 16000000

[parameter.restart_wanted]
unit     = "s"
doc      = "Time that a restart may take."
optional = true
remedy   = "set restart_wanted=2min with the figures of a restart test"

[parameter.transactions]
unit     = "count"
doc      = "Transactions in the time considered, of the kind that the restart test ran."
optional = true
remedy   = "set transactions=1000"

[parameter.test_transactions]
unit     = "count"
doc      = "Transactions that ran between the last checkpoint and the failure in a restart test."
optional = true
remedy   = "cancel a test queue manager after such transactions, and set test_transactions=10000"

[parameter.test_seconds]
unit     = "s"
doc      = "Time between the messages CSQR001I and CSQR002I in that test."
optional = true
remedy   = "set test_seconds=59s"

[parameter.base_seconds]
unit    = "s"
doc     = "The same time after a test without transactions."
default = 1
source  = "MP16, 'Worked example of restart times'"

[parameter.start_seconds]
unit    = "s"
doc     = "Time of a start outside the log: loading modules, and reading objects."
default = 7.2
source  = "MP16, 'Worked example of restart times'"

[step.logload_checkpoints]
unit    = "count"
label   = "checkpoints by LOGLOAD"
formula = "log writes / LOGLOAD"

[step.expected_checkpoints]
unit    = "count"
label   = "checkpoints expected"
formula = "checkpoints by LOGLOAD + log switches, as far as they are known"

[step.minutes_between]
unit    = "min"
label   = "time between checkpoints"
formula = "time considered / checkpoints expected"

[step.logload_for_spacing]
unit    = "count"
label   = "LOGLOAD for the time wanted"
formula = "log writes per minute * minutes wanted"

[step.writes_per_transaction]
unit    = "count"
label   = "log writes per transaction"
formula = "log writes / transactions"

[step.transactions_per_checkpoint]
unit    = "count"
label   = "transactions between checkpoints"
formula = "LOGLOAD / log writes per transaction"

[step.log_phase_seconds]
unit    = "s"
label   = "log phase of a restart, at worst"
formula = "base time + time per transaction of the test * transactions between checkpoints"

[step.total_seconds]
unit    = "s"
label   = "restart, at worst"
formula = "time outside the log + log phase"

[step.logload_for_restart]
unit    = "count"
label   = "LOGLOAD for the restart wanted"
formula = "log writes per transaction * (restart wanted - time outside the log - base time) / time per transaction of the test"

[step.logload_wanted]
unit    = "count"
label   = "LOGLOAD wanted"
formula = "the largest of LOGLOAD, the lowest recommended and that for the spacing, but at most that for the restart; 200 to 16,000,000"

[answer.idle]
text = "Nothing was written to the log, so LOGLOAD took no checkpoint."

[answer.restart]
text = "A restart would take up to {total_seconds:,.0f} s with LOGLOAD {logload:,.0f}, more than the {restart_wanted:,.0f} s wanted: {logload_wanted:,.0f} fits."
do   = ["SET SYSTEM LOGLOAD({logload_wanted})", "Make it permanent in CSQINP2 or CSQ6SYSP."]

[answer.switches]
text = "Checkpoints are only {minutes_between:,.1f} minutes apart, and log switches cause most of them ({log_switches:,.0f}, against {logload_checkpoints:,.1f} by LOGLOAD {logload:,.0f}): larger logs help, LOGLOAD does not."
do   = ["Define larger active logs; mqstat plan log_size_and_count has the size."]

[answer.too_often]
text = "Checkpoints are only {minutes_between:,.1f} minutes apart: {logload_checkpoints:,.1f} by LOGLOAD {logload:,.0f}<< and {log_switches:,.0f} by log switches>> in {hours:,.1f} hours. LOGLOAD {logload_wanted:,.0f} is better."
do   = ["SET SYSTEM LOGLOAD({logload_wanted})", "Make it permanent in CSQINP2 or CSQ6SYSP. A restart then reads more log data."]

[answer.low]
text = "Checkpoints are {minutes_between:,.0f} minutes apart, which is enough, but LOGLOAD {logload:,.0f} is below the recommended range: {logload_wanted:,.0f} costs less."
do   = ["SET SYSTEM LOGLOAD({logload_wanted})", "Make it permanent in CSQINP2 or CSQ6SYSP. A restart then reads more log data."]

[answer.fits]
text = "LOGLOAD {logload:,.0f} fits: checkpoints are {minutes_between:,.0f} minutes apart<<, and a restart would take up to {total_seconds:,.0f} s>>."
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  interval_hours   AS covered,
  log_writes, interval_hours AS hours, log_switches,
  logload_at_most  AS logload
FROM log_period;

WITH written AS (
  SELECT
    *,
    log_writes / nullif(logload, 0)                                     AS logload_checkpoints,
    log_writes / nullif(60 * hours, 0) * minutes_wanted                 AS logload_for_spacing,
    log_writes / nullif(transactions, 0)                                AS writes_per_transaction,
    (test_seconds - base_seconds) / nullif(test_transactions, 0)        AS s_per_transaction
  FROM plan_input
),
counted AS (
  SELECT
    *,
    list_sum([logload_checkpoints, log_switches])                       AS expected_checkpoints,
    logload / nullif(writes_per_transaction, 0)                         AS transactions_per_checkpoint,
    floor(writes_per_transaction * (restart_wanted - start_seconds - base_seconds) / nullif(s_per_transaction, 0)) AS logload_for_restart
  FROM written
),
timed AS (
  SELECT
    *,
    60 * hours / nullif(expected_checkpoints, 0)                        AS minutes_between,
    base_seconds + s_per_transaction * transactions_per_checkpoint      AS log_phase_seconds,
    greatest(200, least(16000000, logload_for_restart, greatest(logload, logload_least, ceil(logload_for_spacing)))) AS wanted
  FROM counted
),
whole AS (
  SELECT
    *,
    start_seconds + log_phase_seconds                                   AS total_seconds,
    CASE WHEN logload IS NOT NULL AND logload_for_spacing IS NOT NULL THEN wanted::BIGINT END AS logload_wanted
  FROM timed
)
SELECT
  lpar, qmgr, subject, logload_checkpoints, expected_checkpoints, minutes_between, logload_for_spacing, writes_per_transaction,
  transactions_per_checkpoint, log_phase_seconds, total_seconds, logload_for_restart, logload_wanted,
  CASE
    WHEN log_writes IS NULL OR hours IS NULL OR logload IS NULL THEN NULL
    WHEN log_writes = 0 THEN 'idle'
    WHEN total_seconds > restart_wanted THEN 'restart'
    WHEN minutes_between < minutes_wanted AND log_switches >= logload_checkpoints THEN 'switches'
    WHEN minutes_between < minutes_wanted AND logload_wanted > logload THEN 'too_often'
    WHEN logload < logload_wanted THEN 'low'
    ELSE 'fits'
  END                                                                   AS answer
FROM whole;
