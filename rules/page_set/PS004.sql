/*---
id          = "PS004"
name        = "page-set-expanded"
title       = "Page set grew during the period"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "page_set_id"]
needs       = ["page_set.grown_pages"]
prints      = ["page_set.total_pages", "page_set.used_pages", "page_set.percent_of_64_gib"]
judge       = "any interval"
worst       = "highest"
culprits    = ["pages kept", "pages held", "pages put minus got", "pages put"]
measure     = "pages added"
when        = "observed > 0"
text        = "{value} added"
unit        = "pages"
caused_by   = ["PS003", "PS008", "QU005", "QU006", "QU004", "QU022"]
mq_since    = "9.0.0"
look        = ["DISPLAY USAGE TYPE(PAGESET) PSID({page_set_id})", "DISPLAY QLOCAL(*) PSID({page_set_id}) CURDEPTH IPPROCS"]
plans       = ["page_set_days_to_full"]

[source]
cite = "MP16, 'Size of page sets for a given number of messages' and 'Use of MQ Utilities' (FORMAT, COPYPAGE)"
kind = "documented"

[advice]
summary = "Page set {page_set_id} grew by {observed:.0f} page[s] to {total_pages} ({percent_of_64_gib:.1f} % of the largest possible size); {used_pages} page[s] were in use at the end of the interval. Puts wait while a data set is extended and formatted, and the space is not released."
remedy  = "Find the queue with the peak and its reader. Allocate the page set at its peak size: format a larger data set and copy the page set to it with CSQUTIL COPYPAGE in a quiet hour. A planned expansion by ALTER PSID needs no action."
report  = "page_set/usage"
---*/
SELECT
  lpar, qmgr, page_set_id, interval_start_utc, interval_seconds, record_id,
  'page set ' || page_set_id AS subject,
  grown_pages                AS observed,
  total_pages, used_pages, percent_of_64_gib
FROM page_set
