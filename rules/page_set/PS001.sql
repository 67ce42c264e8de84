/*---
id          = "PS001"
name        = "page-set-full"
title       = "Page set was found full"
severity    = "critical"
weight      = "outage"
grain       = ["lpar", "qmgr", "page_set_id"]
needs       = ["page_set.full_count"]
prints      = ["page_set.used_pct", "page_set.total_pages", "page_set.growth"]
judge       = "any interval"
worst       = "highest"
culprits    = ["pages kept", "pages held", "pages put minus got", "pages put"]
measure     = "time[s] found full"
when        = "observed > full_count_max"
caused_by   = ["PS002", "PS008", "QU005", "QU006", "QU004", "QU022"]
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

[threshold.full_count_max]
value = 0
unit  = "count"
kind  = "documented"
why   = "each one is a put that failed with reason code 2192"

[source]
cite = "MP16, 'Size of page sets for a given number of messages' (reason code 2192)"

[advice]
summary = "Page set {page_set_id} was found full {full_count} time[s] (limit {full_count_max}): puts failed with reason code 2192. At the end of the interval {used_pct:.1f} % of its {total_pages} page[s] were in use<<; expansion: {growth}>>."
remedy  = "Find the queue that grows and restart its reader. Above 4 GB the data set needs extended addressability; the largest size is 64 GB."
report  = "page_set/usage"
---*/
SELECT
  lpar, qmgr, page_set_id, interval_start_utc, interval_seconds, record_id,
  'page set ' || page_set_id AS subject,
  full_count                 AS observed,
  full_count, used_pct, total_pages, expansion_method, growth, at_largest, CASE WHEN at_largest THEN total_pages END AS pages_at_largest
FROM page_set
