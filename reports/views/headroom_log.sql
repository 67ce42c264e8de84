/*---
id      = "headroom_log"
title   = "Use of the log"
grain   = "one row per lpar, qmgr, interval and limit"
needs   = ["log", "log_site", "site_input"]
classes = ["115.1"]
note    = "Helper of view headroom: intervals of at least 10 seconds that are not startup intervals. The volume of a day is that of the 24 hours before the end of the interval, or of the part of them that the data covers."

[columns]
used_value = { unit = "number", doc = "Use in the unit of the limit." }
limit_value = { unit = "number", doc = "The limit; null if it is not known or there is none." }
---*/
WITH volume AS (
  SELECT
    lpar, qmgr, record_id, interval_start_utc, interval_start_local, interval_seconds, startup_interval, logger_task_busy_pct,
    sum(log_mib_created) OVER (
      PARTITION BY lpar, qmgr ORDER BY interval_start_utc RANGE BETWEEN INTERVAL 86399 SECONDS PRECEDING AND CURRENT ROW
    ) AS log_mib_in_a_day
  FROM log
)
SELECT
  q.lpar, q.qmgr, q.interval_start_utc, q.interval_start_local, q.interval_seconds,
  unnest([12, 15, 16]::BIGINT[])                                                     AS limit_number,
  NULL::VARCHAR                                                            AS limit_subject,
  NULL::VARCHAR                                                            AS limit_owner,
  unnest([q.logger_task_busy_pct::DOUBLE, r.busier_copy_mib_per_s, q.log_mib_in_a_day]) AS used_value,
  unnest([100::DOUBLE, nullif(r.log_peak_mb_s, 0), nullif(s.active_logs * s.active_log_mb, 0)]) AS limit_value,
  NULL::BIGINT                                                             AS limit_events,
  unnest([true, true, false])                                              AS limit_ends_service,
  unnest([
    'product', CASE WHEN r.log_peak_mb_s > 0 THEN 'site file' END, CASE WHEN s.active_logs * s.active_log_mb > 0 THEN 'site file' END
  ])                                                                       AS limit_source,
  unnest([
    NULL, CASE WHEN r.log_peak_mb_s > 0 THEN NULL ELSE 'log_peak_mb_s is not in the site file' END,
    CASE WHEN s.active_logs * s.active_log_mb > 0 THEN NULL ELSE 'active_logs and active_log_mb are not in the site file' END
  ])                                                                       AS limit_note
FROM volume AS q
JOIN log_site AS r ON r.record_id = q.record_id
LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
WHERE q.interval_seconds >= 10 AND NOT coalesce(q.startup_interval, false)
