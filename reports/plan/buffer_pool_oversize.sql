/*---
id       = "plan/buffer_pool_oversize"
title    = "A buffer pool larger than its page set"
question = "How large must this pool be never to write synchronously?"
subject  = "buffer_pool"
needs    = ["buffer_pool", "storage_region"]
holds    = "Pools above the 2 GB bar, MQ 8.0 and later."
source   = "MP16, 'Oversized buffer pools'"
result   = "pool_pages"
note     = "Only for a pool with one page set that keeps reaching the synchronous write threshold (95 % in use). The buffers need real storage; when the page set expands, the pool is too small again."

[coverage]
least = 0.25
unit  = "h"
why   = "one interval with synchronous writes is no pattern"

[parameter.page_set_pages]
unit     = "pages"
measured = "pages of the page sets of the pool in the last interval"
doc      = "Pages of the page set that uses the pool."
remedy   = "collect statistics class 2 with MQ 9.0 or later, or set page_set_pages=1040334"
least    = 1

[parameter.page_sets]
unit     = "count"
measured = "page sets of the pool in the last interval"
doc      = "Page sets that use the pool."
default  = 1
source   = "MP16, 'Oversized buffer pools': the figure is for one page set"

[parameter.buffers]
unit     = "buffers"
measured = "buffers in the last interval"
doc      = "Buffers of the pool now."
optional = true
remedy   = "collect statistics class 1, or set buffers=20000"

[parameter.synchronous_intervals]
unit     = "count"
measured = "intervals in which the pool reached the synchronous write threshold"
doc      = "Intervals in which applications wrote pages themselves."
optional = true

[parameter.storage_left]
unit     = "mib"
measured = "least storage above the bar that was left of MEMLIMIT"
doc      = "Storage above the bar that the queue manager can still have."
optional = true

[parameter.cover]
unit    = "percent"
doc     = "Size of the pool as a share of its page set."
default = 105
source  = "MP16, 'Oversized buffer pools': 5 % more than the page set"
least   = 100

[step.pool_pages]
unit    = "buffers"
label   = "buffers needed"
formula = "share * pages of the page set, rounded up"

[step.buffers_to_set]
unit    = "buffers"
label   = "buffers to set"
formula = "the same in whole 4 MiB"

[step.pool_mib]
unit    = "mib"
label   = "storage for them"
formula = "buffers needed * 4 KiB"

[step.storage_to_set]
unit    = "mib"
label   = "storage for the buffers to set"
formula = "buffers to set * 4 KiB"

[step.more_mib]
unit    = "mib"
label   = "more storage than now"
formula = "(buffers needed - buffers) * 4 KiB"

[answer.several]
text = "{page_sets:.0f} page sets use the pool; this way of sizing is for a pool with one page set. Give the busiest page set a pool of its own first."
do   = ["DISPLAY USAGE TYPE(PAGESET)"]

[answer.enough]
text = "The pool is large enough: its {buffers:,.0f} buffers are at least {cover:,.0f} % of the {page_set_pages:,.0f} pages of its page set."

[answer.not_needed]
text = "The pool never reached the synchronous write threshold, so it need not hold its whole page set. {pool_pages} buffers ({pool_mib:,.0f} MiB) would; it has {buffers:,.0f}."

[answer.enlarge]
text = "{pool_pages} buffers ({pool_mib:,.0f} MiB) hold {cover:,.0f} % of the page set<<; the pool has {buffers:,.0f}>><< and reached the synchronous write threshold in {synchronous_intervals:.0f} interval[s]>>. Make sure that the LPAR has the real storage."
do   = ["ALTER BUFFPOOL({subject}) BUFFERS({buffers_to_set}) LOCATION(ABOVE)", "This holds the whole page set, in whole 4 MiB; a larger pool gains nothing. It takes {storage_to_set:,.0f} MiB above the bar.<< At least {storage_left:,.0f} MiB were left there.>> Change CSQINP1 too."]

[answer.no_room]
text = "{buffers_to_set} buffers ({storage_to_set:,.0f} MiB) hold {cover:,.0f} % of the page set, but only {storage_left:,.0f} MiB were left above the bar."
do   = ["Buffers for the whole page set for pool {subject} take {storage_to_set:,.0f} MiB above the bar, but only {storage_left:,.0f} MiB were left: raise MEMLIMIT in the JCL of the queue manager first."]
---*/
WITH storage AS (
  SELECT lpar, qmgr, min(available_64_mib) AS storage_left FROM storage_region GROUP BY lpar, qmgr
)
SELECT
  p.lpar, p.qmgr, pool_id AS subject,
  sum(interval_seconds) / 3600                                    AS covered,
  arg_max(page_set_pages_on_pool, interval_start_utc)             AS page_set_pages,
  arg_max(page_sets_on_pool, interval_start_utc)                  AS page_sets,
  arg_max(buffers, interval_start_utc)                            AS buffers,
  count(*) FILTER (synchronous_write_hits > 0)                    AS synchronous_intervals,
  min(storage_left)                                               AS storage_left
FROM buffer_pool AS p
LEFT JOIN storage AS s ON s.lpar = p.lpar AND s.qmgr = p.qmgr
WHERE buffers > 0 AND settled(interval_seconds, startup_interval)
GROUP BY p.lpar, p.qmgr, pool_id
HAVING max(page_sets_on_pool) > 0;

WITH sized AS (
  SELECT *, ceil(round(page_set_pages * cover / 100, 6))::BIGINT  AS pool_pages
  FROM plan_input
),
whole AS (
  SELECT *, ceil(pool_pages / 1024)::BIGINT * 1024 AS buffers_to_set
  FROM sized
)
SELECT
  lpar, qmgr, subject, pool_pages, buffers_to_set, pages_mib(pool_pages) AS pool_mib, pages_mib(pool_pages - buffers) AS more_mib, pages_mib(buffers_to_set) AS storage_to_set,
  CASE
    WHEN pool_pages IS NULL OR page_sets IS NULL THEN NULL
    WHEN page_sets > 1 THEN 'several'
    WHEN buffers >= pool_pages THEN 'enough'
    WHEN synchronous_intervals = 0 AND buffers IS NOT NULL THEN 'not_needed'
    WHEN pages_mib(buffers_to_set) >= storage_left THEN 'no_room'
    ELSE 'enlarge'
  END AS answer
FROM whole;
