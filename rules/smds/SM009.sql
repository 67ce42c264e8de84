/*---
id           = "SM009"
like         = "CH017"
name         = "smds-limit-approaching"
title        = "Shared message data set is full soon if its growth continues"
needs        = ["smds.smds_used_blocks_high"]
culprits     = ["bytes kept", "bytes held", "bytes put minus got"]
silenced_by  = ["SM002", "SM003"]
look        = ["DISPLAY USAGE TYPE(SMDS)"]
do          = ["ALTER SMDS({qmgr}) CFSTRUCT({structure}) DSEXPAND(YES)"]

[size.structure]
formula = "replace(limit_subject, 'SMDS of ', '')"
cost    = "The volumes of the data set must have space; the space is not released."

[threshold.days_left_min]
why   = "two weeks are enough to find the queue that grows, or to provide DASD space"

[source]
cite = "MP16, 'Capacity - CFLEVEL(5) Offload - \"Emergency Storage\"'"

[advice]
remedy  = "Find the shared queue whose messages nobody gets."
---*/
SELECT
  lpar, qmgr, limit_name, limit_subject,
  replace(limit_subject, 'SMDS of ', 'structure ') AS subject,
  days_left                           AS observed,
  has_forecast, limit_label, used_value, limit_value, limit_unit_label, used_share_pct, growth_per_day, days_used, reach_text
FROM headroom AS h
SEMI JOIN smds AS s ON s.lpar = h.lpar AND s.qmgr = h.qmgr
WHERE limit_area = 'smds'
  AND limit_ends_service
  AND (headroom_state <> 'reached' OR days_left = 0)
