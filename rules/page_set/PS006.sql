/*---
id           = "PS006"
name         = "page-set-filling-up"
title        = "Page set fills up soon if its growth continues"
severity     = "warning"
weight       = "outage"
grain        = ["lpar", "qmgr", "page_set_id"]
needs        = ["page_set_growth.growth_pages_per_day"]
prints       = ["page_set_growth.used_pct_now", "page_set_growth.days_to_largest", "page_set_growth.expansion_method"]
judge        = "whole period"
worst        = "lowest"
culprits     = ["pages kept", "pages held", "pages put minus got", "pages put"]
breach_when  = "near and steady"
judged_when  = "growth_pages_per_day IS NOT NULL"
min_activity = "complete_days >= $days_min AND used_pct_max >= $used_pct_min"
silenced_by  = ["PS001", "PS002", "PS003"]
caused_by    = ["PS008", "QU005", "QU006", "QU004"]
mq_since     = "9.0.0"

[threshold.days_to_full_min]
value = 14.0
unit  = "days"
kind  = "judgement"
why   = "two weeks are enough to find the queue that grows, or to provide DASD space"

[threshold.days_min]
value = 14
unit  = "count"
kind  = "judgement"
why   = "a trend over less than two weeks cannot distinguish growth from the pattern of the week"

[threshold.fit_r2_min]
value = 0.7
unit  = "ratio"
kind  = "judgement"
why   = "below it, the days differ more than the trend explains"

[threshold.used_pct_min]
value = 20.0
unit  = "percent"
kind  = "judgement"
why   = "for a page set that is nearly empty, a trend is only theoretical"

[clause.near]
when    = "observed < days_to_full_min"
missing = "fails"
measure = "days until the page set is full"
text    = "full in {value}"

[clause.steady]
when    = "daily_fit_r2 >= fit_r2_min"
measure = "fit of a straight line to the daily maxima"

[source]
cite = "MP16, 'Size of page sets for a given number of messages' (expansion at 90 %)"

[advice]
summary = "Page set {page_set_id} fills by {growth_pages_per_day:.0f} page[s] a day over {complete_days} day[s] (fit {daily_fit_r2:.2f}, limit {fit_r2_min}); at {used_pages_high} of {total_pages_now} page[s] it will be full in {observed:.1f} days (limit {days_to_full_min}). Expansion: {expansion_method}; it reaches its largest size in {days_to_largest:.0f} day[s]."
remedy  = "Find the queues whose depth and oldest message grow, expired messages that nobody reads, and the dead-letter queue. Expansion only postpones it."
report  = "page_set/growth"
---*/
SELECT
  lpar, qmgr, page_set_id, record_id,
  'page set ' || page_set_id AS subject,
  days_to_full               AS observed,
  growth_pages_per_day, complete_days, daily_fit_r2, used_pages_high, total_pages_now, expansion_method, days_to_largest, used_pct_max
FROM page_set_growth
