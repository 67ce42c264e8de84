/*---
id      = "site_queue"
title   = "What each queue of the data is for"
grain   = "one row per lpar, qmgr and queue that queue statistics or accounting name, and one for all dynamic queues of a prefix"
needs   = ["decoded.qqst", "decoded.wq", "decoded.wtid", "decoded.qcst", "system_queue", "transmission_channel", "site_input"]
classes = ["115.216", "116.1"]
keep    = true                           # read by several views
note    = "Names in the site file may be patterns: * matches any characters and ? one character. If several entries of maxdepth match a queue, its own name applies, otherwise the longest pattern. Queues of MQ itself are those of view system_queue, transmission queues also those of view transmission_channel."

[columns]
queue_kind = { unit = "text", doc = "Purpose of the queue, from its name, the site file and the channels that get from it.", label = "kind", screen = 3 }
seems_transmission = { unit = "flag", doc = "It seems to be a transmission queue: it was opened as a remote or cluster queue, and no program or client gets from it." }
sending_channels = { unit = "text", doc = "Channels that send the messages of the queue (view transmission_channel): three names at most." }
retained_queue = { unit = "flag", doc = "The queue keeps messages on purpose, by the site file." }
may_wait = { doc = "Messages may wait for hours without a fault." }
growable = { doc = "The queue belongs to applications, commands or events, or holds messages that nobody reads: it can grow without limit." }
queue_reader = { unit = "text", doc = "Who reads a queue of MQ itself; null for other queues." }
intercepted_queue = { unit = "flag", doc = "The queue has an AMS policy, by the site file." }
maxdepth = { unit = "count", kind = "setting", doc = "MAXDEPTH of the queue, by the site file." }
queue_advice = { unit = "text", doc = "What to do if messages stay on a queue that no application reads: a transmission queue or a queue of MQ itself; null for other queues." }
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
    list_transform(dead_letter_queues, lambda pattern: replace(pattern, '[', '[[]'))                            AS dead_letter,
    list_transform(ams_queues, lambda pattern: replace(pattern, '[', '[[]'))                                    AS intercepted,
    list_transform(retained_queues, lambda pattern: replace(pattern, '[', '[[]'))                               AS retained,
    maxdepth_by_queue
  FROM site_input
),
own AS (
  -- The longest pattern that fits: a name before the patterns of which it is one.
  SELECT n.queue, max_by(s, length(s.queue_pattern)) AS own
  FROM (SELECT DISTINCT queue FROM known WHERE starts_with(queue, 'SYSTEM.')) AS n
  JOIN system_queue AS s ON n.queue GLOB s.queue_pattern
  GROUP BY n.queue
),
client AS (
  SELECT DISTINCT lpar, qmgr, channel_name FROM decoded.qcst WHERE channel_type_code = 7
),
read_by_program AS (
  SELECT DISTINCT w.lpar, w.qmgr, w.base_name
  FROM decoded.wq AS w
  JOIN decoded.wtid AS t ON t.record_id = w.record_id
  LEFT JOIN client AS c ON c.lpar = w.lpar AND c.qmgr = w.qmgr AND c.channel_name = t.channel_name
  WHERE w.gets_any + w.gets_specific > 0 AND (t.connection_type_code <> 6 OR c.channel_name IS NOT NULL)
),
opened_remotely AS (
  -- An alias proves nothing; a remote queue of this queue manager has a local queue as its base, which programs read.
  SELECT DISTINCT w.lpar, w.qmgr, w.base_name
  FROM decoded.wq AS w
  ANTI JOIN read_by_program AS r ON r.lpar = w.lpar AND r.qmgr = w.qmgr AND r.base_name = w.base_name
  WHERE w.queue_type_code IN (6, 7)
),
sent AS (
  SELECT
    lpar, qmgr, queue, bool_or(is_proven) AS is_proven,
    list_sort(list(channel_name)) AS channels
  FROM transmission_channel
  GROUP BY lpar, qmgr, queue
),
matched AS (
  SELECT
    q.lpar, q.qmgr, q.queue,
    coalesce(x.is_proven, false)
      OR len(list_filter(s.transmission, lambda pattern: q.queue GLOB pattern)) > 0 AS transmission,
    r.base_name IS NOT NULL                                                    AS opened_remotely,
    array_to_string(x.channels[1:3], ', ') || CASE WHEN len(x.channels) > 3 THEN format(' and {} more', len(x.channels) - 3) ELSE '' END AS sending_channels,
    o.own,
    s.dead_letter IS NOT NULL                                                  AS dead_letter_given,
    len(list_filter(s.bridge, lambda pattern: q.queue GLOB pattern)) > 0       AS bridge,
    len(list_filter(s.dead_letter, lambda pattern: q.queue GLOB pattern)) > 0  AS dead_letter,
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
  LEFT JOIN own AS o ON o.queue = q.queue
  LEFT JOIN sent AS x ON x.lpar = q.lpar AND x.qmgr = q.qmgr AND x.queue = q.queue
  LEFT JOIN opened_remotely AS r ON r.lpar = q.lpar AND r.qmgr = q.qmgr AND r.base_name = q.queue
),
judged AS (
  SELECT
    *,
    CASE
      WHEN own.system_kind NOT IN ('system', 'dead letter') THEN own.system_kind
      WHEN transmission THEN 'transmission'
      WHEN bridge THEN 'IMS bridge'
      -- Without a list of the site there is the name that MQ gives the queue by default.
      WHEN dead_letter OR (own.system_kind = 'dead letter' AND NOT dead_letter_given) THEN 'dead letter'
      WHEN intercepted THEN 'AMS'
      WHEN own IS NOT NULL THEN 'system'
      ELSE 'application'
    END                        AS queue_kind
  FROM matched
)
SELECT
  lpar, qmgr, queue, queue_kind,
  opened_remotely AND queue_kind IN ('application', 'AMS')                            AS seems_transmission,
  sending_channels,
  coalesce(retained, false)                                                           AS retained_queue,
  coalesce(own.is_store, false)                                                       AS is_store,
  coalesce(own.may_wait, false)                                                       AS may_wait,
  -- The site file may declare another purpose for a queue with the name of one of MQ itself.
  coalesce(own.growable, true) OR (own.system_kind = 'system' AND queue_kind <> 'system') AS growable,
  own.own_reader                                                                      AS own_reader,
  own.system_reader                                                                   AS queue_reader,
  coalesce(intercepted, false)                                                        AS intercepted_queue,
  maxdepth,
  CASE
    WHEN queue_kind = 'transmission'
      THEN format('Check the channel of this transmission queue{}: DISPLAY CHSTATUS(*) XMITQ(''{}'') STATUS SUBSTATE', coalesce(', ' || sending_channels, ''), queue)
    WHEN seems_transmission
      THEN format('It seems to be a transmission queue: it was opened as a remote queue, and no program gets from it. Check DISPLAY QLOCAL(''{0}'') USAGE and DISPLAY CHSTATUS(*) XMITQ(''{0}'') STATUS SUBSTATE, and list it in xmit_queues of the site file if it is one', queue)
    WHEN own IS NOT NULL
      THEN format('The queue holds {}, read by {}. Likely cause: {}. Check {}', own.system_holds, own.system_reader, own.rise_means, replace(own.look_command, '{queue}', '''' || queue || ''''))
  END                                                                                 AS queue_advice
FROM judged
