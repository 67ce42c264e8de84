/*---
id       = "log/rate"
title    = "Log data rate"
question = "How many MB per second are logged per copy, and how close is that to the limit?"
needs    = ["log", "log_site", "message_manager"]
rules    = ["LG010", "LG028"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
dd       = ["LOGCSV", "LOG"]
wsc      = [2]
drill_down = ["log/volume_by_hour", "log/busy"]
site_input = ["active_log_mb", "archive_copies", "log_peak_mb_s", "metro_mirror"]
note     = "New data fills the active log and determines retention; it is written to each copy, and again if a page was not full. DASD load, minutes to fill and share of peak need facts from the site file."

[columns]
cis_written = { label = "CIs written" }
log_write_requests = { label = "write I/Os" }
log_created_mib_per_s = { label = "new MiB/s", format = ".2f" }
copy1_mib_per_s = { format = ".2f" }
rewritten_pct = { screen = 2 }
pages_written_per_s = { unit = "per_s", label = "pages/s", screen = 3, doc = "Control intervals written per second, all copies together.", over_time = "mean", across = "add" }
write_requests_per_s = { unit = "per_s", label = "I/Os/s", screen = 3, doc = "Log write I/Os per second, all copies together.", over_time = "mean", across = "add" }
mp1b_data_written_mib_per_s = { unit = "mib_per_s", label = "MP1B MB/s", format = ".0f", doc = "Log data written per second, truncated to a whole number as MP1B prints it.", over_time = "mean", across = "add" }
mp1b_pages_written_per_s = { unit = "per_s", label = "MP1B pages/s", format = ".0f", doc = "Control intervals written per second, truncated as MP1B prints it.", over_time = "mean", across = "add" }
mp1b_write_requests_per_s = { unit = "per_s", label = "MP1B requests/s", format = ".0f", doc = "Log write I/Os per second, truncated as MP1B prints it.", over_time = "mean", across = "add" }
mp1b_pages_per_io = { unit = "pages", label = "MP1B pages/I/O", format = ".0f", doc = "Control intervals per write I/O, truncated as MP1B prints it.", ratio = { numerator = "floor(q.pages_per_log_io) * q.log_write_requests", denominator = "q.log_write_requests" } }
log_bytes_per_put = { unit = "bytes", label = "bytes/put", screen = 2, format = ",.0f", doc = "New log data per MQPUT or MQPUT1, persistent or not.", ratio = { numerator = "q.cis_created * 4096", denominator = "m.total_puts" } }
---*/
SELECT
  q.lpar, q.qmgr, q.qsg, q.interval_start_utc, q.interval_seconds, q.interval_end_utc, q.new_logs_copy1, q.new_logs_copy2, q.log_copies,
  q.cis_created, q.cis_written, q.log_write_requests,
  q.log_created_mib_per_s, q.copy1_mib_per_s, q.copy2_mib_per_s, q.log_written_mib_per_s, q.dasd_mib_per_s,
  q.pages_per_log_io, q.rewritten_cis, q.rewritten_pct,
  per_s(q.cis_written, q.interval_seconds)                           AS pages_written_per_s,
  per_s(q.log_write_requests, q.interval_seconds)                    AS write_requests_per_s,
  floor(q.log_written_mib_per_s)                                     AS mp1b_data_written_mib_per_s,
  floor(per_s(q.cis_written, q.interval_seconds))                    AS mp1b_pages_written_per_s,
  floor(per_s(q.log_write_requests, q.interval_seconds))             AS mp1b_write_requests_per_s,
  floor(q.pages_per_log_io)                                          AS mp1b_pages_per_io,
  q.cis_created * 4096 / nullif(m.total_puts, 0)                     AS log_bytes_per_put,
  s.minutes_to_fill_one_log, s.share_of_log_peak_pct
FROM log AS q
LEFT JOIN log_site AS s ON s.record_id = q.record_id
LEFT JOIN message_manager AS m ON m.lpar = q.lpar AND m.qmgr = q.qmgr AND m.interval_start_utc = q.interval_start_utc
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
