/*---
id       = "plan/buffer_pool_zero"
title    = "Buffer pool 0"
question = "How many buffers do the object definitions need in pool 0?"
subject  = "qmgr"
needs    = ["buffer_pool"]
holds    = "All levels; pools above the 2 GB bar from MQ 8.0."
source   = "MP16, 'Impact of number of objects defined' and 'Buffer pool usage'; MP16, 'Effect of the number of objects defined on start up time'"
result   = "pages_needed"
note     = "The estimates differ: for 14,484 objects 9407 pages by the bytes of local queues and 7242 by half of the objects, and 1230 buffers were seen in use. Reads of pool 0 in normal work decide. The number of objects is not in SMF."

[parameter.objects]
unit   = "count"
doc    = "Objects of the queue manager of all types."
remedy = "count the lines of DISPLAY QUEUE(*), CHANNEL(*), ... and set objects=14000"
least  = 1

[parameter.local_queues]
unit     = "count"
doc      = "Local queues among them."
optional = true
remedy   = "count the lines of DISPLAY QLOCAL(*) and set local_queues=5000"

[parameter.buffers]
unit     = "buffers"
measured = "buffers in the last interval"
doc      = "Buffers of pool 0 now."
optional = true
remedy   = "collect statistics class 1, or set buffers=50000"

[parameter.used]
unit     = "buffers"
measured = "highest number of buffers in use in any interval"
doc      = "Buffers of pool 0 in use at the peak."
optional = true

[parameter.reads]
unit     = "pages"
measured = "pages read in all intervals but the first after a start"
doc      = "Pages read into pool 0."
optional = true

[parameter.queue_bytes]
unit    = "bytes"
doc     = "Bytes that the definition of a local queue takes."
default = 2660
source  = "MP16, 'Impact of number of objects defined'"
least   = 1

[parameter.production]
unit    = "buffers"
doc     = "Buffers of pool 0 that a production system should begin with."
default = 50000
source  = "MP16, 'Buffer pool usage'"

[step.pages_by_objects]
unit    = "pages"
label   = "pages by the number of objects"
formula = "objects / 2, rounded up"

[step.pages_by_queues]
unit    = "pages"
label   = "pages by the number of local queues"
formula = "local queues * bytes of a definition / 4096, rounded up"

[step.pages_needed]
unit    = "buffers"
label   = "buffers needed"
formula = "the larger of both"

[step.buffers_to_set]
unit    = "buffers"
label   = "buffers to set"
formula = "the largest of the buffers needed, those to begin with, and twice the present number if pages were read"

[answer.reads]
text = "Pool 0 read {reads:,.0f} page[s] in normal work, so it is too small: {pages_needed} buffers hold the definitions of {objects:,.0f} object[s]<<; it has {buffers:,.0f}>>."
do   = ["ALTER BUFFPOOL(0) BUFFERS({buffers_to_set}) LOCATION(ABOVE)"]

[answer.larger]
text = "{pages_needed} buffers hold the definitions of {objects:,.0f} object[s]; pool 0 has {buffers:,.0f}. Begin with {production:,.0f}."
do   = ["ALTER BUFFPOOL(0) BUFFERS({buffers_to_set}) LOCATION(ABOVE)"]

[answer.enough]
text = "Pool 0 is large enough: {pages_needed} buffers hold the definitions of {objects:,.0f} object[s], it has {buffers:,.0f}<<, and {used:,.0f} were in use at the peak>>."

[answer.needed]
text = "{pages_needed} buffers hold the definitions of {objects:,.0f} object[s]; begin with {production:,.0f} for production."
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  arg_max(buffers, interval_start_utc)             AS buffers,
  max(highest_used)                                AS used,
  at_peak(interval_start_local, highest_used, interval_start_utc)      AS used_at,
  sum(pages_read)                                  AS reads
FROM buffer_pool
WHERE pool_id = 0 AND buffers > 0 AND settled(interval_seconds, startup_interval)
GROUP BY lpar, qmgr;

WITH counted AS (
  SELECT *, ceil(objects / 2)::BIGINT AS pages_by_objects, ceil(local_queues * queue_bytes / 4096)::BIGINT AS pages_by_queues
  FROM plan_input
),
needed AS (
  SELECT *, CASE WHEN objects IS NOT NULL THEN greatest(pages_by_objects, pages_by_queues) END AS pages_needed
  FROM counted
)
SELECT
  lpar, qmgr, subject, pages_by_objects, pages_by_queues, pages_needed,
  greatest(CASE WHEN reads > 0 THEN 2 * buffers END, pages_needed, production)::BIGINT AS buffers_to_set,
  CASE
    WHEN pages_needed IS NULL OR production IS NULL THEN NULL
    WHEN reads > 0 THEN 'reads'
    WHEN buffers >= pages_needed THEN 'enough'
    WHEN buffers < pages_needed THEN 'larger'
    ELSE 'needed'
  END AS answer
FROM needed;
