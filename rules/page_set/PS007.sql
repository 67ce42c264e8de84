/*---
id          = "PS007"
name        = "page-set-io-slow"
title       = "Average page set I/O time is long"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "page_set_id"]
needs_any   = [["page_set.average_read_us", "page_set.average_deferred_write_us", "page_set.average_immediate_write_us"]]
prints      = ["page_set.read_ios", "page_set.deferred_write_ios", "page_set.immediate_write_ios", "page_set.pages_per_deferred_write"]
judge       = "share >= 10 %"
worst       = "highest"
victims     = ["pages put"]
breach_when = "read or immediate or deferred"
judged_when = "greatest(read_ios, immediate_write_ios, deferred_write_ios) >= $ios_min"
guards      = ["G1", "G2"]
mq_since    = "9.0.0"
look        = ["DISPLAY USAGE TYPE(PAGESET) PSID({page_set_id})"]

[threshold.read_us_max]
value = 1000
unit  = "us"
kind  = "judgement"
why   = "IBM measured 140 to 378 µs for a page; several times that indicates a problem of the volume"

[threshold.deferred_write_us_max]
value = 5000
unit  = "us"
kind  = "judgement"
why   = "IBM's sample shows 1,968 µs for writes of 16 pages, many of them at the same time"

[threshold.immediate_write_us_max]
value = 1000
unit  = "us"
kind  = "judgement"
why   = "IBM's sample shows 274 µs; a task waits for each of them"

[threshold.ios_min]
value = 100
unit  = "count"
kind  = "judgement"
why   = "an average over fewer I/Os of one kind is not reliable"

[clause.read]
when    = "observed > read_us_max"
counts_when = ["read_ios >= ios_min"]
missing = "fails"
measure = "average read"
summary = "Reads of page set {page_set_id} took {observed:.0f} µs on average (limit {read_us_max} µs) over {read_ios} I/O[s]."

[clause.immediate]
when    = "average_immediate_write_us > immediate_write_us_max"
counts_when = ["immediate_write_ios >= ios_min"]
missing = "fails"
measure = "average immediate write"
summary = "Immediate writes to page set {page_set_id} took {average_immediate_write_us:.0f} µs on average (limit {immediate_write_us_max} µs) over {immediate_write_ios} I/O[s]; the tasks that caused them waited."

[clause.deferred]
when    = "average_deferred_write_us > deferred_write_us_max"
counts_when = ["deferred_write_ios >= ios_min"]
missing = "fails"
measure = "average deferred write"
summary = "Deferred writes to page set {page_set_id} took {average_deferred_write_us:.0f} µs on average (limit {deferred_write_us_max} µs) over {deferred_write_ios} I/O[s] of {pages_per_deferred_write:.1f} pages."

[source]
cite = "MP16, 'How long will each phase of the recovery take?', 'Page set encryption' and 'QM Restart: Forward recovery time as more data needs recovering'; V92, 'Page set encryption'"

[advice]
summary = "I/O of page set {page_set_id} is slow."
remedy  = "Check the RMF device activity of the volume, HyperPAV aliases and zHPF, and keep page sets off the volumes of the logs. Do not derive a data rate from the times of deferred writes: up to 64 overlap."
report  = "page_set/io"
---*/
SELECT
  lpar, qmgr, page_set_id, interval_start_utc, interval_seconds, record_id, fragment, startup_interval, suspect_first,
  'page set ' || page_set_id AS subject,
  average_read_us            AS observed,
  average_immediate_write_us, average_deferred_write_us, read_ios, immediate_write_ios, deferred_write_ios, pages_per_deferred_write
FROM page_set
