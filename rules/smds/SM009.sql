/*---
id           = "SM009"
like         = "CH017"
name         = "smds-limit-approaching"
title        = "Shared message data set is full soon if its growth continues"
needs        = ["smds.smds_used_blocks_high"]
prints       = ["headroom.days_left", "headroom.used_share_pct", "headroom.growth_per_day", "headroom.days_used", "smds_period.at_largest"]
culprits     = ["bytes kept", "bytes held", "bytes put minus got"]
silenced_by  = ["SM002", "SM003"]
look        = ["DISPLAY USAGE TYPE(SMDS)"]
do          = ["ALTER SMDS({qmgr}) CFSTRUCT({structure}) DSEXPAND(YES)"]
sets         = ["DSEXPAND"]

[size.structure]
when      = "NOT at_largest"
formula   = "cf_structure"
cost      = "The volumes of the data set must have space; the space is not released."
otherwise = "The shared message data set of structure {cf_structure} cannot be enlarged: it has its largest size, 16 TB. Move queues to another structure."
unknown   = "The records do not show whether the shared message data set of structure {cf_structure} can be enlarged: check its size with DISPLAY USAGE TYPE(SMDS)."

[threshold.days_left_min]
why   = "two weeks are enough to find the queue that grows, or to provide DASD space"

[source]
cite = "MP16, 'Capacity - CFLEVEL(5) Offload - \"Emergency Storage\"'"

[advice]
remedy  = "Find the shared queue whose messages nobody gets."
---*/
SELECT
  h.lpar, h.qmgr, limit_name, limit_subject,
  replace(limit_subject, 'SMDS of ', 'structure ') AS subject,
  days_left                           AS observed,
  has_forecast, limit_label, used_value, limit_value, limit_unit_label, used_share_pct, growth_per_day, days_used, reach_text,
  replace(limit_subject, 'SMDS of ', '') AS cf_structure, p.at_largest
FROM headroom AS h
SEMI JOIN smds AS s ON s.lpar = h.lpar AND s.qmgr = h.qmgr
LEFT JOIN smds_period AS p ON p.lpar = h.lpar AND p.qmgr = h.qmgr AND h.limit_subject = 'SMDS of ' || p.cf_structure
WHERE limit_area = 'smds'
  AND limit_ends_service
  AND (headroom_state <> 'reached' OR days_left = 0)
