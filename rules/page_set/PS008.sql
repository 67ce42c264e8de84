/*---
id           = "PS008"
name         = "persistent-messages-nobody-gets"
title        = "A page set fills with persistent messages that nobody gets"
severity     = "warning"
weight       = "outage"
grain        = ["lpar", "qmgr", "page_set_id"]
needs        = ["page_set_growth.persistent_pct_now", "page_set_growth.unread_minutes"]
prints       = ["page_set_growth.persistent_pages_now", "page_set_growth.unread_since_utc", "page_set_growth.unread_puts"]
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
when    = "unread_minutes >= minutes_min"
measure = "time at the end of the data without a get from any page set"

[clause.growing]
when    = "unread_pages_added > 0"
measure = "pages in use added in this time"
text    = "{value} added"
unit    = "pages"

[source]
cite = "MP16, 'Size of page sets for a given number of messages' (2192, media full)"

[advice]
summary = "Persistent messages fill {observed:.1f} % of page set {page_set_id} (limit {persistent_pct_max} %), {persistent_pages_now} of {total_pages_now} page[s]; {unread_pages_added} page[s] [were|was] added with {unread_puts} put[s] since {unread_since_utc}, and the queue manager got no message from any page set for {unread_minutes:.0f} minute[s] (limit {minutes_min}), still so at {page_set_end_utc}."
remedy  = "Find the queues of the page set (queue statistics) and restart their reader: the messages survive a restart of the queue manager, and a full page set refuses puts. Archive queues that are meant to grow can have their own limit in the site file."
report  = "page_set/growth"
---*/
SELECT
  lpar, qmgr, page_set_id, record_id,
  'page set ' || page_set_id AS subject,
  persistent_pct_now         AS observed,
  persistent_pages_now, total_pages_now, page_set_minutes, page_set_intervals, unread_pages_added, unread_minutes, unread_since_utc, unread_puts, page_set_end_utc
FROM page_set_growth
WHERE page_set_id > 0
