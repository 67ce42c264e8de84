/*---
id      = "log_checkpoint"
title   = "Pages written at checkpoints"
grain   = "one row per lpar, qmgr and interval"
needs   = ["decoded.qis1"]
classes = ["115.201"]
mq_since = "9.0.0"
note    = "Helper of the report on checkpoints: the sum over all page sets, without the pool columns of view page_set."

[columns]
checkpoint_pages = { doc = "Pages written by checkpoints, all page sets together.", label = "pages", screen = 2 }
---*/
SELECT lpar, qmgr, interval_start_utc, sum(checkpoint_pages)::BIGINT AS checkpoint_pages
FROM decoded.qis1
WHERE lpar IS NOT NULL AND interval_start_utc IS NOT NULL
GROUP BY lpar, qmgr, interval_start_utc
