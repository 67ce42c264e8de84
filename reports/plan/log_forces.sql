/*---
id       = "plan/log_forces"
title    = "Log forces of messages"
question = "How many log forces does this flow need, and how many does it make now?"
subject  = "qmgr"
needs    = ["application_work"]
holds    = "All levels; accounting class 3 counts the forces of tasks, not those of the log writer."
source   = "MP16, 'Application syncpoint specifics'"
result   = "forces_per_message"
note     = "Forces of several tasks at the same time share one log write: the log has fewer writes than this."

[parameter.commits]
unit     = "count"
measured = "commits of one phase in accounting"
doc      = "Commits of one phase."
remedy   = "collect accounting class 3, or set commits=2"

[parameter.two_phase]
unit     = "count"
measured = "prepares in accounting"
doc      = "Commits of two phases."
remedy   = "collect accounting class 3, or set two_phase=1"

[parameter.out_of_syncpoint]
unit    = "count"
doc     = "Puts and gets of persistent messages out of syncpoint."
default = 0
source  = "MP16, 'Application syncpoint specifics': no such call in the example; accounting does not count them"

[parameter.messages]
unit     = "count"
measured = "persistent messages put and got in accounting, halved"
doc      = "Persistent messages, each put and got once."
remedy   = "collect accounting class 3, or set messages=2"

[parameter.forces_counted]
unit     = "count"
measured = "log writes with force in accounting"
doc      = "Log forces that were counted."
optional = true

[step.forces]
unit    = "count"
label   = "log forces"
formula = "commits + 2 * commits of two phases + calls out of syncpoint"

[step.forces_per_message]
unit    = "ratio"
label   = "log forces of a message"
formula = "log forces / messages"

[step.forces_per_call]
unit    = "ratio"
label   = "log forces of a put or get"
formula = "log forces / (2 * messages)"

[step.counted_per_message]
unit    = "ratio"
label   = "log forces of a message that were counted"
formula = "forces counted / messages"

[answer.many]
text = "{forces_per_message:,.2f} log forces for each persistent message: nearly every call is a unit of work of its own<<; {counted_per_message:,.2f} were counted>>."
do   = ["Put or get several messages in each unit of work: one commit then forces the log once for all of them."]

[answer.forces]
text = "{forces_per_message:,.2f} log forces for each persistent message, {forces_per_call:,.2f} for each put or get<<; {counted_per_message:,.2f} were counted>>."
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  sum(commits) - sum(prepares)      AS commits,
  sum(prepares)                     AS two_phase,
  sum(persistent_messages) / 2      AS messages,
  sum(log_forces_total)             AS forces_counted
FROM application_work
GROUP BY lpar, qmgr;

WITH counted AS (
  SELECT *, commits + 2 * two_phase + out_of_syncpoint AS forces
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, forces,
  forces / nullif(messages, 0)         AS forces_per_message,
  forces / nullif(2 * messages, 0)     AS forces_per_call,
  forces_counted / nullif(messages, 0) AS counted_per_message,
  CASE
    WHEN forces / nullif(messages, 0) IS NULL THEN NULL
    WHEN forces >= 1.8 * messages THEN 'many'
    ELSE 'forces'
  END                                  AS answer
FROM counted;
