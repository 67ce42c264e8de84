/*---
id         = "queue/index_advisor"
title      = "Index advisor"
question   = "Which queues want an index, or another one?"
unseen     = true
needs      = ["queue_index"]
rules      = ["QU012", "QU013", "QU016", "QU035"]
grain      = ["lpar", "qmgr", "base_name", "application", "connection_type_name"]
unmarked   = "A row is a queue as one application uses it."
drill_down = ["cf/shared_scan", "data_manager/message_balance"]
note       = "A get by message id or correlation id on a private queue without an index reads the messages before it. On a shared queue no messages are counted as skipped: list reads per move show the scan. Selectors are counted only in the interval of the open."

[columns]
lpar = { screen = 2 }
connection_type_name = { screen = 0 }
index_type = { label = "index", screen = 1 }
browses = { screen = 0 }
messages_skipped = { label = "skipped", screen = 1 }
pages_skipped = { label = "pages skipped" }
selector_opens = { label = "selectors", screen = 2 }
selector_length = { label = "selector bytes" }
depth_high = { label = "highest depth", screen = 2 }
command_text = { unit = "text", label = "command", doc = "MQSC command that defines an index. Take the type that the application matches on." }
---*/
SELECT
  lpar, qmgr, base_name, application, connection_type_name, is_shared, queue_disposition, index_type, gets, valid_gets, get_errors, get_bytes,
  specific_gets, any_gets, browses, messages_skipped, pages_skipped, skipped_per_get, average_get_cpu_us, cpu_per_skip_us, max_gets_per_s_one_task,
  selector_opens, selector_length, readlist_per_move, depth_high, scan_cpu_s, expected_get_cpu_us, advice_text,
  CASE
    WHEN specific_gets > 0 AND index_type = 'None' AND advice_text LIKE '%INDXTYPE%' AND base_name NOT LIKE '%*'
      THEN 'ALTER QLOCAL(''' || replace(base_name, '''', '''''') || ''') INDXTYPE(CORRELID)  * or MSGID: what the application matches on'
  END AS command_text,
  put_coverage_pct
FROM queue_index
ORDER BY scan_cpu_s DESC, skipped_per_get DESC NULLS LAST, lpar, qmgr, base_name, application, connection_type_name
