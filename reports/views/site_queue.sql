/*---
id      = "site_queue"
title   = "What the site file declares about each queue of the data"
grain   = "one row per lpar, qmgr and queue that queue statistics or accounting name, and one for all dynamic queues of a prefix"
needs   = ["decoded.qqst", "decoded.wq", "site_input"]
classes = ["115.216", "116.1"]
keep    = true                           # read by several views
note    = "Names in the site file may be patterns: * matches any characters and ? one character. If several entries of maxdepth match a queue, its own name applies, otherwise the longest pattern."

[columns]
queue_kind = { unit = "text", doc = "Purpose of the queue, from its name and the site file.", label = "kind", screen = 3 }
retained_queue = { unit = "flag", doc = "The queue keeps messages on purpose, by the site file." }
intercepted_queue = { unit = "flag", doc = "The queue has an AMS policy, by the site file." }
maxdepth = { unit = "count", kind = "setting", doc = "MAXDEPTH of the queue, by the site file." }
---*/
WITH
queue_name AS (
  SELECT DISTINCT lpar, qmgr, queue FROM decoded.qqst WHERE queue IS NOT NULL
  UNION
  SELECT DISTINCT lpar, qmgr, base_name FROM decoded.wq WHERE base_name IS NOT NULL
),
known AS (
  SELECT lpar, qmgr, queue FROM queue_name
  UNION
  -- All dynamic queues of a prefix, under the name that views of accounting give them.
  SELECT DISTINCT lpar, qmgr, regexp_replace(queue, '[0-9A-F]{16}$', '*') FROM queue_name WHERE regexp_matches(queue, '[0-9A-F]{16}$')
),
declared AS (
  -- A bracket in a name is a bracket: GLOB has sets of characters, the site file does not.
  SELECT
    lpar, qmgr,
    list_transform(xmit_queues, lambda pattern: replace(pattern, '[', '[[]'))                                   AS transmission,
    list_transform(ims_bridge_queues, lambda pattern: replace(pattern, '[', '[[]'))                             AS bridge,
    list_transform(coalesce(dead_letter_queues, ['SYSTEM.DEAD.LETTER.QUEUE']), lambda pattern: replace(pattern, '[', '[[]')) AS dead_letter,
    list_transform(ams_queues, lambda pattern: replace(pattern, '[', '[[]'))                                    AS intercepted,
    list_transform(retained_queues, lambda pattern: replace(pattern, '[', '[[]'))                               AS retained,
    maxdepth_by_queue
  FROM site_input
),
matched AS (
  SELECT
    q.lpar, q.qmgr, q.queue,
    len(list_filter(s.transmission, lambda pattern: q.queue GLOB pattern)) > 0 AS transmission,
    len(list_filter(s.bridge, lambda pattern: q.queue GLOB pattern)) > 0       AS bridge,
    -- Without a row of the site there is the name that MQ gives the queue by default.
    CASE
      WHEN s.dead_letter IS NULL THEN q.queue = 'SYSTEM.DEAD.LETTER.QUEUE'
      ELSE len(list_filter(s.dead_letter, lambda pattern: q.queue GLOB pattern)) > 0
    END                                                                        AS dead_letter,
    len(list_filter(s.intercepted, lambda pattern: q.queue GLOB pattern)) > 0  AS intercepted,
    len(list_filter(s.retained, lambda pattern: q.queue GLOB pattern)) > 0     AS retained,
    coalesce(
      s.maxdepth_by_queue[q.queue],
      s.maxdepth_by_queue[list_max(list_transform(
        list_filter(map_keys(s.maxdepth_by_queue), lambda pattern: q.queue GLOB replace(pattern, '[', '[[]')),
        lambda pattern: {'length': length(pattern), 'pattern': pattern}
      ))['pattern']]
    )                                                                          AS maxdepth
  FROM known AS q
  LEFT JOIN declared AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
)
SELECT
  lpar, qmgr, queue,
  CASE
    WHEN starts_with(queue, 'SYSTEM.CLUSTER.TRANSMIT') THEN 'cluster transmission'
    WHEN queue = 'SYSTEM.CHANNEL.SYNCQ' THEN 'channel sync'
    WHEN queue = 'SYSTEM.QSG.TRANSMIT.QUEUE' THEN 'IGQ transmission'
    WHEN transmission THEN 'transmission'
    WHEN bridge THEN 'IMS bridge'
    WHEN dead_letter THEN 'dead letter'
    WHEN intercepted THEN 'AMS'
    WHEN starts_with(queue, 'SYSTEM.') THEN 'system'
    ELSE 'application'
  END                            AS queue_kind,
  coalesce(retained, false)      AS retained_queue,
  coalesce(intercepted, false)   AS intercepted_queue,
  maxdepth
FROM matched
