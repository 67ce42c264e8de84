/*---
id       = "log/rate"
title    = "Log data"
question = "How much log data is written, and is it close to what the DASD can sustain?"
kind     = "line"
unit     = "mib_per_s"
worst    = "highest"
report   = "log/rate"
needs    = ["log", "log_site"]
rules    = ["LG028"]
limits   = [{ column = "log_peak_mb_s", text = "the DASD sustains" }]
note     = "The rate of a copy is shown if the site file declares what the DASD can sustain (log_peak_mb_s)."
---*/
SELECT lpar, qmgr, 'created' AS series, interval_start_utc, interval_seconds, log_created_mib_per_s AS value,
  NULL::DOUBLE AS log_peak_mb_s, '' AS judged_by
FROM log
UNION ALL
SELECT lpar, qmgr, 'written to the busier copy' AS series, interval_start_utc, interval_seconds, busier_copy_mib_per_s AS value,
  log_peak_mb_s, 'LG028' AS judged_by
FROM log_site
WHERE log_peak_mb_s IS NOT NULL
