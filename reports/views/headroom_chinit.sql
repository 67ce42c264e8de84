/*---
id      = "headroom_chinit"
title   = "Use of the channel initiator"
grain   = "one row per lpar, qmgr, channel initiator interval and limit"
needs   = ["channel_initiator"]
classes = ["115.231"]
mq_since = "8.0.0"
note    = "Helper of view headroom: intervals of at least 10 seconds that are not startup intervals."

[columns]
used_value = { unit = "number", doc = "Use in the unit of the limit." }
limit_value = { unit = "number", doc = "The limit; null if it is not known or there is none." }
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds,
  unnest(range(5, 12))                                                     AS limit_number,
  NULL::VARCHAR                                                            AS limit_subject,
  NULL::VARCHAR                                                            AS limit_owner,
  unnest([
    chinit_31_mib::DOUBLE, chinit_64_mib, current_channels, active_channels, adapter_average_pct, dispatcher_busiest_pct, ssl_busiest_pct
  ])                                                                       AS used_value,
  unnest([
    chinit_31_total_mib::DOUBLE, chinit_64_limit_mib, nullif(max_channels, 0), nullif(max_active_channels, 0), 100, 100, 100
  ])                                                                       AS limit_value,
  NULL::BIGINT                                                             AS limit_events,
  true                                                                     AS limit_ends_service,
  unnest([
    CASE WHEN chinit_31_total_assumed THEN 'assumed' ELSE 'site file' END,
    CASE WHEN chinit_64_limit_mib IS NULL THEN 'no limit' ELSE 'record' END, 'record', 'record', 'product', 'product', 'product'
  ])                                                                       AS limit_source,
  unnest([
    CASE WHEN chinit_31_total_assumed THEN '1466 MiB assumed: chin_31bit_total_mb is not in the site file' END,
    CASE WHEN chinit_64_limit_mib IS NULL THEN 'no MEMLIMIT' END, NULL, NULL, adapters_idle || ' of ' || adapters || ' idle', NULL, NULL
  ])                                                                       AS limit_note
FROM channel_initiator
WHERE interval_seconds >= 10 AND NOT coalesce(startup_interval, false)
