/*---
id      = "smds_period"
title   = "Shared message data sets over the whole period"
grain   = "one row per lpar, qmgr and CF structure with a shared message data set"
needs   = ["smds"]
classes = ["115.2"]
mq_since = "7.1.0"
note    = "Helper of the rules that judge a whole period; sizes are those of the last interval."

[columns]
smds_buffers = { doc = "Buffers in the pool, total; last interval." }
buffer_bytes = { doc = "Buffer size; last interval." }
smds_buffer_mib = { doc = "Storage of the buffers; last interval." }
at_largest = { doc = "The data set has its largest size; last interval." }
buffers_used_high = { doc = "Highest number of buffers in use in any interval." }
buffers_used_share = { unit = "ratio", doc = "Highest number of buffers in use in any interval divided by the buffers of the last interval.", over = "max" }
reads_saved_period_pct = { unit = "percent", doc = "Share of the read requests of the period that a buffer satisfied; 0 without read requests.", over = "none", why = "Without read requests it is 0, which is no quotient." }
---*/
WITH summed AS (
  SELECT
    lpar, qmgr, cf_structure,
    -- All columns come from the last row.
    max({
      'at': interval_start_utc, 'record_id': record_id, 'buffers': smds_buffers, 'bytes': buffer_bytes, 'mib': smds_buffer_mib,
      'overlapped': overlapped_buffers, 'at_largest': at_largest
    })                             AS last,
    sum(smds_allocate_requests)::BIGINT AS smds_allocate_requests,
    max(buffers_used_high)         AS buffers_used_high,
    sum(smds_read_requests)::BIGINT AS smds_read_requests,
    sum(smds_reads_saved)::BIGINT  AS smds_reads_saved
  FROM smds
  GROUP BY lpar, qmgr, cf_structure
)
SELECT
  lpar, qmgr, cf_structure,
  last['at']                                        AS interval_start_utc,
  last['record_id']                                 AS record_id,
  last['buffers']                                   AS smds_buffers,
  last['bytes']                                     AS buffer_bytes,
  last['mib']                                       AS smds_buffer_mib,
  last['overlapped']                                AS overlapped_buffers,
  last['at_largest']                                AS at_largest,
  smds_allocate_requests,
  buffers_used_high,
  buffers_used_high / nullif(last['buffers'], 0)    AS buffers_used_share,
  smds_read_requests,
  smds_reads_saved,
  CASE WHEN smds_read_requests > 0 THEN 100 * smds_reads_saved / smds_read_requests WHEN smds_read_requests = 0 THEN 0 END AS reads_saved_period_pct
FROM summed
