/*---
id          = "PS002"
name        = "unexpandable-page-set-nearly-full"
title       = "Page set nearly full and unable to grow"
severity    = "critical"
weight      = "outage"
grain       = ["lpar", "qmgr", "page_set_id"]
needs       = ["page_set.used_pct", "page_set.can_grow"]
prints      = ["page_set.used_pages", "page_set.total_pages", "page_set.persistent_pages", "page_set.growth"]
judge       = "any interval"
worst       = "highest"
key_figure  = "used_pct"
culprits    = ["pages kept", "pages held", "pages put minus got", "pages put"]
breach_when = "nearly_full and fixed"
caused_by   = ["PS008", "QU005", "QU006", "QU004", "QU022"]
mq_since    = "9.0.0"
look        = ["DISPLAY USAGE TYPE(PAGESET) PSID({page_set_id})", "DISPLAY QLOCAL(*) PSID({page_set_id}) CURDEPTH IPPROCS"]
do          = ["ALTER PSID({page_set_id}) EXPAND({expand})"]
sets        = ["EXPAND"]
plans       = ["page_set_sizing"]

[size.expand]
when      = "NOT at_largest"
formula   = "expansion_method"
cost      = "The volumes need space, which is not released again. EXPAND(USER) needs a data set with a secondary extent. After message CSQP014E the same command makes the queue manager try again."
otherwise = "Page set {page_set_id} cannot be enlarged: it has its largest size, {pages_at_largest} pages. Define a page set and a storage class for it, and move queues there."
unknown   = "The records do not show whether page set {page_set_id} can be enlarged: check its size with DISPLAY USAGE."

[threshold.used_pct_max]
value = 90.0
unit  = "percent"
kind  = "documented"
why   = "at this point a page set starts to expand, if that is allowed; otherwise only the last 10 % is left"

[clause.nearly_full]
when    = "observed > used_pct_max"
measure = "pages in use"

[clause.fixed]
when    = "can_grow is false"
measure = "able to grow"
text    = "unable to grow"
clear   = "able to grow"

[source]
cite = "MP16, 'Size of page sets for a given number of messages'; IBM documentation, DEFINE PSID (EXPAND) and MQUSAGE_EXPAND constants"

[advice]
summary = "Page set {page_set_id} was {observed:.1f} % full (limit {used_pct_max} %), {used_pages} of {total_pages} page[s], {persistent_pages} of them with persistent messages, and it cannot grow (expansion: {growth}): puts to a full page set fail with reason code 2192."
remedy  = "Find the queue that grows and its reader, or move queues to another page set. A page set that did not expand, at more than 92 % at the end of two intervals, has message CSQP014E in the job log: give the data set space first."
report  = "page_set/usage"
---*/
SELECT
  lpar, qmgr, page_set_id, interval_start_utc, interval_seconds, record_id,
  'page set ' || page_set_id AS subject,
  used_pct                   AS observed,
  used_pages, total_pages, persistent_pages, can_grow, growth, at_largest, CASE WHEN at_largest THEN total_pages END AS pages_at_largest, expansion_method
FROM page_set
WHERE status = 'Available'
