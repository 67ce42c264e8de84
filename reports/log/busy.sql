/*---
id       = "log/busy"
title    = "Logger busy"
question = "Is the logger task the bottleneck, and is it waiting for I/O or spinning?"
needs    = ["log"]
rules    = ["LG002", "LG003"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
dd       = ["LOGBUSY"]
wsc      = [2]
drill_down = ["log/io", "log/zhyperlink"]
note     = "With dual logging the slower copy counts as I/O busy (unconfirmed). Do not judge by I/O busy alone: with zHyperLink it is near 0 even if the logger is saturated. The limit of 80 % is for display only."

[columns]
interval_seconds = { screen = 3 }
logger_task_busy_pct = { label = "task busy %" }
logger_idle_us = { label = "idle µs" }
zhl_sync_us = { label = "zHyperLink µs" }
io_share_of_busy_pct = { unit = "percent", label = "I/O share %", screen = 2, doc = "Share of the busy time that is I/O.", ratio = { numerator = "logger_io_busy_pct * interval_seconds", denominator = "logger_task_busy_pct * interval_seconds", scale = 100 } }
other_busy_pct = { unit = "percent", label = "other %", screen = 2, doc = "Busy time that is neither I/O nor spinning.", over = "mean" }
logger_reading = { unit = "text", label = "assessment", screen = 1, doc = "What the busy time indicates; for display only." }
---*/
WITH shared AS (
  SELECT
    *,
    pct(logger_io_busy_pct, logger_task_busy_pct)                       AS io_share_of_busy_pct,
    logger_task_busy_pct - logger_io_busy_pct - logger_spin_pct         AS other_busy_pct
  FROM log
)
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc,
  logger_task_busy_pct, logger_io_busy_pct, logger_io_busy_by_io_time_pct, logger_spin_pct,
  logger_idle_us, copy1_io_us, copy2_io_us, zhl_sync_us, copy1_mib_per_s,
  io_share_of_busy_pct, other_busy_pct,
  CASE
    WHEN logger_task_busy_pct IS NULL THEN NULL
    WHEN logger_task_busy_pct < 80 THEN 'has room'
    WHEN logger_spin_pct > 0.5 * logger_task_busy_pct THEN 'spinning on zHyperLink'
    WHEN io_share_of_busy_pct >= 90 THEN 'waiting for log I/O'
    ELSE 'CPU or both'
  END AS logger_reading
FROM shared
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
