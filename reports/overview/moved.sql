/*---
id         = "overview/moved"
title      = "Largest changes"
question   = "Which pools, applications, queues and channels changed most between two periods, and which totals changed with them?"
needs      = ["compare_moved"]
grain      = ["moved_rank"]
drill_down = ["overview/compare", "overview/changes"]
note       = "Filled by mqstat compare A B and by mqstat report --baseline. Likely causes come first: what was added, removed or changed, then subjects whose figures changed, then the totals of queue managers."

[columns]
subject = { label = "subject", screen = 1 }
---*/
SELECT
  moved_rank, lpar, qmgr, nullif(subject, '') AS subject, moved_class, moved_effect, moved_change_pct, moved_figures, moved_text
FROM compare_moved
ORDER BY moved_rank
