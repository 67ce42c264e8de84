/*---
id       = "channel_initiator/tls_tasks"
title    = "TLS tasks busy"
question = "Do TLS handshakes and encryption have enough tasks?"
kind     = "strip"
unit     = "percent"
worst    = "highest"
report   = "channel_initiator/ssl_tasks"
needs    = ["chinit_ssl_task"]
rules    = ["CH008"]
limits   = [{ rule = "CH008", threshold = "busy_pct", text = "busy above" }]
---*/
SELECT lpar, qmgr, 'TLS task ' || task_index AS series, interval_start_utc, interval_seconds, task_busy_pct AS value, task_index
FROM chinit_ssl_task
