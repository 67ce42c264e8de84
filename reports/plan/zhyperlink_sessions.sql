/*---
id       = "plan/zhyperlink_sessions"
title    = "Write sessions of zHyperLink"
question = "Are there enough write sessions for zHyperLink?"
subject  = "qmgr"
needs    = ["log"]
holds    = "MQ 9.4 and later. Stripes and mirroring are not in SMF."
source   = "MP16, 'Do I have enough write sessions?'"
result   = "sessions"
note     = "Beyond the limit MQ writes with ordinary I/O and issues no message. Under Metro Mirror the sessions are spread evenly over both storage systems."

[parameter.log_copies]
unit     = "count"
measured = "log copies that were written"
doc      = "Active log copies."
remedy   = "collect statistics class 1, or set log_copies=2"
least    = 1
most     = 2

[parameter.stripes]
unit    = "count"
fact    = "log_stripes"
doc     = "Stripes of each active log."
default = 1
source  = "MP16, 'Striped logs': not striped unless the SMS data class states it"
least   = 1

[parameter.mirrored]
unit    = "flag"
fact    = "metro_mirror"
doc     = "Whether the log volumes are mirrored with Metro Mirror."
default = false
source  = "MP16, 'Do I have enough write sessions?': both cases are printed"

[parameter.other_sessions]
unit    = "count"
fact    = "zhl_other_sessions"
doc     = "Sessions of other queue managers and other users on the same storage system."
default = 0
source  = "MP16, 'Do I have enough write sessions?': none is known; DEVSERV QDASD lists them"

[parameter.most_sessions]
unit    = "count"
doc     = "Write sessions of a storage system."
default = 64
source  = "MP16, 'Do I have enough write sessions?'"
least   = 1

[step.sessions]
unit    = "count"
label   = "sessions of this queue manager"
formula = "log copies * stripes, twice under Metro Mirror"

[step.sessions_per_system]
unit    = "count"
label   = "of these on each storage system"
formula = "half of them under Metro Mirror"

[step.sessions_together]
unit    = "count"
label   = "with those of others"
formula = "sessions on a storage system + other sessions"

[step.qmgrs_possible]
unit    = "count"
label   = "queue managers like this that fit"
formula = "sessions of a storage system / sessions of this queue manager on it, rounded down"

[answer.too_many]
text = "{sessions_together:.0f} write sessions are needed on a storage system and it has {most_sessions:.0f}: some logs will be written with ordinary I/O. This queue manager needs {sessions:.0f}."
do   = ["Stripe the logs less, or put the logs of some queue managers on another storage system."]

[answer.enough]
text = "The write sessions are enough: this queue manager needs {sessions:.0f}<<, together {sessions_together:.0f} of {most_sessions:.0f} on a storage system>>; up to {qmgrs_possible:.0f} queue manager[s] like it fit."
---*/
SELECT lpar, qmgr, NULL AS subject, max(log_copies) AS log_copies
FROM log
GROUP BY lpar, qmgr;

WITH counted AS (
  SELECT
    *,
    log_copies * stripes * CASE mirrored WHEN true THEN 2 WHEN false THEN 1 END AS sessions,
    log_copies * stripes                                                        AS sessions_per_system
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, sessions, sessions_per_system,
  sessions_per_system + other_sessions                    AS sessions_together,
  floor(most_sessions / nullif(sessions_per_system, 0))   AS qmgrs_possible,
  CASE
    WHEN sessions IS NULL OR sessions_per_system + other_sessions IS NULL THEN NULL
    WHEN sessions_per_system + other_sessions > most_sessions THEN 'too_many'
    ELSE 'enough'
  END                                                     AS answer
FROM counted;
