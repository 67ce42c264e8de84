/*---
id           = "PS008"
name         = "persistent-messages-nobody-gets"
title        = "A page set fills with persistent messages that nobody gets"
severity     = "warning"
weight       = "outage"
grain        = ["lpar", "qmgr", "page_set_id"]
needs        = ["page_set_growth.persistent_pct_now", "page_set_growth.dm_gets"]
prints       = ["page_set_growth.persistent_pages_now", "page_set_growth.used_pages_first", "page_set_growth.dm_puts"]
judge        = "whole period"
worst        = "highest"
culprits     = ["pages kept", "pages held", "pages put minus got", "pages put"]
caused_by    = ["QU005", "QU006", "QU004", "QU022"]
breach_when  = "persistent and no_gets and growing"
min_activity = "page_set_minutes >= $minutes_min AND page_set_intervals >= $intervals_min AND total_pages_now >= $pages_min"
mq_since     = "9.0.0"
look        = ["DISPLAY USAGE TYPE(PAGESET) PSID({page_set_id})", "DISPLAY QLOCAL(*) PSID({page_set_id}) CURDEPTH IPPROCS"]
plans       = ["page_set_capacity"]

[threshold.persistent_pct_max]
value = 50.0
unit  = "percent"
kind  = "judgement"
why   = "no document gives a number; half a page set of messages that survive a restart is a backlog, not traffic"

[threshold.minutes_min]
value = 29.0
unit  = "min"
kind  = "judgement"
why   = "a quiet quarter of an hour without a get is normal; half an hour may be recorded as slightly less than 30 minutes"

[threshold.intervals_min]
value = 2
unit  = "count"
kind  = "judgement"
why   = "growth needs two intervals to compare"

[threshold.pages_min]
value = 1000
unit  = "pages"
kind  = "judgement"
why   = "half of a very small page set is a few messages"

[clause.persistent]
when    = "observed > persistent_pct_max"
measure = "pages with persistent messages"

[clause.no_gets]
when    = "dm_gets = 0"
measure = "gets from all page sets of the queue manager"
text    = "{value} gets"

[clause.growing]
when    = "used_pages_added > 0"
measure = "pages in use added over the period"
text    = "{value} added"
unit    = "pages"

[source]
cite = "MP16, 'Size of page sets for a given number of messages' (2192, media full)"

[advice]
summary = "Persistent messages fill {observed:.1f} % of page set {page_set_id} (limit {persistent_pct_max} %), {persistent_pages_now} of {total_pages_now} page[s]; {used_pages_added} page[s] were added in {page_set_minutes:.0f} minute[s] with {dm_puts} put[s], and the queue manager got no message from any page set."
remedy  = "Find the queues of the page set (queue statistics) and restart their reader: the messages survive a restart of the queue manager, and a full page set refuses puts. Archive queues that are meant to grow can have their own limit in the site file."
report  = "page_set/growth"
---*/
SELECT
  lpar, qmgr, page_set_id, record_id,
  'page set ' || page_set_id AS subject,
  persistent_pct_now         AS observed,
  persistent_pages_now, total_pages_now, used_pages_added, page_set_minutes, page_set_intervals, dm_gets, dm_puts
FROM page_set_growth
WHERE page_set_id > 0
