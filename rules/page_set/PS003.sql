/*---
id          = "PS003"
name        = "page-set-nearly-full"
title       = "Page set passed the expansion threshold"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "page_set_id"]
needs       = ["page_set.used_pct"]
prints      = ["page_set.used_pages", "page_set.total_pages", "page_set.growth"]
judge       = "any interval"
worst       = "highest"
key_figure  = "used_pct"
culprits    = ["pages kept", "pages held", "pages put minus got", "pages put"]
measure     = "pages in use"
when        = "observed > used_pct_max"
silenced_by = ["PS002"]
caused_by   = ["PS008", "QU005", "QU006", "QU004", "QU022"]
mq_since    = "9.0.0"
look        = ["DISPLAY USAGE TYPE(PAGESET) PSID({page_set_id})", "DISPLAY QLOCAL(*) PSID({page_set_id}) CURDEPTH IPPROCS"]
do          = ["ALTER PSID({page_set_id}) EXPAND({expand})"]
sets        = ["EXPAND"]
plans       = ["page_set_sizing"]

[size.expand]
when      = "NOT at_largest AND NOT can_grow"
formula   = "expansion_method"
cost      = "The volumes need space, which is not released again. EXPAND(USER) needs a data set with a secondary extent. After message CSQP014E the same command makes the queue manager try again."
otherwise = "Page set {page_set_id} cannot be enlarged: it has its largest size, {pages_at_largest} pages. Define a page set and a storage class for it, and move queues there."
unknown   = "The records do not show whether page set {page_set_id} can be enlarged: check its size with DISPLAY USAGE."

[threshold.used_pct_max]
value = 90.0
unit  = "percent"
kind  = "documented"
why   = "at this point the queue manager starts to expand the page set, and each put to it then takes milliseconds longer"

[source]
cite = "MP16, 'Size of page sets for a given number of messages'"

[advice]
summary = "Page set {page_set_id} was {observed:.1f} % full (limit {used_pct_max} %), {used_pages} of {total_pages} page[s]<<; expansion: {growth}>>. While a page set expands, each put to it is delayed by milliseconds."
remedy  = "Drain the queue that grows. Make sure that the page set can expand: space on the volumes, extended addressability above 4 GB. Allocate it as large as DASD space allows. A page set that is kept full on purpose can have its own limit in the site file."
report  = "page_set/usage"
---*/
SELECT
  lpar, qmgr, page_set_id, interval_start_utc, interval_seconds, record_id,
  'page set ' || page_set_id AS subject,
  used_pct                   AS observed,
  used_pages, total_pages, expansion_method, growth, can_grow, at_largest, CASE WHEN at_largest THEN total_pages END AS pages_at_largest
FROM page_set
WHERE status = 'Available'
