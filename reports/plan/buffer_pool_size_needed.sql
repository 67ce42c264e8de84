/*---
id       = "plan/buffer_pool_size_needed"
title    = "Size of a buffer pool"
question = "How many buffers must this pool have to keep 15 % free?"
subject  = "buffer_pool"
needs    = ["buffer_pool", "storage_region"]
holds    = "All levels; pools above the 2 GB bar from MQ 8.0."
source   = "MP16, 'Buffer pool usage', 'Interpretation of MQ statistics' and 'Example of a badly tuned buffer pool'"
result   = "buffers_needed"
note     = "Once a pool has reached a limit, the pages that it would have kept are not counted any more: then the size is the least that is needed."

[coverage]
least = 0.25
unit  = "h"
why   = "a shorter time may not have the peak"

[parameter.buffers]
unit     = "buffers"
measured = "buffers in the last interval"
doc      = "Buffers of the pool now."
remedy   = "collect statistics class 1, or set buffers=20000"
least    = 1

[parameter.used]
unit     = "buffers"
measured = "highest number of buffers in use"
doc      = "Buffers in use that the size must cover."
remedy   = "collect statistics class 1, or set used=15000"

[parameter.limited_intervals]
unit     = "count"
measured = "intervals below 15 % free, with deferred or synchronous writes, or without a stealable buffer"
doc      = "Intervals in which the pool reached a limit, so that its true use is not known."
optional = true

[parameter.exhausted_intervals]
unit     = "count"
measured = "intervals with synchronous writes or without a stealable buffer"
doc      = "Intervals in which puts waited for the pool."
optional = true

[parameter.below_bar]
unit     = "flag"
measured = "the pool was below the bar in the last interval"
doc      = "Whether the pool is below the 2 GB bar, so that all its buffers would be new above it."
optional = true

[parameter.storage_left]
unit     = "mib"
measured = "least storage above the bar that was left of MEMLIMIT"
doc      = "Storage above the bar that the queue manager can still have."
optional = true

[parameter.free_wanted]
unit    = "percent"
doc     = "Share of the buffers that must stay free."
limit   = "BP004.stealable_pct_min"
most    = 99

[step.buffers_needed]
unit    = "buffers"
label   = "buffers needed"
formula = "used / (1 - free wanted / 100), rounded up"

[step.buffers_to_set]
unit    = "buffers"
label   = "buffers to set"
formula = "the same in whole 4 MiB; if puts waited for the pool, at least half more than it has"

[step.more_mib]
unit    = "mib"
label   = "more storage above the bar"
formula = "(buffers to set - buffers that are above the bar now) * 4 KiB"

[step.free_now]
unit    = "percent"
label   = "free at that use now"
formula = "100 * (buffers - used) / buffers"

[answer.too_small]
text = "At least {buffers_needed} buffers are needed to keep {free_wanted:,.0f} % free; the pool has {buffers:,.0f} and reached a limit in {limited_intervals:.0f} interval[s], so its true use is not known: enlarge it and look again."
do   = ["ALTER BUFFPOOL({subject}) BUFFERS({buffers_to_set}) LOCATION(ABOVE)", "This is a first step, in whole 4 MiB: the records do not show how many buffers would have been enough.<< It takes {more_mib:,.0f} MiB more above the bar.>><< At least {storage_left:,.0f} MiB were left there.>> Change CSQINP1 too."]

[answer.short]
text = "At least {buffers_needed} buffers are needed to keep {free_wanted:,.0f} % free; the pool has {buffers:,.0f} and reached a limit in {limited_intervals:.0f} interval[s], so its true use is not known."
do   = ["ALTER BUFFPOOL({subject}) BUFFERS({buffers_to_set}) LOCATION(ABOVE)", "This is the highest use and {free_wanted:,.0f} % free, in whole 4 MiB: the least that is needed.<< It takes {more_mib:,.0f} MiB more above the bar.>><< At least {storage_left:,.0f} MiB were left there.>> Change CSQINP1 too."]

[answer.larger]
text = "{buffers_needed} buffers are needed to keep {free_wanted:,.0f} % free; the pool has {buffers:,.0f}, of which {free_now:,.1f} % were free at the peak."
do   = ["ALTER BUFFPOOL({subject}) BUFFERS({buffers_to_set}) LOCATION(ABOVE)", "This is the highest use and {free_wanted:,.0f} % free, in whole 4 MiB.<< It takes {more_mib:,.0f} MiB more above the bar.>><< At least {storage_left:,.0f} MiB were left there.>> Change CSQINP1 too."]

[answer.no_room]
text = "The pool needs {buffers_to_set} buffers; they take {more_mib:,.0f} MiB more above the bar, but only {storage_left:,.0f} MiB were left there."
do   = ["{buffers_to_set} buffers for pool {subject} take {more_mib:,.0f} MiB more above the bar, but only {storage_left:,.0f} MiB were left: raise MEMLIMIT in the JCL of the queue manager first."]

[answer.enough]
text = "The pool is large enough: {buffers_needed} buffers keep {free_wanted:,.0f} % free, it has {buffers:,.0f}, and {free_now:,.1f} % were free at the peak."

[answer.not_known]
text = "The pool has {buffers:,.0f} buffers, but reached a limit in {limited_intervals:.0f} interval[s]: the {buffers_needed} buffers from its use then are the least that is needed."
---*/
-- Without `settled`: the first interval after a start has its limits and its use too.
WITH storage AS (
  SELECT lpar, qmgr, min(available_64_mib) AS storage_left FROM storage_region GROUP BY lpar, qmgr
)
SELECT
  p.lpar, p.qmgr, pool_id AS subject,
  sum(interval_seconds) / 3600                                        AS covered,
  arg_max(buffers, interval_start_utc)                                AS buffers,
  max(highest_used)                                                   AS used,
  at_peak(interval_start_local, highest_used, interval_start_utc)                         AS used_at,
  count(*) FILTER (lowest_free_pct < 15 OR deferred_write_starts > 0 OR synchronous_write_hits > 0 OR no_buffer_waits > 0) AS limited_intervals,
  count(*) FILTER (synchronous_write_hits > 0 OR no_buffer_waits > 0) AS exhausted_intervals,
  arg_max(NOT above_bar, interval_start_utc)                          AS below_bar,
  min(storage_left)                                                   AS storage_left
