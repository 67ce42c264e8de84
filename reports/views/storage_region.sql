/*---
id      = "storage_region"
title   = "Storage of the queue manager address space"
grain   = "one row per lpar, qmgr and interval"
needs   = ["decoded.qsrs", "interval_cut", "queue_sharing_group"]
classes = ["115.7"]
note    = "The storage in use below MEMLIMIT is MEMLIMIT minus what is available. Memory objects also count storage that MEMLIMIT does not limit: they can be larger than MEMLIMIT."

[columns]
user_24_bytes_before = { over_time = "first", across = "add" }
system_24_bytes_before = { over_time = "first", across = "add" }
user_31_bytes_before = { over_time = "first", across = "add" }
system_31_bytes_before = { over_time = "first", across = "add" }
available_31_bytes = { over = "min", label = "31-bit available" }
available_64_bytes = { over = "min", label = "64-bit available" }
cushion_64_bytes = { doc = "64-bit cushion; null if there is no MEMLIMIT.", label = "64-bit cushion bytes" }
used_31_bytes = { unit = "bytes", doc = "31-bit region in use.", over_time = "max", across = "add", label = "31-bit used" }
used_31_pct = { unit = "percent", doc = "Share of the 31-bit region in use.", over = "max", label = "31-bit used %", screen = 1 }
free_above_sos_bytes = { unit = "bytes", doc = "31-bit storage left before the short-on-storage reserve is touched.", over = "min", label = "free above SOS bytes" }
allocated_31_bytes = { unit = "bytes", doc = "31-bit user and system storage allocated.", over_time = "last", across = "add" }
growth_31_bytes = { unit = "bytes", doc = "Growth of 31-bit user and system storage since the previous record; null in the first record after a start.", over = "add", label = "31-bit grown", screen = 2 }
memlimit_set = { unit = "flag", doc = "MEMLIMIT limits the 64-bit storage; without it the 64-bit percentages are null.", label = "MEMLIMIT set", screen = 3 }
used_64_bytes = { unit = "bytes", doc = "64-bit storage in use below MEMLIMIT.", over_time = "max", across = "add", label = "64-bit used" }
used_64_pct = { unit = "percent", doc = "64-bit storage in use, as a share of MEMLIMIT.", over = "max", label = "64-bit used %", screen = 1 }
available_31_mib = { unit = "mib", doc = "31-bit storage still available.", over = "min", label = "31-bit free MiB", screen = 1 }
available_64_mib = { unit = "mib", doc = "64-bit storage still available below MEMLIMIT.", over = "min", label = "64-bit free MiB", screen = 1 }
sos_reserve_31_mib = { unit = "mib", doc = "31-bit short-on-storage reserve.", over_time = "last", across = "same", label = "SOS reserve MiB", screen = 2 }
free_above_sos_mib = { unit = "mib", doc = "31-bit storage left before the short-on-storage reserve is touched.", over = "min", label = "free above SOS MiB", screen = 1 }
cushion_64_mib = { unit = "mib", doc = "64-bit cushion; null if there is no MEMLIMIT.", over_time = "last", across = "same", label = "64-bit cushion MiB", screen = 2 }
available_31_pct = { unit = "percent", doc = "31-bit storage still available, as a share of the region.", over = "min" }
available_64_pct = { unit = "percent", doc = "64-bit storage still available, as a share of MEMLIMIT.", over = "min" }
---*/
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  q.global_fixed_pool_bytes, q.global_variable_pool_bytes, q.local_fixed_pool_bytes, q.local_variable_pool_bytes,
  q.getmained_bytes, q.stack_bytes, q.region_24_bytes, q.region_24_limit_bytes, q.user_24_bytes,
  q.user_24_bytes_before, q.system_24_bytes, q.system_24_bytes_before, q.region_31_bytes, q.region_31_limit_bytes,
  q.user_31_bytes, q.user_31_bytes_before, q.system_31_bytes, q.system_31_bytes_before, q.smf_limit_31_bytes,
  q.available_31_bytes, q.mvs_reserve_31_bytes, q.critical_reserve_31_bytes, q.sos_reserve_31_bytes, q.memlimit_mib,
  q.memlimit_source, q.memory_object_bytes, q.usable_64_bytes_high, q.memory_objects, q.backed_frames,
  q.available_64_bytes, q.cushion_64_bytes, q.smds_64_bytes, q.latch_waits_global_fixed,
  q.latch_waits_global_variable, q.latch_waits_local_fixed, q.latch_waits_local_variable, q.latch_waits_getmain,
  q.region_31_bytes - q.available_31_bytes                       AS used_31_bytes,
  pct(q.region_31_bytes - q.available_31_bytes, q.region_31_bytes) AS used_31_pct,
  q.available_31_bytes - q.sos_reserve_31_bytes                  AS free_above_sos_bytes,
  q.user_31_bytes + q.system_31_bytes                            AS allocated_31_bytes,
  -- The first record after a start has no previous record: its values before are 0.
  CASE WHEN q.user_31_bytes_before > 0
    THEN (q.user_31_bytes + q.system_31_bytes) - (q.user_31_bytes_before + q.system_31_bytes_before)
  END                                                            AS growth_31_bytes,
  NOT q.memlimit_mib_no_limit                                    AS memlimit_set,
  q.memlimit_mib * 1048576 - q.available_64_bytes                AS used_64_bytes,
  100 * (1 - q.available_64_bytes / nullif(q.memlimit_mib * 1048576, 0)) AS used_64_pct,
  q.available_31_bytes / 1048576                                 AS available_31_mib,
  CASE WHEN NOT q.memlimit_mib_no_limit THEN q.available_64_bytes / 1048576 END AS available_64_mib,
  q.sos_reserve_31_bytes / 1048576                               AS sos_reserve_31_mib,
  (q.available_31_bytes - q.sos_reserve_31_bytes) / 1048576      AS free_above_sos_mib,
  q.cushion_64_bytes / 1048576                                   AS cushion_64_mib,
  pct(q.available_31_bytes, q.region_31_bytes)                   AS available_31_pct,
  pct(q.available_64_bytes, q.memlimit_mib * 1048576)            AS available_64_pct
FROM decoded.qsrs AS q
LEFT JOIN interval_cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
