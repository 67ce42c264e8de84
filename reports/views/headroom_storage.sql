/*---
id      = "headroom_storage"
title   = "Use of the storage of the queue manager"
grain   = "one row per lpar, qmgr, interval and limit"
needs   = ["storage_region"]
classes = ["115.7"]
note    = "Helper of view headroom: intervals of at least 10 seconds that are not startup intervals. The 31-bit limit is the region without the short-on-storage reserve, the 64-bit limit is MEMLIMIT without the cushion. Memory objects are not compared with MEMLIMIT: most of them do not count for it."

[columns]
used_value = { unit = "number", doc = "Use in the unit of the limit." }
limit_value = { unit = "number", doc = "The limit; null if it is not known or there is none." }
---*/
SELECT
  lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds,
  unnest([3, 4]::BIGINT[])                                                           AS limit_number,
  NULL::VARCHAR                                                            AS limit_subject,
  NULL::VARCHAR                                                            AS limit_owner,
  unnest([used_31_bytes, used_64_bytes]) / 1048576                         AS used_value,
  unnest([
    region_31_bytes - sos_reserve_31_bytes, CASE WHEN memlimit_set THEN memlimit_mib * 1048576 - cushion_64_bytes END
  ]) / 1048576                                                             AS limit_value,
  NULL::BIGINT                                                             AS limit_events,
  true                                                                     AS limit_ends_service,
  unnest(['record', CASE WHEN memlimit_set THEN 'record' ELSE 'no limit' END]) AS limit_source,
  unnest([NULL, CASE WHEN NOT memlimit_set THEN 'no MEMLIMIT' END])        AS limit_note
FROM storage_region
WHERE interval_seconds >= 10 AND NOT coalesce(startup_interval, false)