FROM buffer_pool AS p
LEFT JOIN storage AS s ON s.lpar = p.lpar AND s.qmgr = p.qmgr
WHERE buffers > 0
GROUP BY p.lpar, p.qmgr, pool_id;

WITH sized AS (
  SELECT
    *,
    ceil(round(used / nullif(1 - free_wanted / 100, 0), 6))::BIGINT AS buffers_needed,
    pct(buffers - used, buffers)                                    AS free_now
  FROM plan_input
),
whole AS (
  SELECT
    *,
    ceil(CASE WHEN exhausted_intervals > 0 THEN greatest(buffers_needed, 1.5 * buffers) ELSE buffers_needed END / 1024)::BIGINT * 1024 AS buffers_to_set
  FROM sized
),
stored AS (
  SELECT *, pages_mib(buffers_to_set - CASE WHEN below_bar THEN 0 ELSE buffers END) AS more_mib
  FROM whole
)
SELECT
  lpar, qmgr, subject, buffers_needed, buffers_to_set, more_mib, free_now,
  CASE
    WHEN buffers_needed IS NULL OR buffers IS NULL THEN NULL
    WHEN (exhausted_intervals > 0 OR buffers_needed > buffers) AND more_mib >= storage_left THEN 'no_room'
    WHEN exhausted_intervals > 0 THEN 'too_small'
    WHEN limited_intervals > 0 AND buffers_needed > buffers THEN 'short'
    WHEN limited_intervals > 0 THEN 'not_known'
    WHEN buffers_needed > buffers THEN 'larger'
    ELSE 'enough'
  END                                                               AS answer
FROM stored;
