/*---
id       = "cf/shared_scan"
title    = "Scanning on shared queues"
question = "Do gets on shared queues walk through many messages (selectors, common keys, get-next with group id)?"
unseen   = true
needs    = ["queue_use", "task", "queue_statistics"]
rules    = ["CF004"]
grain    = ["lpar", "qmgr", "base_name", "application"]
unmarked = "A row is a queue as one application uses it; CF004 judges the structure."
drill_down = ["cf/verb_cost"]
note     = "Shared queues have no count of messages skipped; these ratios replace it. Redrives are those of tasks that get from this shared queue only. One list read per message moved is healthy, and up to three are usual."

[columns]
lpar = { screen = 2 }
cf_structure = { from = "queue_use", label = "structure", screen = 2 }
index_type = { label = "index", screen = 1 }
gets = { label = "gets", screen = 1 }
specific_gets = { screen = 3 }
any_gets = { screen = 0 }
browses = { from = "queue_use", screen = 0 }
selector_opens = { label = "selector opens", screen = 3 }
readlist_per_get = { unit = "ratio", label = "list reads/get", doc = "List reads per get.", ratio = { numerator = "readlist_requests", denominator = "gets" } }
multiple_calls_per_get = { label = "multiple calls/get", ratio = { numerator = "multiple_calls_per_get * gets", denominator = "gets" }, why = "Gets from this queue." }
multiple_redrives = { label = "redrives", screen = 3 }
redrives_per_get = { unit = "ratio", label = "redrives/get", screen = 1, doc = "Redrives of multiple-entry calls per get.", ratio = { numerator = "redrives_per_get * gets", denominator = "gets" } }
queue_cf_async_pct = { label = "list reads async %", ratio = { numerator = "readlist_async_requests", denominator = "readlist_requests", scale = 100 }, why = "List reads alone." }
depth_high = { from = "queue_use", label = "depth high", screen = 2 }
get_wait_redrives = { label = "gets with wait redriven" }
cause = { unit = "text", label = "probable cause", screen = 1, doc = "All that explains a scan, each with its number." }
---*/
WITH
block AS (
  SELECT
    lpar, qmgr, base_name, application, task_record_id, record_id, section, cf_structure, index_type, queue_disposition, gets, valid_gets, specific_gets,
    any_gets, browses, selector_opens, readlist_requests, move_requests, readlist_async_requests, get_cpu_us, get_et_us, depth_high
  FROM queue_use
  WHERE is_shared AND gets > 0
),
alone AS (
  -- Tasks that got from one shared queue only: their calls to the coupling facility belong to it.
  SELECT task_record_id, min(base_name) AS base_name, sum(gets)::BIGINT AS gets
  FROM block
  WHERE task_record_id IS NOT NULL
  GROUP BY task_record_id
  HAVING count(DISTINCT base_name) = 1
),
redriven AS (
  SELECT
    t.lpar, t.qmgr, t.application, a.base_name,
    sum(t.multiple_redrives)::BIGINT AS multiple_redrives,
    sum(t.multiple_calls)::BIGINT    AS multiple_calls,
    sum(a.gets)::BIGINT              AS gets
  FROM alone AS a
  JOIN task AS t ON t.record_id = a.task_record_id
  GROUP BY t.lpar, t.qmgr, t.application, a.base_name
),
total AS (
  SELECT
    lpar, qmgr, base_name, application,
    max(cf_structure)               AS cf_structure,
    max(index_type)                 AS index_type,
    max(queue_disposition)          AS queue_disposition,
    sum(gets)::BIGINT               AS gets,
    sum(valid_gets)::BIGINT         AS valid_gets,
    sum(specific_gets)::BIGINT      AS specific_gets,
    sum(any_gets)::BIGINT           AS any_gets,
    sum(browses)::BIGINT            AS browses,
    sum(selector_opens)::BIGINT     AS selector_opens,
    sum(readlist_requests)::BIGINT  AS readlist_requests,
    sum(readlist_async_requests)::BIGINT AS readlist_async_requests,
    sum(move_requests)::BIGINT      AS move_requests,
    sum(get_cpu_us)::BIGINT         AS get_cpu_us,
    sum(get_et_us)::BIGINT          AS get_et_us,
    max(depth_high)                 AS depth_high
  FROM block
  GROUP BY lpar, qmgr, base_name, application
),
waited AS (
  SELECT lpar, qmgr, queue AS base_name, sum(get_wait_redrives)::BIGINT AS get_wait_redrives
  FROM queue_statistics
  GROUP BY lpar, qmgr, queue
),
scanned AS (
  SELECT
    q.*, r.multiple_redrives, w.get_wait_redrives,
    q.readlist_requests / nullif(q.move_requests, 0) AS readlist_per_move,
    q.readlist_requests / nullif(q.gets, 0)          AS readlist_per_get,
    r.multiple_calls / nullif(r.gets, 0)             AS multiple_calls_per_get,
    r.multiple_redrives / nullif(r.gets, 0)          AS redrives_per_get
  FROM total AS q
  LEFT JOIN redriven AS r
    ON r.lpar = q.lpar AND r.qmgr = q.qmgr AND r.base_name = q.base_name AND r.application IS NOT DISTINCT FROM q.application
  LEFT JOIN waited AS w ON w.lpar = q.lpar AND w.qmgr = q.qmgr AND w.base_name = q.base_name
)
SELECT
  lpar, qmgr, base_name, cf_structure, application, index_type, queue_disposition, gets, valid_gets, specific_gets, any_gets, browses, selector_opens,
  readlist_requests, move_requests, readlist_per_move, readlist_per_get, multiple_calls_per_get, multiple_redrives, redrives_per_get,
  get_cpu_us / nullif(gets, 0) AS average_get_cpu_us,
  get_et_us / nullif(gets, 0)  AS average_get_et_us,
  pct(readlist_async_requests, readlist_requests) AS queue_cf_async_pct,
  depth_high, get_wait_redrives,
  coalesce(nullif(concat_ws(
    '; ',
    CASE WHEN index_type = 'GroupId' AND any_gets > 0 THEN format('group id resolved as get-next ({:,} gets)', any_gets) END,
    CASE WHEN redrives_per_get > 1 THEN format('common key on a deep queue ({:,} redrives)', multiple_redrives) END,
    CASE WHEN selector_opens > 0 THEN format('selector ({:,} opens)', selector_opens) END,
    CASE WHEN specific_gets > 0 AND index_type = 'None' THEN format('no index ({:,} gets)', specific_gets) END
  ), ''), CASE WHEN readlist_per_move > 3 THEN 'scan' END) AS cause
FROM scanned
ORDER BY readlist_per_move DESC NULLS LAST, average_get_cpu_us DESC, base_name, lpar, qmgr, application
