/*---
id       = "log/write_time"
title    = "Average one-page log write"
question = "How long does a commit wait for the log?"
kind     = "line"
unit     = "us"
worst    = "highest"
report   = "log/io"
needs    = ["log_io"]
rules    = ["LG004"]
limits   = [{ rule = "LG004", threshold = "average_us_max", text = "slow above" }]
---*/
SELECT lpar, qmgr, 'log copy ' || log_copy AS series, interval_start_utc, interval_seconds, average_io_us AS value, log_copy, io_type
FROM log_io
WHERE io_type = 1
