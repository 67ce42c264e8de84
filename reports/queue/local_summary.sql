/*---
id         = "queue/local_summary"
title      = "Local queue summary"
question   = "Which private queues carry the traffic, by page set and pool?"
needs      = ["queue_total", "accounting_missed"]
rules      = []
grain      = ["lpar", "qmgr", "base_name"]
dd         = ["QSUML"]
drill_down = ["queue/all"]
note       = "Names are base names; the generated part of the names of dynamic queues is *. View queue_hour has the traffic by hour."

[columns]
lpar = { screen = 2 }
page_set_id = { screen = 1 }
pool_id = { label = "pool", screen = 1 }
put_mib = { unit = "mib", label = "put MiB", screen = 1, over = "add", doc = "Message data put." }
get_mib = { unit = "mib", label = "got MiB", screen = 1, over = "add", doc = "Message data got." }
get_page_set_reads = { label = "read from page set", screen = 1 }
messages_skipped = { label = "skipped", screen = 2 }
---*/
SELECT
  q.lpar, q.qmgr, q.base_name, q.queue_records, q.page_set_id, q.pool_id, q.put_bytes / 1048576 AS put_mib, q.get_bytes / 1048576 AS get_mib,
  q.attention, q.valid_puts, q.valid_gets, q.get_page_set_reads, q.depth_high, q.messages_skipped, q.queue_mq_cpu_us, c.put_coverage_pct
FROM queue_total AS q
LEFT JOIN accounting_missed AS c ON c.lpar = q.lpar AND c.qmgr = q.qmgr
WHERE NOT coalesce(q.is_shared, false) AND NOT q.is_topic
ORDER BY valid_puts + valid_gets DESC, lpar, qmgr, base_name
