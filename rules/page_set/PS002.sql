/*---
id          = "PS002"
name        = "unexpandable-page-set-nearly-full"
title       = "Page set nearly full and not allowed to expand"
severity    = "critical"
weight      = "outage"
grain       = ["lpar", "qmgr", "page_set_id"]
needs       = ["page_set.used_pct", "page_set.expansion_allowed"]
prints      = ["page_set.used_pages", "page_set.total_pages", "page_set.persistent_pages"]
judge       = "any interval"
worst       = "highest"
key_figure  = "used_pct"
culprits    = ["pages kept", "pages held", "pages put minus got", "pages put"]
breach_when = "nearly_full and fixed"
caused_by   = ["PS008", "QU005", "QU006", "QU004"]
mq_since    = "9.0.0"
look        = ["DISPLAY USAGE TYPE(PAGESET) PSID({page_set_id})", "DISPLAY QLOCAL(*) PSID({page_set_id}) CURDEPTH IPPROCS"]
do          = ["ALTER PSID({page_set_id}) EXPAND(SYSTEM)"]
plans       = ["page_set_sizing"]

[threshold.used_pct_max]
value = 90.0
unit  = "percent"
kind  = "documented"
why   = "at this point a page set starts to expand, if that is allowed; otherwise only the last 10 % is left"

[clause.nearly_full]
when    = "observed > used_pct_max"
measure = "pages in use"

[clause.fixed]
when    = "expansion_allowed is false"
measure = "allowed to expand"
text    = "not allowed to expand"
clear   = "allowed to expand"

[source]
cite = "MP16, 'Size of page sets for a given number of messages'; IBM documentation, DEFINE PSID (EXPAND) and MQUSAGE_EXPAND constants"

[advice]
summary = "Page set {page_set_id} was {observed:.1f} % full (limit {used_pct_max} %), {used_pages} of {total_pages} page[s], {persistent_pages} of them with persistent messages, and EXPAND(NONE) stops it from growing: puts to a full page set fail with reason code 2192."
remedy  = "Let the page set expand, with space on the volumes (EXPAND(USER) is for a data set with a secondary extent), or move queues to another page set. Find the queue that grows and its reader."
report  = "page_set/usage"
---*/
SELECT
  lpar, qmgr, page_set_id, interval_start_utc, interval_seconds, record_id,
  'page set ' || page_set_id AS subject,
  used_pct                   AS observed,
  used_pages, total_pages, persistent_pages, expansion_allowed
FROM page_set
WHERE status = 'Available'
