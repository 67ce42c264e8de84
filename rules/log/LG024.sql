/*---
id           = "LG024"
name         = "zhyperlink-writes-turning-asynchronous"
title        = "Too many zHyperLink writes became ordinary I/O"
severity     = "warning"
weight       = "delay"
grain        = ["lpar", "qmgr"]
needs        = ["log.zhl_requests"]
prints       = ["log.zhl_async_pct_without_switch", "log.zhl_async", "log.zhl_switch", "log.zhl_average_multi_us"]
judge        = "share >= 10 %"
weighted_by = "zhl_requests"
weighted_min = 10000
worst        = "highest"
measure     = "zHyperLink writes that became ordinary I/O"
when        = "observed > async_pct_max"
min_activity = "zhl_requests >= $min_writes"
caused_by    = ["LG026", "LG027"]
mq_since     = "9.4.0"
look        = ["D IOS,ZHYPERLINK", "D PCIE"]
plans       = ["zhyperlink_paths"]

[threshold.async_pct_max]
value = 1.0
unit  = "percent"
kind  = "judgement"
why   = "0.1 % in IBM's good sample, 3 to 38 % in its bad case"

[threshold.min_writes]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "a share of fewer writes is not reliable"

[source]
cite = "MP16, 'MQ Statistics' (notes on the sample log report) and 'Are there sufficient zHyperLink paths to the DASD?'"

[advice]
summary = "{observed:.1f} % of {zhl_requests} zHyperLink write[s] became ordinary I/O (limit {async_pct_max} %): {zhl_async} in all, of which {zhl_switch} at log switches are not counted in the share."
remedy  = "Check RMF synchronous I/O (each function id should be at most 25 % busy), timeouts of zHyperLink, and the number of write sessions (64 per storage system). For dual logs with four stripes and large messages, ordinary I/O may be faster."
report  = "log/zhyperlink"
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_seconds, record_id,
  'zHyperLink writes'       AS subject,
  zhl_async_pct_without_switch AS observed,
  zhl_requests, zhl_async, zhl_switch
FROM log
