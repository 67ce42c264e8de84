/*---
id       = "log/efficiency"
title    = "Log coat-tailing and rewrite"
question = "Do several transactions share a log write, or does every commit cause its own write?"
needs    = ["log", "log_commit", "log_io", "message_manager"]
rules    = []
grain    = ["lpar", "qmgr", "interval_start_utc"]
note     = "Commits are those of tasks with class 3 accounting; more than one commit per log write means that transactions share writes. The limits of 80 % and 16 pages are for display only."

[columns]
log_buffer_write_calls = { label = "write calls", screen = 3 }
threshold_share_pct = { unit = "percent", label = "threshold %", screen = 1, doc = "Share of the write calls that the buffer threshold caused.", ratio = { numerator = "log_threshold_writes", denominator = "log_buffer_write_calls", scale = 100 } }
commits_per_log_io = { unit = "ratio", label = "commits/I/O", screen = 1, format = ".2f", doc = "Commits that shared a log write, per copy.", ratio = { numerator = "CAST(c.commits AS DOUBLE) * q.log_copies", denominator = "q.log_write_requests" } }
cis_per_commit = { unit = "ratio", label = "CIs/commit", screen = 1, format = ".2f", doc = "New control intervals per commit.", ratio = { numerator = "q.cis_created", denominator = "c.commits" } }
cis_per_put = { unit = "ratio", label = "CIs/put", screen = 2, format = ".2f", doc = "New control intervals per MQPUT or MQPUT1.", ratio = { numerator = "q.cis_created", denominator = "m.total_puts" } }
write_calls_per_put = { unit = "ratio", label = "calls/put", screen = 3, format = ".2f", doc = "Write calls of the log buffers per MQPUT or MQPUT1.", ratio = { numerator = "q.log_buffer_write_calls", denominator = "m.total_puts" } }
one_page_io_pct = { unit = "percent", label = "one-page %", screen = 1, doc = "Share of the writes to copy 1 that were of one control interval.", ratio = { numerator = "o.one_page_io_pct * q.log_write_requests", denominator = "q.log_write_requests" } }
striping_reading = { unit = "text", label = "striping", screen = 1, doc = "What striping of the active logs could improve; for display only." }
---*/
WITH one_page AS (
  SELECT
    record_id,
    pct(coalesce(sum(io_count) FILTER (io_type = 1), 0), sum(io_count)) AS one_page_io_pct
  FROM log_io
  WHERE log_copy = 1
  GROUP BY record_id
)
SELECT
  q.lpar, q.qmgr, q.qsg, q.interval_start_utc, q.interval_seconds, q.interval_end_utc, q.pages_per_log_io, q.rewritten_cis, q.rewritten_pct,
  q.cis_written_serially, q.log_threshold_writes, q.log_buffer_write_calls, q.log_buffer_page_ins,
  pct(q.log_threshold_writes, q.log_buffer_write_calls) AS threshold_share_pct,
  c.commits,
  c.commits::DOUBLE * q.log_copies / nullif(q.log_write_requests, 0)         AS commits_per_log_io,
  q.cis_created / nullif(c.commits, 0)                               AS cis_per_commit,
  q.cis_created / nullif(m.total_puts, 0)                            AS cis_per_put,
  q.log_buffer_write_calls / nullif(m.total_puts, 0)                 AS write_calls_per_put,
  o.one_page_io_pct,
  CASE
    WHEN o.one_page_io_pct > 80 THEN 'striping brings nothing'
    WHEN q.pages_per_log_io >= 16 THEN 'striping may help if the rate is the limit'
  END                                                                AS striping_reading
FROM log AS q
LEFT JOIN one_page AS o ON o.record_id = q.record_id
LEFT JOIN log_commit AS c ON c.lpar = q.lpar AND c.qmgr = q.qmgr AND c.interval_start_utc = q.interval_start_utc
LEFT JOIN message_manager AS m ON m.lpar = q.lpar AND m.qmgr = q.qmgr AND m.interval_start_utc = q.interval_start_utc
ORDER BY lpar, qmgr, interval_start_utc
