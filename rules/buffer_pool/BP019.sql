/*---
id          = "BP019"
name        = "message-lifetimes-mixed-in-one-pool"
title       = "A pool holds both short-lived and long-lived messages"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "pool_id"]
needs       = ["buffer_pool_lifetime.time_on_queue_checkpoints", "buffer_pool_lifetime.oldest_message_checkpoints"]
prints      = ["buffer_pool_lifetime.queue", "buffer_pool_lifetime.depth", "buffer_pool_lifetime.put_share_pct", "buffer_pool_lifetime.period_minutes_per_checkpoint"]
judge       = "share >= 25 %"
worst       = "highest"
breach_when = "old and fast"
leaves_out  = "queues with less than put_share_pct_min % of the puts"
mq_since    = "9.3.1"
look        = ["DISPLAY QLOCAL({long_queue}) PSID STGCLASS CURDEPTH", "DISPLAY QLOCAL({short_queue}) PSID STGCLASS CURDEPTH"]

[threshold.long_checkpoints]
value = 2
unit  = "ratio"
kind  = "documented"
why   = "pages that were changed two checkpoints ago are written to DASD"

[threshold.short_checkpoints]
value = 1
unit  = "ratio"
kind  = "judgement"
why   = "messages that stay for less than one checkpoint interval need not be written to DASD"

[threshold.put_share_pct_min]
value = 5.0
unit  = "percent"
kind  = "judgement"
why   = "a queue with hardly any traffic does not matter for the pool"

[threshold.long_depth_min]
value = 100
unit  = "count"
kind  = "judgement"
why   = "a few old messages take too little space to act on"

[clause.old]
when    = "observed > long_checkpoints"
measure = "age of the oldest message in checkpoint intervals"
text    = "oldest message {value} checkpoint intervals old"

[clause.fast]
when    = "shortest < short_checkpoints"
measure = "shortest time on a queue in checkpoint intervals"

[source]
cite = "MP16, 'Page set usage', 'Buffer pool usage' (points 2 and 3) and 'How many DWP tasks are there?'"

[advice]
summary = "Buffer pool {pool_id} holds messages of queue {long_queue} that are up to {observed:.1f} checkpoint intervals old (limit {long_checkpoints}) and messages of queue {short_queue} that stay for {shortest:.2f} checkpoint intervals (limit {short_checkpoints}); there was a checkpoint every {period_minutes_per_checkpoint:.0f} minute[s]."
remedy  = "Long-lived messages are written to DASD and take buffers from the short-lived ones. Give the two kinds different storage classes, page sets and pools."
report  = "buffer_pool/lifespan"
---*/
WITH pool AS (
  SELECT
    lpar, qmgr, pool_id, interval_start_utc,
    min(interval_seconds)               AS interval_seconds,
    min(record_id)                      AS record_id,
    min(period_minutes_per_checkpoint)  AS period_minutes_per_checkpoint,
    min(time_on_queue_checkpoints)      AS shortest,
    arg_min(queue, (time_on_queue_checkpoints, queue)) FILTER (time_on_queue_checkpoints IS NOT NULL) AS short_queue,
    -- Old messages left on a fast queue do not make it a queue of long-lived messages; a null time counts as long.
    max(CASE WHEN coalesce(time_on_queue_checkpoints >= $short_checkpoints, true) AND depth >= $long_depth_min
      THEN oldest_message_checkpoints END) AS oldest,
    arg_max(queue, CASE WHEN coalesce(time_on_queue_checkpoints >= $short_checkpoints, true)
      AND depth >= $long_depth_min THEN oldest_message_checkpoints END) AS long_queue
  FROM buffer_pool_lifetime
  WHERE put_share_pct >= $put_share_pct_min
  GROUP BY lpar, qmgr, pool_id, interval_start_utc
)
SELECT
  lpar, qmgr, pool_id, interval_start_utc, interval_seconds, record_id,
  'buffer pool ' || pool_id AS subject,
  coalesce(oldest, 0)       AS observed,
  shortest, short_queue, long_queue, period_minutes_per_checkpoint
FROM pool
