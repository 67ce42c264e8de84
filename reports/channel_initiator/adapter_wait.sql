/*---
id         = "channel_initiator/adapter_wait"
title      = "Adapter wait and its likely cause"
question   = "Why is the elapsed time of adapters longer than their CPU time: log, selectors, full buffer pool, or AMS?"
needs      = ["channel_initiator", "chinit_interval", "chinit_channel_use", "chinit_queue_use", "log", "log_io", "chinit_pool_writes"]
rules      = ["CH004", "DQ014"]
grain      = ["lpar", "qmgr", "interval_start_utc"]
drill_down = ["channel_initiator/adapters"]
site_input = ["ams_channels"]
mq_since   = "8.0.0"
note       = "The call times of accounting do not include AMS. Waits are shown as 0 if CPU time, which includes work between requests, exceeds the elapsed time. The queue manager causes a few immediate writes itself; only synchronous writes or more than 100 immediate writes count as a cause."

[columns]
adapters_idle = { label = "idle", screen = 2 }
adapters_unused = { label = "unused" }
adapter_requests = { label = "requests", screen = 1 }
adapter_average_cpu_us = { label = "avg CPU µs", screen = 1 }
adapter_average_et_us = { label = "avg elapsed µs", screen = 1 }
adapter_average_wait_us = { label = "avg wait µs", screen = 1 }
adapter_average_pct = { label = "busy %", screen = 2 }
log_average_1page_us = { unit = "us", label = "log write µs", screen = 1, doc = "Average one-page write to log copy 1.", ratio = { numerator = "n.io_total_us", denominator = "n.io_count" } }
logger_task_busy_pct = { label = "logger busy %", screen = 3 }
selector_opens = { label = "selectors", screen = 2 }
messages_skipped = { label = "skipped", screen = 2 }
immediate_writes = { label = "immed. writes", screen = 1 }
synchronous_write_hits = { label = "DMC", screen = 2 }
likely_cause = { unit = "text", label = "likely cause", screen = 1, doc = "All causes that the data supports: log, selection, buffer pool, AMS; none if adapters hardly wait." }
---*/
WITH
one_page AS (
  SELECT lpar, qmgr, interval_start_utc, average_io_us, io_total_us, io_count
  FROM log_io
  WHERE log_copy = 1 AND io_type = 1
)
SELECT
  c.lpar, c.qmgr, c.interval_start_utc, c.interval_seconds,
  c.adapters, c.adapters_idle, c.adapters_unused, c.adapter_requests,
  c.adapter_average_cpu_us, c.adapter_average_et_us, c.adapter_average_wait_us, c.adapter_average_pct, c.wait_share_pct,
  v.persistent_channel_pct,
  n.average_io_us AS log_average_1page_us,
  l.logger_task_busy_pct,
  u.selector_opens, u.messages_skipped, u.channel_gets,
  p.immediate_writes, p.synchronous_write_hits,
  v.intercepted_channels,
  CASE
    WHEN coalesce(c.wait_share_pct < 50 OR c.adapter_requests < 100, true) THEN 'none'
    ELSE coalesce(nullif(concat_ws(
      '; ',
      CASE WHEN v.persistent_channel_pct > 20 THEN 'log writes of persistent messages' END,
      CASE WHEN u.selector_opens > 0 OR u.messages_skipped > u.channel_gets THEN 'message selection' END,
      CASE WHEN p.synchronous_write_hits > 0 OR p.immediate_writes > 100 THEN 'buffer pool full' END,
      CASE WHEN v.intercepted_channels > 0 THEN 'AMS interception (lock or crypto)' END
    ), ''), 'not explained by MQ data')
  END AS likely_cause
FROM channel_initiator AS c
LEFT JOIN chinit_interval AS i ON i.record_id = c.record_id
LEFT JOIN chinit_channel_use AS v ON v.record_id = c.record_id
LEFT JOIN chinit_queue_use AS u ON u.record_id = c.record_id
LEFT JOIN log AS l ON l.lpar = i.lpar AND l.qmgr = i.qmgr AND l.interval_start_utc = i.cut_start_utc
LEFT JOIN one_page AS n ON n.lpar = i.lpar AND n.qmgr = i.qmgr AND n.interval_start_utc = i.cut_start_utc
LEFT JOIN chinit_pool_writes AS p ON p.lpar = i.lpar AND p.qmgr = i.qmgr AND p.interval_start_utc = i.cut_start_utc
WHERE c.adapters > 0
ORDER BY adapter_average_wait_us DESC NULLS LAST, lpar, qmgr, interval_start_utc
