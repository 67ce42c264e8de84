/*---
id       = "plan/buffer_pool_what_if"
title    = "A buffer pool with another size"
question = "What if the pool had more or fewer buffers?"
subject  = "buffer_pool"
needs    = ["buffer_pool"]
holds    = "All levels; pools above the 2 GB bar from MQ 8.0."
source   = "MP16, 'Buffer pools' (limits at 15 % and 5 % free) and 'Example of a badly tuned buffer pool'"
result   = "intervals_below_15"
note     = "Set buffers=N, or buffer_pool[3].buffers=N for one pool. In an interval in which the pool reached a limit it would have used more, so for a larger size the intervals are the least that would remain. How many page set reads a larger pool would avoid is not in SMF records."

[coverage]
least = 0.25
unit  = "h"
why   = "the use of a shorter time is not reliable"

[parameter.buffers]
unit     = "buffers"
measured = "buffers in the last interval"
doc      = "Buffers of the pool: set the size to try."
remedy   = "collect statistics class 1, or set buffers=20000"
least    = 100
most     = 999999999

[parameter.buffers_now]
unit     = "buffers"
measured = "buffers in the last interval"
doc      = "Buffers of the pool in the data, to compare with."
optional = true
least    = 1

[parameter.uses]
unit     = "tally"
measured = "highest number of buffers in use of each interval"
doc      = "Buffers in use in each interval."
remedy   = "collect statistics class 1"

[parameter.limited_intervals]
unit     = "count"
measured = "intervals with deferred or synchronous writes, without a stealable buffer, or below 15 % free"
doc      = "Intervals in which the pool reached a limit, so that its true use is not known."
optional = true

[step.intervals]
unit    = "count"
label   = "intervals"
formula = "all intervals but the first after a start"

[step.highest_use]
unit    = "buffers"
label   = "highest use"
formula = "the most buffers in use in any interval"

[step.lowest_free]
unit    = "percent"
label   = "lowest free"
formula = "100 * (buffers - highest use) / buffers"

[step.intervals_below_15]
unit    = "count"
label   = "intervals below 15 % free"
formula = "intervals with more than 85 % of the buffers in use"

[step.intervals_below_5]
unit    = "count"
label   = "intervals below 5 % free"
formula = "intervals with more than 95 % of the buffers in use"

[step.pool_mib]
unit    = "mib"
label   = "size"
formula = "buffers * 4 KiB"

[step.more_mib]
unit    = "mib"
label   = "more storage than now"
formula = "(buffers - buffers now) * 4 KiB"

[answer.as_it_is]
text = "The pool has {buffers:,.0f} buffers: below 15 % free in {intervals_below_15} of {intervals} interval[s], below 5 % in {intervals_below_5}<<, at a limit in {limited_intervals:.0f}>>. Highest use: {highest_use:,.0f}. Set buffers=N to try another size."

[answer.does_not_fit]
text = "{buffers:,.0f} buffers do not fit: {highest_use:,.0f} were in use at the peak<<, of the {buffers_now:,.0f} that the pool has>>. The pool would have been below 5 % free in {intervals_below_5} of {intervals} interval[s]."

[answer.at_least]
text = "With {buffers:,.0f} buffers the pool would have been below 15 % free in at least {intervals_below_15} of {intervals} interval[s], and below 5 % in at least {intervals_below_5}. The pool reached a limit in {limited_intervals:.0f} interval[s], so what it would have used then is not known: this is the least."

[answer.too_small]
text = "With {buffers:,.0f} buffers the pool would have been below 15 % free in {intervals_below_15} of {intervals} interval[s], and below 5 % in {intervals_below_5}, with {lowest_free:,.1f} % free at worst."

[answer.fits]
text = "With {buffers:,.0f} buffers no interval would have been below 15 % free: the lowest of {intervals} would have been {lowest_free:,.1f} %."

[answer.still_large]
text = "With {buffers:,.0f} buffers less than half would have been in use at any time: at most {highest_use:,.0f}. The pool could be smaller still."
---*/
SELECT
  lpar, qmgr, pool_id AS subject,
  sum(seconds) / 3600                        AS covered,
  max(last_buffers)                          AS buffers,
  max(last_buffers)                          AS buffers_now,
  string_agg(highest_used || ':' || intervals, ' ' ORDER BY highest_used) AS uses,
  sum(limited)                               AS limited_intervals
FROM (
  SELECT
    lpar, qmgr, pool_id, highest_used,
    count(*)                                 AS intervals,
    sum(interval_seconds)                    AS seconds,
    max(last_buffers)                        AS last_buffers,
    count(*) FILTER (lowest_free_pct < 15 OR deferred_write_starts > 0 OR synchronous_write_hits > 0 OR no_buffer_waits > 0) AS limited
  FROM (
    SELECT *, last_value(buffers) OVER (PARTITION BY lpar, qmgr, pool_id ORDER BY interval_start_utc, record_id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS last_buffers
    FROM buffer_pool
    WHERE buffers > 0 AND highest_used IS NOT NULL AND settled(interval_seconds, startup_interval)
  )
  GROUP BY lpar, qmgr, pool_id, highest_used
)
GROUP BY lpar, qmgr, pool_id;

WITH
listed AS (
  SELECT
    *,
    list_transform(string_split(uses, ' '), lambda pair: split_part(pair, ':', 1)::DOUBLE) AS used_list,
    list_transform(string_split(uses, ' '), lambda pair: split_part(pair, ':', 2)::DOUBLE) AS count_list
  FROM plan_input
),
-- One row for each value, without a window: the sums of a list are exact.
counted AS (
  SELECT
    *,
    list_sum(count_list)::BIGINT    AS intervals,
    list_max(used_list)             AS highest_use,
    list_sum(list_transform(list_zip(used_list, count_list), lambda pair: CASE WHEN round(pair[1] - 0.85 * buffers, 6) > 0 THEN pair[2] ELSE 0 END))::BIGINT AS intervals_below_15,
    list_sum(list_transform(list_zip(used_list, count_list), lambda pair: CASE WHEN round(pair[1] - 0.95 * buffers, 6) > 0 THEN pair[2] ELSE 0 END))::BIGINT AS intervals_below_5
  FROM listed
)
SELECT
  lpar, qmgr, subject, intervals, highest_use, pct(buffers - highest_use, buffers) AS lowest_free,
  CASE WHEN buffers IS NOT NULL THEN intervals_below_15 END AS intervals_below_15,
  CASE WHEN buffers IS NOT NULL THEN intervals_below_5 END  AS intervals_below_5,
  pages_mib(buffers) AS pool_mib, pages_mib(buffers - buffers_now) AS more_mib,
  CASE
    WHEN buffers IS NULL OR intervals IS NULL THEN NULL
    WHEN buffers = buffers_now THEN 'as_it_is'
    WHEN buffers < highest_use THEN 'does_not_fit'
    WHEN limited_intervals > 0 THEN 'at_least'
    WHEN intervals_below_15 > 0 THEN 'too_small'
    WHEN highest_use < 0.5 * buffers THEN 'still_large'
    ELSE 'fits'
  END AS answer
FROM counted;
