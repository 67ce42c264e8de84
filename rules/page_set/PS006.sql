/*---
id           = "PS006"
name         = "page-set-filling-up"
title        = "Page set fills up soon if its growth continues"
severity     = "warning"
weight       = "outage"
grain        = ["lpar", "qmgr", "page_set_id"]
over         = "all"
needs        = ["page_set_growth.page_set_intervals"]
prints       = ["headroom.days_left", "headroom.growth_per_day", "page_set_growth.used_pct_now", "page_set_growth.days_to_largest", "page_set_growth.growth"]
judge        = "whole period"
worst        = "lowest"
culprits     = ["pages kept", "pages held", "pages put minus got", "pages put"]
measure      = "days until the page set is full"
when         = "observed <= days_to_full_min"
text         = "full in {value}"
clear        = "not full in {limit} at its present growth"
missing      = "fails"
judged_when  = "has_forecast"
silenced_by  = ["PS001", "PS002", "PS003"]
caused_by    = ["PS008", "QU005", "QU006", "QU004", "QU022"]
mq_since     = "9.0.0"
look        = ["DISPLAY USAGE TYPE(PAGESET) PSID({page_set_id})", "DISPLAY QLOCAL(*) PSID({page_set_id}) CURDEPTH IPPROCS"]
plans       = ["page_set_days_to_full"]

[threshold.days_to_full_min]
value = 14
unit  = "days"
kind  = "judgement"
margin_pct = 0                            # a date to act by
why   = "two weeks are enough to find the queue that grows, or to provide DASD space"

[source]
cite = "MP16, 'Size of page sets for a given number of messages' (expansion at 90 %)"

[advice]
summary = "Page set {page_set_id} fills by {growth_per_day:.0f} page[s] a day over {days_used} day[s]; at {used_pages_high} of {limit_value:.0f} page[s] it will be full in {observed:.1f} days (limit {days_to_full_min}), {reach_text}. Expansion: {growth}; it reaches its largest size in {days_to_largest:.0f} day[s]."
remedy  = "Find the queues whose depth and oldest message grow, expired messages that nobody reads, and the dead-letter queue. Expansion only postpones it."
report  = "page_set/growth"
---*/
SELECT
  g.lpar, g.qmgr, g.page_set_id, g.record_id,
  'page set ' || g.page_set_id    AS subject,
  h.days_left                     AS observed,
  h.has_forecast, h.growth_per_day, h.days_used, h.limit_value, h.reach_text,
  g.used_pages_high, g.growth, g.days_to_largest
FROM page_set_growth AS g
JOIN headroom AS h
  ON h.lpar = g.lpar AND h.qmgr = g.qmgr AND h.limit_number = 1 AND h.limit_subject = 'page set ' || g.page_set_id
WHERE h.headroom_state <> 'reached' OR h.days_left = 0
