/*---
id          = "PS005"
name        = "page-set-near-size-limit"
title       = "Page set close to its largest size and well filled"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "page_set_id"]
needs       = ["page_set.percent_of_largest", "page_set.used_pct"]
prints      = ["page_set.total_pages", "page_set.largest_pages"]
judge       = "any interval"
worst       = "highest"
culprits    = ["pages kept", "pages held", "pages put minus got", "pages put"]
breach_when = "size and filled"
silenced_by = ["PS002"]
mq_since    = "9.0.0"
look        = ["DISPLAY USAGE TYPE(PAGESET) PSID({page_set_id})", "DISPLAY QLOCAL(*) PSID({page_set_id}) CURDEPTH IPPROCS"]
plans       = ["page_set_days_to_full"]

[threshold.size_pct_max]
value = 90.0
unit  = "percent"
kind  = "judgement"
why   = "a page set cannot exceed 64 GB; no document gives a share, the last 10 % leave time to act"

[threshold.used_pct_max]
value = 80.0
unit  = "percent"
kind  = "judgement"
why   = "a large page set that is mostly empty needs no action; one that is this full expands soon"

[clause.size]
when    = "observed > size_pct_max"
measure = "size as a share of the largest possible"

[clause.filled]
when    = "used_pct > used_pct_max"
measure = "pages in use"

[source]
cite = "MP16, 'Size of page sets for a given number of messages' (64 GB)"

[advice]
summary = "Page set {page_set_id} has {total_pages} of at most {largest_pages} page[s] ({observed:.1f} %, limit {size_pct_max} %) and {used_pct:.1f} % of them are in use (limit {used_pct_max} %): it can hardly grow any more."
remedy  = "Define a new page set and a storage class for it, and move queues there; drain old messages. The largest size is 64 GB, or what page_set_max_gb of the site file gives (4 without extended addressability, which SMF does not show)."
report  = "page_set/usage"
---*/
SELECT
  lpar, qmgr, page_set_id, interval_start_utc, interval_seconds, record_id,
  'page set ' || page_set_id AS subject,
  percent_of_largest         AS observed,
  used_pct, total_pages, largest_pages
FROM page_set
WHERE status = 'Available'
