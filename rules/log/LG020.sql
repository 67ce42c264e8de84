/*---
id           = "LG020"
name         = "log-compression-not-paying"
title        = "Log compression saves little or fails"
severity     = "info"
weight       = "waste"
grain        = ["lpar", "qmgr"]
needs        = ["log_period.compress_requests"]
prints       = ["log_period.compression_pct", "log_period.compress_failure_pct", "log_period.compress_failures", "log_period.compress_bytes_in", "log_period.compress_bytes_out"]
judge        = "whole period"
worst        = "highest"
culprits     = ["log bytes"]
breach_when = "failures or saving"
min_activity = "compress_requests > $min_requests"
look        = ["DISPLAY LOG"]
do          = ["SET LOG COMPLOG(NONE)", "Make it permanent in CSQ6LOGP."]
sets         = ["COMPLOG"]

[threshold.saving_pct_min]
value = 20.0
unit  = "percent"
kind  = "judgement"
why   = "below 20 % the CPU for compression rarely pays"

[threshold.failure_pct_max]
value = 10.0
unit  = "percent"
kind  = "judgement"
why   = "a failed request costs CPU and saves nothing"

[threshold.min_requests]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "fewer requests are not representative of the messages"

[clause.failures]
when    = "compress_failure_pct > failure_pct_max"
measure = "failed compression requests"
summary = "{compress_failure_pct:.1f} % of {compress_requests} log compression request[s] failed (limit {failure_pct_max} %); the others saved {compression_pct:.1f} %."

[clause.saving]
when    = "compression_pct < saving_pct_min"
measure = "log space saved by compression"
summary = "Log compression saved {compression_pct:.1f} % (limit {saving_pct_min} %) in {compress_requests} request[s]; {compress_failure_pct:.1f} % of them failed."

[source]
cite = "IBM Washington Systems Center, log compression"

[advice]
summary = "Log compression saved {compression_pct:.1f} % (limit {saving_pct_min} %) in {compress_requests} request[s], and {compress_failure_pct:.1f} % of them failed (limit {failure_pct_max} %)."
remedy  = "Switch it off, unless the log rate limits the queue manager."
report  = "log/activity"
---*/
SELECT
  lpar, qmgr, record_id,
  'log compression'         AS subject,
  compression_pct           AS observed,
  compression_pct, compress_failure_pct, compress_requests
FROM log_period
