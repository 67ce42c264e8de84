/*---
id         = "overview/moved"
title      = "Largest changes"
question   = "Which pools, applications, queues and channels changed most between two periods, and which totals changed with them?"
needs      = ["compare_moved"]
grain      = ["moved_rank"]
drill_down = ["overview/compare", "overview/changes"]
note       = "Filled by mqstat compare A B and by mqstat report --baseline. Likely causes come first: what was added, removed or changed, then subjects whose figures changed, then the totals of queue managers."

[columns]
moved_rank = { label = "no", screen = 1 }
lpar = { screen = 1 }
qmgr = { screen = 1 }
subject = { label = "subject", screen = 1 }
moved_class = { label = "what", screen = 3 }
moved_effect = { label = "effect", screen = 2, format = ".2f" }
moved_change_pct = { label = "change %", screen = 2, format = ".1f" }
moved_figures = { label = "figures", screen = 3 }
moved_text = { label = "description", screen = 1 }
---*/
SELECT
  moved_rank, lpar, qmgr, nullif(subject, '') AS subject, moved_class, moved_effect, moved_change_pct, moved_figures, moved_text
FROM compare_moved
ORDER BY moved_rank
