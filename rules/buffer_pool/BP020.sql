/*---
id           = "BP020"
like         = "CH017"
name         = "buffer-pool-limit-approaching"
title        = "Buffer pool is nearly full soon if its growth continues"
needs        = ["buffer_pool.lowest_free_pct"]
culprits     = ["pages kept", "pages held", "pages put minus got", "pages put"]
silenced_by  = ["BP001", "BP002", "BP003"]
look        = ["DISPLAY USAGE TYPE(PAGESET)"]

[threshold.days_left_min]
why   = "two weeks are enough to find the queue that grows, or to plan a larger pool"

[source]
cite = "MP16, 'Buffer pool usage'"

[advice]
remedy  = "Find the queues whose depth grows (page_set/growth, queue/flow_balance): a pool rarely grows every day without them."
---*/
SELECT
  lpar, qmgr, limit_name, limit_subject,
  coalesce(limit_subject, limit_name) AS subject,
  days_left                           AS observed,
  has_forecast, limit_label, used_value, limit_value, limit_unit_label, used_share_pct, growth_per_day, days_used, reach_text
FROM headroom AS h
SEMI JOIN buffer_pool AS b ON b.lpar = h.lpar AND b.qmgr = h.qmgr
WHERE limit_area = 'buffer_pool'
  AND limit_ends_service
  AND (headroom_state <> 'reached' OR days_left = 0)
