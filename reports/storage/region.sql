/*---
id       = "storage/region"
title    = "Storage region, 31-bit and 64-bit"
question = "How much 31-bit and 64-bit storage is left in the queue manager address space, and is it going away?"
needs    = ["storage_region", "headroom"]
rules    = ["ST004", "ST005", "ST006", "ST007"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
drill_down = ["storage/pools", "storage/getmains"]
note     = "Days to short on storage are those of overview/headroom. Without MEMLIMIT the shares of 64-bit storage are empty. Memory objects also count storage that MEMLIMIT does not limit: never compare them with it."

[columns]
region_31_bytes = { label = "31-bit region" }
user_31_bytes = { label = "31-bit user" }
system_31_bytes = { label = "31-bit system" }
sos_reserve_31_bytes = { label = "SOS reserve bytes" }
critical_reserve_31_bytes = { label = "critical reserve" }
mvs_reserve_31_bytes = { label = "MVS reserve" }
region_24_bytes = { label = "24-bit region" }
user_24_bytes = { label = "24-bit user" }
system_24_bytes = { label = "24-bit system" }
memlimit_mib = { label = "MEMLIMIT MiB", screen = 1 }
memlimit_source = { label = "MEMLIMIT source" }
memory_object_bytes = { label = "memory objects" }
memory_objects = { label = "objects" }
usable_64_bytes_high = { label = "64-bit high" }
backed_frames = { label = "frames", screen = 3 }
smds_64_bytes = { label = "SMDS buffers", screen = 3 }
global_fixed_pool_bytes = { label = "global fixed pools" }
global_variable_pool_bytes = { label = "global variable pools" }
local_fixed_pool_bytes = { label = "local fixed pools" }
local_variable_pool_bytes = { label = "local variable pools" }
getmained_bytes = { label = "getmained", screen = 3 }
stack_bytes = { label = "stacks", screen = 3 }
latch_waits_global_fixed = { label = "latch global fixed" }
latch_waits_global_variable = { label = "latch global variable" }
latch_waits_local_fixed = { label = "latch local fixed" }
latch_waits_local_variable = { label = "latch local variable" }
latch_waits_getmain = { label = "latch getmain" }
days_to_sos = { unit = "days", label = "days to SOS", screen = 1, over_time = "last", across = "min", doc = "Days from the end of the data until the short-on-storage reserve is reached if the growth since the last start continues; null without steady growth and with less than 14 days of data." }
---*/
SELECT
  r.lpar, r.qmgr, r.qsg, r.interval_start_utc, r.interval_seconds, r.interval_end_utc, r.region_31_bytes, r.user_31_bytes, r.system_31_bytes, r.used_31_bytes,
  r.used_31_pct, r.available_31_bytes, r.available_31_mib, r.sos_reserve_31_bytes, r.sos_reserve_31_mib,
  r.free_above_sos_bytes, r.free_above_sos_mib, r.growth_31_bytes,
  r.critical_reserve_31_bytes, r.mvs_reserve_31_bytes, r.region_24_bytes, r.user_24_bytes, r.system_24_bytes,
  r.memlimit_set, r.memlimit_mib, r.memlimit_source, r.used_64_bytes, r.used_64_pct, r.available_64_bytes, r.available_64_mib,
  r.cushion_64_bytes, r.cushion_64_mib, r.memory_object_bytes, r.memory_objects, r.usable_64_bytes_high, r.backed_frames, r.smds_64_bytes,
  r.global_fixed_pool_bytes, r.global_variable_pool_bytes, r.local_fixed_pool_bytes, r.local_variable_pool_bytes, r.getmained_bytes,
  r.stack_bytes, r.latch_waits_global_fixed, r.latch_waits_global_variable, r.latch_waits_local_fixed, r.latch_waits_local_variable,
  r.latch_waits_getmain,
  h.days_left AS days_to_sos
FROM storage_region AS r
LEFT JOIN headroom AS h ON h.lpar = r.lpar AND h.qmgr = r.qmgr AND h.limit_number = 3
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
