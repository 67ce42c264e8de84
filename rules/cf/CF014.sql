/*---
id           = "CF014"
like         = "CH017"
name         = "structure-limit-approaching"
title        = "Structure is full soon if its growth continues"
needs        = ["site_input.cf_entries_by_structure", "cf_structure.entries_high"]
culprits     = ["bytes kept", "bytes held", "bytes put minus got"]
silenced_by  = ["CF001", "CF007"]
look        = ["DISPLAY CFSTATUS(*) TYPE(SUMMARY)"]
do          = ["If D XCF,STR shows an ACTUAL SIZE below POLICY SIZE: enlarge {subject} with SETXCF START,ALTER, up to that; its z/OS name begins with that of the queue sharing group. Otherwise raise SIZE in the CFRM policy, activate it and rebuild the structure."]
raises       = ["SIZE of the structure"]
plans       = ["cf_structure_size"]

[threshold.days_left_min]
why   = "two weeks are enough to find the queue that grows, or to plan a larger structure"

[source]
cite = "MP16, 'Increasing the maximum number of messages within a structure'"

[advice]
remedy  = "Find the shared queue that grows, and find out why nobody gets its messages. Enlarge the structure, or let messages be offloaded to its shared message data set."
---*/
SELECT
  lpar, qmgr, limit_name, limit_subject,
  coalesce(limit_subject, limit_name) AS subject,
  days_left                           AS observed,
  has_forecast, limit_label, used_value, limit_value, limit_unit_label, used_share_pct, growth_per_day, days_used, reach_text
FROM headroom AS h
SEMI JOIN cf_structure AS c ON c.lpar = h.lpar AND c.qmgr = h.qmgr
SEMI JOIN site_input AS s ON s.lpar = h.lpar AND s.qmgr = h.qmgr
WHERE limit_area = 'cf'
  AND limit_ends_service
  AND (headroom_state <> 'reached' OR days_left = 0)
