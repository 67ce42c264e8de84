/*---
id      = "chinit_memlimit"
title   = "64-bit storage limit of the channel initiator over the period"
grain   = "one row per lpar and qmgr with channel initiator records of 9.4.0 and later"
needs   = ["decoded.qcct", "chinit_continuation"]
classes = ["115.231"]
mq_since = "9.4.0"
note    = "Helper of the rules about MEMLIMIT. Before 9.4.0 the limit does not matter, because client buffers are below the bar."

[columns]
intervals_seen = { unit = "count", doc = "Channel initiator intervals of 9.4.0 and later.", over = "add" }
lowest_limit_mib = { unit = "mib", doc = "Lowest limit in the period; null if none was set.", over = "min" }
lowest_limit_at_utc = { unit = "ts_utc", doc = "Start of the first interval with the lowest limit." }
lowest_limit_record_id = { unit = "id", doc = "Record of that interval." }
highest_64_mib = { unit = "mib", doc = "Largest amount of 64-bit storage in use.", over = "max" }
unlimited_intervals = { unit = "count", doc = "Intervals in which there was no limit.", over = "add" }
unlimited_at_utc = { unit = "ts_utc", doc = "Start of the first interval without a limit." }
unlimited_record_id = { unit = "id", doc = "Record of that interval." }
---*/
WITH known AS (
  SELECT lpar, qmgr, record_id, interval_start_utc, chinit_64_mib, nullif(chinit_64_limit_mib, 0) AS limit_mib, chinit_64_limit_mib_no_limit AS no_limit
  FROM decoded.qcct
  ANTI JOIN chinit_continuation USING (record_id)
  -- Levels are compared by number, never as text.
  WHERE 10000 * try_cast(split_part(mq_version, '.', 1) AS INTEGER) + 100 * try_cast(split_part(mq_version, '.', 2) AS INTEGER) >= 90400
)
SELECT
  lpar, qmgr,
  count(*)                                                        AS intervals_seen,
  min(limit_mib)                                                  AS lowest_limit_mib,
  min({'mib': limit_mib, 'at': interval_start_utc, 'record': record_id}) FILTER (limit_mib IS NOT NULL)['at']     AS lowest_limit_at_utc,
  min({'mib': limit_mib, 'at': interval_start_utc, 'record': record_id}) FILTER (limit_mib IS NOT NULL)['record'] AS lowest_limit_record_id,
  max(chinit_64_mib)                                              AS highest_64_mib,
  count(*) FILTER (no_limit)                                      AS unlimited_intervals,
  min(interval_start_utc) FILTER (no_limit)                       AS unlimited_at_utc,
  arg_min(record_id, interval_start_utc) FILTER (no_limit)        AS unlimited_record_id
FROM known
GROUP BY lpar, qmgr
