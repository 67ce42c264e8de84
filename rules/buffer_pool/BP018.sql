/*---
id          = "BP018"
name        = "growable-queue-in-pool-zero"
title       = "Application, dead-letter or command queue shares pool 0 with the object definitions"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "queue"]
over        = "group"
needs_any   = [["buffer_pool_zero.growable", "buffer_pool_zero.grown_pages"]]
prints      = ["buffer_pool_zero.place", "buffer_pool_zero.depth_high", "buffer_pool_zero.cluster_transmission", "buffer_pool_zero.page_set_id", "buffer_pool_zero.pool_id", "buffer_pool_zero.message_pages"]
judge       = "any interval"
worst       = "highest"
breach_when = "application or deep or grown"
judged_when = "application_queue IS NOT NULL OR transmission_depth IS NOT NULL OR grown_pages IS NOT NULL"
mq_since    = "9.0.0"
look        = ["DISPLAY USAGE TYPE(PAGESET) PSID(0)", "DISPLAY QLOCAL(*) PSID(0) CURDEPTH STGCLASS"]

[threshold.transmission_depth_max]
value = 1000
unit  = "count"
kind  = "judgement"
why   = "cluster transmission queues may be in the pool of the system objects, only a backlog does harm"

[threshold.page_set_zero_growth_max]
value = 1000
unit  = "pages"
kind  = "judgement"
why   = "object definitions do not grow so fast, messages do; only evaluated if there are no queue statistics to name the queue"

[clause.application]
when    = "application_queue is true"
missing = "fails"
measure = "messages on an application queue"
text    = "application queue with up to {depth_high} message[s]"
clear   = "no queue that can grow"

[clause.deep]
when    = "transmission_depth > transmission_depth_max"
missing = "fails"
measure = "message[s] on a cluster transmission queue"

[clause.grown]
when    = "grown_pages > page_set_zero_growth_max"
missing = "fails"
measure = "growth of page set 0"
text    = "page set 0 grew by {value}"

[source]
cite = "MP16, 'Buffer pool usage' (points 1 and 4) and 'Example of a badly tuned buffer pool'"
kind = "documented"

[advice]
summary = "{what}: if it grows, it displaces object definitions and SYSTEM.CHANNEL.SYNCQ from the pool, and the whole queue manager slows down."
remedy  = "Give the queue, or its model queue, a storage class with another page set and pool (STGCLASS of the queue, PSID of the storage class), and SYSTEM.COMMAND.REPLY.MODEL too."
report  = "buffer_pool/map"
---*/
SELECT
  lpar, qmgr, queue, interval_start_utc, interval_seconds, record_id,
  place                     AS subject,
  coalesce(grown_pages, depth_high, 0) AS observed,
  depth_high, grown_pages,
  CASE WHEN queue IS NOT NULL AND cluster_transmission THEN depth_high END AS transmission_depth,
  CASE WHEN queue IS NOT NULL AND cluster_transmission IS NOT TRUE THEN growable END AS application_queue,
  CASE
    WHEN queue IS NULL THEN format('Page set 0 holds {:,} pages of data, {:,} more than in the smallest earlier interval', message_pages, grown_pages)
    ELSE 'Queue ' || queue || ' is on page set ' || page_set_id || ' in buffer pool ' || pool_id
      || coalesce(format(', with up to {:,} messages', depth_high), '')
  END                       AS what
FROM buffer_pool_zero
