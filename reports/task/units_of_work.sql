/*---
id       = "task/units_of_work"
title    = "Units of work and log forces"
question = "How many messages per commit, how many log forces per message, and who keeps a unit of work open?"
needs    = ["application_period", "queue_use", "site_input"]
rules    = ["TA001", "TA002", "TA003", "TA004"]
grain    = ["lpar", "qmgr", "application", "connection_type_name"]
drill_down = ["task/time_breakdown", "log/efficiency"]
note     = "Averages hide a single large unit of work, and calls out of syncpoint inflate them. CICS and channel tasks end with one or two backout calls that have nothing to undo: their rollbacks are at least so many."

[columns]
lpar = { screen = 2 }
application = { from = "application_period", label = "" }
connection_type_name = { label = "type", screen = 1 }
commits = { screen = 1 }
rollbacks = { screen = 1 }
prepares = { label = "prepares", screen = 3 }
two_phase_pct = { unit = "percent", label = "2-phase %", screen = 2, doc = "Prepares as a share of the commits.", ratio = { numerator = "prepares", denominator = "commits", scale = 100 } }
shared_messages_per_commit = { unit = "ratio", label = "shared/commit", screen = 3, doc = "Messages on shared queues per commit.", ratio = { numerator = "shared_messages", denominator = "commits" } }
cf_structures = { unit = "text", label = "structures", screen = 3, doc = "CF structures of the shared queues used." }
queues_open_per_task = { unit = "count", label = "most queues", screen = 3, doc = "Highest number of queue blocks of a task and accounting interval.", over = "max" }
backouts = { label = "backouts", screen = 2 }
backout_et_us = { label = "backout µs", screen = 3 }
messages_per_unit = { unit = "ratio", label = "messages/unit", screen = 1, doc = "Messages put and got per unit of work, committed or backed out, of the records that have units of work and all their queue blocks.", ratio = { numerator = "a.unit_messages", denominator = "a.judged_units" } }
messages_per_commit = { unit = "ratio", label = "messages/commit", screen = 2, doc = "Messages put and got per commit; those that were backed out too.", ratio = { numerator = "task_messages", denominator = "commits" } }
commit_average_et_us = { unit = "us", label = "commit µs", screen = 1, doc = "Mean elapsed time of a commit.", ratio = { numerator = "a.commit_et_us", denominator = "a.commits" } }
commit_average_cpu_us = { unit = "us", label = "commit CPU µs", screen = 2, doc = "Mean CPU time of a commit.", ratio = { numerator = "a.commit_cpu_us", denominator = "a.commits" } }
commit_cost_per_message_us = { unit = "us", label = "commit CPU/message", screen = 3, doc = "CPU time of commits per message.", ratio = { numerator = "a.commit_cpu_us", denominator = "a.task_messages" } }
log_forces = { unit = "count", label = "log forces", screen = 1, doc = "Log writes with force, of commits, prepares and other calls without a queue, and of calls on queues. No record seen has both: if the counter of the task includes its queues, this counts those twice.", over = "add" }
log_force_average_us = { unit = "us", label = "force µs", screen = 1, doc = "Mean time of a forced log write of commits, prepares and other calls without a queue.", ratio = { numerator = "a.task_log_force_us", denominator = "a.task_log_forces" } }
log_force_share_of_time_pct = { unit = "percent", label = "force %", screen = 2, doc = "The same as a share of the elapsed time of all calls.", ratio = { numerator = "a.task_log_force_us", denominator = "a.mq_et_us", scale = 100 } }
log_forces_per_persistent_message = { unit = "ratio", label = "forces/message", screen = 1, doc = "Log writes with force per persistent message.", ratio = { numerator = "log_forces", denominator = "persistent_messages" } }
log_bytes_per_commit = { unit = "bytes", label = "log bytes/commit", screen = 2, doc = "Bytes logged per commit.", ratio = { numerator = "a.task_log_bytes", denominator = "a.commits" } }
admin_structure_risk = { unit = "flag", label = "admin risk", screen = 3, doc = "A record has more than 10,000 messages per unit of work: shared queues keep the locks of such units of work in CSQ_ADMIN.", over = "max" }
---*/
WITH structure AS (
  SELECT lpar, qmgr, application, connection_type_name, string_agg(DISTINCT cf_structure, ', ' ORDER BY cf_structure) AS cf_structures
  FROM (
    SELECT
      q.lpar, q.qmgr, q.connection_type_name, q.cf_structure,
      coalesce(list_filter(map_entries(s.application_group_by_application), lambda p: q.application_group GLOB replace(p.key, '[', '[[]'))[1].value,
        q.application_group) AS application
    FROM (SELECT DISTINCT lpar, qmgr, application_group, connection_type_name, cf_structure FROM queue_use WHERE cf_structure IS NOT NULL) AS q
    LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
  )
  GROUP BY lpar, qmgr, application, connection_type_name
)
SELECT
  a.lpar, a.qmgr, a.application, a.connection_type_name, a.commits, a.rollbacks, a.prepares,
  pct(a.prepares, a.commits)                             AS two_phase_pct,
  a.task_messages, a.shared_messages,
  a.shared_messages / nullif(a.commits, 0)               AS shared_messages_per_commit,
  s.cf_structures,
  a.most_queue_blocks                                    AS queues_open_per_task,
  a.backouts, a.backout_et_us,
  a.unit_messages / nullif(a.judged_units, 0)            AS messages_per_unit,
  a.task_messages / nullif(a.commits, 0)                 AS messages_per_commit,
  a.most_messages_per_commit,
  a.commit_et_us / nullif(a.commits, 0)                  AS commit_average_et_us,
  a.commit_cpu_us / nullif(a.commits, 0)                 AS commit_average_cpu_us,
  a.commit_cpu_us / nullif(a.task_messages, 0)           AS commit_cost_per_message_us,
  a.log_forces_total                                     AS log_forces,
  a.task_log_force_us / nullif(a.task_log_forces, 0)     AS log_force_average_us,
  pct(a.task_log_force_us, a.mq_et_us)                   AS log_force_share_of_time_pct,
  a.persistent_messages,
  a.log_forces_total / nullif(a.persistent_messages, 0)  AS log_forces_per_persistent_message,
  a.task_log_bytes / nullif(a.commits, 0)                AS log_bytes_per_commit,
  a.oldest_without_commit_s,
  coalesce(a.largest_unit > 10000, false)                AS admin_structure_risk
FROM application_period AS a
LEFT JOIN structure AS s
  ON s.lpar = a.lpar AND s.qmgr = a.qmgr AND s.application IS NOT DISTINCT FROM a.application AND s.connection_type_name = a.connection_type_name
ORDER BY log_forces DESC NULLS LAST, messages_per_commit DESC NULLS LAST, lpar, qmgr, application, connection_type_name
