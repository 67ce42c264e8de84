/*---
id         = "overview/culprits"
title      = "Who did it"
question   = "Which applications, queues and channels did the work that findings are about, and which waited?"
needs      = ["finding_work"]
grain      = ["lpar", "qmgr", "rule_id", "subject", "work_role", "work_rank"]
drill_down = ["overview/findings"]
note       = "The work between the first and the last interval in breach, or of the whole period for rules that judge it. A culprit did it; a victim waited for something that it did not cause. Rank 4 is all others. Shares are of what accounting, queue statistics or channel accounting show; if fewer than 95 % of the puts are accounted for, others may have done more. Rows without a rank give the reason why no work is shown."

[columns]
lpar = { screen = 2 }
severity = { label = "severity", screen = 3 }
weight = { label = "weight", screen = 0 }
distance = { label = "distance", format = "", screen = 0 }
subject = { label = "subject" }
work_remark = { label = "remark", screen = 1, doc = "Why no work is shown, or what the measure does not show." }
---*/
SELECT
  lpar, qmgr, rule_id, severity, weight, distance, subject, first_seen_utc, last_seen_utc, work_role, work_measure, coalesce(work_missing, work_remark) AS work_remark, work_missing, work_rank, base_name, application, channel_name,
  work_others, work_share_pct, work_value, work_unit, put_coverage_pct
FROM finding_work
ORDER BY work_rank IS NULL, severity_rank(severity), weight_rank(weight), distance DESC NULLS LAST, lpar, qmgr, rule_id, subject, work_role, work_rank
