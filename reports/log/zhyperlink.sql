/*---
id       = "log/zhyperlink"
title    = "zHyperLink log writes"
question = "Do log writes run synchronously over zHyperLink, how fast, and what does the spinning cost?"
needs    = ["log"]
rules    = ["LG023", "LG024", "LG026", "LG027"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
dd       = ["LOGHLCSV", "LOG"]
drill_down = ["log/busy", "log/new_logs"]
mq_since = "9.4.0"
note     = "'At switch' counts asynchronous writes while a write token is obtained; the layout calls them writes while connected. Unconfirmed: the divisor per switch with dual logging, and the unit of the times (microseconds)."

[columns]
new_logs_zhyperlink_capable = { label = "capable logs", screen = 2 }
new_logs_zhyperlink_enabled = { label = "enabled logs", screen = 1 }
zhl_requests_1ci = { label = "requests 1 CI" }
zhl_requests_multi = { label = "requests multi" }
zhl_cis_tried = { label = "CIs tried" }
zhl_sync_1ci = { label = "sync 1 CI" }
zhl_sync_multi = { label = "sync multi" }
zhl_cis_sync = { label = "CIs sync" }
zhl_async_1ci = { label = "async 1 CI" }
zhl_async_multi = { label = "async multi" }
zhl_cis_async = { label = "CIs async" }
zhl_switch_1ci = { label = "switch 1 CI" }
zhl_switch_multi = { label = "switch multi" }
zhl_switch_cis = { label = "switch CIs" }
zhl_longest_1ci_us = { label = "longest 1 CI µs" }
zhl_shortest_1ci_us = { label = "shortest 1 CI µs" }
zhl_total_1ci_us = { label = "total 1 CI µs" }
zhl_longest_multi_us = { label = "longest multi µs" }
zhl_shortest_multi_us = { label = "shortest multi µs" }
zhl_total_multi_us = { label = "total multi µs" }
zhl_standard_deviation_us = { unit = "us", label = "std dev µs", doc = "Standard deviation of the zHyperLink write time of one control interval.", over = "max" }
closure_1ci = { unit = "count", label = "open 1 CI", doc = "One-CI requests that were neither synchronous nor asynchronous.", over = "add" }
closure_multi = { unit = "count", label = "open multi", doc = "Multi-CI requests that were neither synchronous nor asynchronous.", over = "add" }
closure_cis = { unit = "count", label = "open CIs", doc = "Control intervals of such requests.", over = "add" }
spin_cpu_s = { unit = "s", label = "spin CPU s", screen = 1, format = ".2f", doc = "Processor time of spinning, which is the time of the synchronous writes.", over = "add" }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, new_logs_zhyperlink_capable, new_logs_zhyperlink_enabled,
  zhl_requests_1ci, zhl_requests_multi, zhl_cis_tried, zhl_sync_1ci, zhl_sync_multi, zhl_cis_sync, zhl_async_1ci,
  zhl_async_multi, zhl_cis_async, zhl_switch_1ci, zhl_switch_multi, zhl_switch_cis, zhl_requests, zhl_sync, zhl_async,
  zhl_switch, zhl_sync_pct, zhl_async_pct, zhl_async_pct_without_switch, zhl_longest_1ci_us, zhl_shortest_1ci_us,
  zhl_total_1ci_us, zhl_average_1ci_us, zhl_longest_multi_us, zhl_shortest_multi_us, zhl_total_multi_us,
  zhl_average_multi_us, zhl_async_per_switch, zhl_pages_per_switch, zhl_sync_us, logger_spin_pct, new_logs_copy1,
  CASE WHEN zhl_sync_1ci > 0 AND zhl_time_sum_squares IS NOT NULL
    THEN sqrt(greatest(0, zhl_time_sum_squares / zhl_sync_1ci - power(zhl_average_1ci_us, 2))) END AS zhl_standard_deviation_us,
  zhl_requests_1ci - zhl_sync_1ci - zhl_async_1ci                  AS closure_1ci,
  zhl_requests_multi - zhl_sync_multi - zhl_async_multi            AS closure_multi,
  zhl_cis_tried - zhl_cis_sync - zhl_cis_async                     AS closure_cis,
  zhl_sync_us / 1e6                                                AS spin_cpu_s
FROM log
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
