/*---
id       = "log/new_logs"
title    = "Log switches and log features"
question = "How often do logs switch, and are the new logs encrypted, zHyperWrite and zHyperLink capable and enabled?"
unseen   = true
needs    = ["log"]
rules    = ["LG013", "LG014", "LG022", "LG025"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
unmarked = "A row is an interval; its rules judge the whole period of a queue manager."
dd       = ["LOG"]
drill_down = ["log/volume_by_hour"]
mq_since = "9.1.2"
note     = "Only intervals with a log switch; other intervals have no information about the logs. MiB per switch is the log data of the interval only, which is too low if a log lasts longer than an interval. From 9.3.5, zHyperWrite is tried for all logs with ZHYWRITE(YES), which ZHYLINK(YES) sets too, so that it is enabled even for logs that are not capable of it."

[columns]
new_logs_copy1 = { label = "new logs copy 1", screen = 1 }
new_logs_copy2 = { screen = 1 }
new_logs_zhyperwrite_capable = { label = "zHyperWrite capable", screen = 2 }
new_logs_zhyperwrite_enabled = { label = "zHyperWrite enabled", screen = 2 }
new_logs_zhyperlink_capable = { label = "zHyperLink capable", screen = 2 }
new_logs_zhyperlink_enabled = { label = "zHyperLink enabled", screen = 2 }
new_logs_encrypted = { label = "encrypted", screen = 1 }
cis_offloaded = { label = "CIs offloaded" }
archive_write_allocations = { label = "archives", screen = 2 }
zhyperwrite_unused = { unit = "flag", label = "zHyperWrite unused", screen = 3, doc = "More logs were capable of zHyperWrite than had it enabled." }
zhyperlink_unused = { unit = "flag", label = "zHyperLink unused", screen = 3, doc = "More logs were capable of zHyperLink than had it enabled." }
encrypted_share_pct = { unit = "percent", label = "encrypted %", doc = "Share of the new logs that are encrypted.", ratio = { numerator = "new_logs_encrypted", denominator = "new_logs_copy1 + new_logs_copy2", scale = 100 } }
single_logging = { unit = "flag", label = "single logging", screen = 2, doc = "Only copy 1 was switched and written." }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, new_logs_copy1, new_logs_copy2, minutes_per_log_switch, mib_per_log_switch,
  new_logs_zhyperwrite_capable, new_logs_zhyperwrite_enabled, new_logs_zhyperlink_capable, new_logs_zhyperlink_enabled,
  new_logs_encrypted, cis_created, cis_offloaded, offload_pct, archive_write_allocations,
  new_logs_zhyperwrite_capable > new_logs_zhyperwrite_enabled        AS zhyperwrite_unused,
  new_logs_zhyperlink_capable > new_logs_zhyperlink_enabled          AS zhyperlink_unused,
  pct(new_logs_encrypted, new_logs_copy1 + new_logs_copy2)           AS encrypted_share_pct,
  new_logs_copy1 > 0 AND coalesce(new_logs_copy2, 0) = 0 AND coalesce(copy2_cis, 0) = 0 AS single_logging
FROM log
WHERE new_logs_copy1 > 0 OR new_logs_copy2 > 0
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
