/*---
id          = "QU003"
name        = "puts-failing"
title       = "A share of puts to the queue failed"
severity    = "warning"
weight      = "loss"
grain       = ["lpar", "qmgr", "queue"]
needs       = ["queue_statistics.failed_put_pct"]
prints      = ["queue_statistics.depth_high", "queue_statistics.cf_structure", "queue_statistics.page_set_id"]
judge       = "any interval"
worst       = "highest"
measure     = "share of the puts that failed"
when        = "observed > failed_pct_max"
min_activity = "failed_puts >= $failed_puts_min"
caused_by   = ["PS001", "CF001", "SM002"]
mq_since    = "9.3.3"
look        = ["DISPLAY QLOCAL({queue}) CURDEPTH MAXDEPTH MAXMSGL PUT PSID CFSTRUCT"]

[threshold.failed_pct_max]
value = 1.0
unit  = "percent"
kind  = "judgement"
why   = "applications that handle their errors rarely fail to put"

[threshold.failed_puts_min]
value = 10
unit  = "count"
kind  = "judgement"
why   = "fewer failures are a program that was started wrongly"

[source]
cite = "IBM MQ documentation, queue data records; MP16, 'Db2' (2192 where the structure is not full)"

[advice]
summary = "{failed_puts} put[s] to queue {queue} failed, {observed:.1f} % (limit {failed_pct_max} %); its highest depth was {depth_text}; it is on {location}."
remedy  = "Check whether the queue is full or put-inhibited. Then check its page set or structure. If a shared queue fails with 2192 and its structure was not full, check its shared message data set, or the LOB table space in Db2."
report  = "queue_statistics/puts"
---*/
SELECT
  lpar, qmgr, queue, interval_start_utc, interval_seconds, record_id,
  'queue ' || queue         AS subject,
  failed_put_pct            AS observed,
  failed_puts,
  coalesce(format('{:,}', depth_high), 'not recorded') AS depth_text,
  coalesce('structure ' || cf_structure, 'page set ' || page_set_id, 'no page set') AS location
FROM queue_statistics
