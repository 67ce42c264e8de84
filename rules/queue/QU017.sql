/*---
id          = "QU017"
name        = "gets-reading-page-set"
title       = "Messages of this queue are read from DASD"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "base_name"]
needs       = ["queue_page_set_reads.reads_per_get"]
prints      = ["queue_page_set_reads.page_set_id", "queue_page_set_reads.pool_id"]
judge       = "whole period"
worst       = "highest"
measure     = "page set reads per message got"
when        = "observed > reads_per_get_max"
min_activity = "valid_gets >= $gets_min"
look        = ["DISPLAY QLOCAL({base_name}) CURDEPTH PSID STGCLASS"]

[threshold.reads_per_get_max]
value = 0.1
unit  = "ratio"
kind  = "judgement"
why   = "messages that are got soon are still in the buffer pool"

[threshold.gets_min]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "a ratio over fewer gets is not reliable"

[source]
cite = "V92, 'Page set encryption' (gets from deep queues); MP16, 'Interpretation of MQ statistics' (pools of short-lived messages read no pages)"

[advice]
summary = "Gets from queue {base_name} read its page set {get_page_set_reads} time[s] for {valid_gets} message[s], {observed:.2f} each (limit {reads_per_get_max}); it is on {location}."
remedy  = "The messages had left the buffer pool before they were got: the queue is too deep for its pool, or it is drained late. Enlarge the pool, or give the queue a page set and pool of its own. Queues that are drained by night read their page set on purpose."
report  = "buffer_pool/lifespan"
---*/
SELECT
  lpar, qmgr, base_name,
  'queue ' || base_name     AS subject,
  reads_per_get             AS observed,
  get_page_set_reads, valid_gets,
  coalesce('page set ' || page_set_id || ' in buffer pool ' || pool_id, 'a page set that the records do not name') AS location
FROM queue_page_set_reads
