/*---
id      = "log_restart"
title   = "Restart exposure"
grain   = "one row per lpar and qmgr"
needs   = ["log_period", "decoded.qis1", "decoded.qqst", "decoded.wq", "decoded.wtas", "site_input"]
classes = ["115.1"]
note    = "An estimate, shown with its inputs. Read rates missing in the site file are assumed: 800 MiB/s forward and 450 backward, the lower of the rates that IBM published for active logs on DS8900F; from archives it published 60 MB/s."

[columns]
phase2_s = { unit = "s", doc = "Time to read from the last checkpoint to the point of failure, at worst.", over = "max", label = "since checkpoint s", screen = 2 }
forward_mib = { unit = "mib", doc = "Log data of two checkpoints, which forward recovery reads.", over = "max", label = "forward MiB", screen = 1 }
forward_log_s = { unit = "s", doc = "Time to read this log data forward.", over = "max", label = "forward log s", screen = 2 }
forward_pages_max = { unit = "pages", doc = "Pages of page sets that forward recovery may have to read, one after the other.", over = "max", label = "pages at most" }
forward_pages_best_s = { unit = "s", doc = "Time to read a tenth of these pages.", over = "max", label = "pages best s" }
forward_pages_worst_s = { unit = "s", doc = "Time to read all of these pages.", over = "max", label = "pages worst s", screen = 1 }
oldest_task_s = { unit = "s", doc = "Age of the oldest task that had logged data and no commit in an accounting interval; empty without class 3 accounting.", over = "max", label = "oldest task s", screen = 1 }
backward_mib = { unit = "mib", doc = "Log data written in that time at the average rate, which is read backwards.", over = "max", label = "backward MiB" }
backward_s = { unit = "s", doc = "Time to read this log data backwards.", over = "max", label = "backward s", screen = 2 }
indexed_persistent_messages = { unit = "count", doc = "Last depth of the private indexed queues that got persistent messages; empty without queue statistics or class 3 accounting.", over_time = "last", across = "add", label = "indexed messages", screen = 2 }
index_rebuild_s = { unit = "s", doc = "Time to rebuild these indexes, at 54,400 messages per second.", over = "max", label = "index rebuild s", screen = 2 }
restart_best_s = { unit = "s", doc = "Time to read since the checkpoint, the log forward, and a tenth of the pages.", over = "max", label = "best s", screen = 1 }
restart_at_least_s = { unit = "s", doc = "Time to read since the checkpoint, the longer of log and pages, plus reading backwards and rebuilding indexes if known: the restart may take longer if parts are unknown.", over = "max", label = "at least s", screen = 1 }
restart_worst_s = { unit = "s", doc = "The same if all parts are known, otherwise empty.", over = "max", label = "worst s", screen = 1 }
restart_parts_unknown = { unit = "text", doc = "Parts of the restart without data: backwards without class 3 accounting, indexes without queue statistics or class 3 accounting; empty if all are known.", label = "unknown", screen = 1 }
persistent_page_sets = { unit = "count", doc = "Page sets that held persistent messages; empty without 115.201.", over = "add", label = "page sets" }
log_read_forward_mib_per_s = { doc = "Log read rate forward: from the site file, otherwise 800 is assumed.", label = "forward MiB/s", screen = 2 }
log_read_backward_mib_per_s = { doc = "Log read rate backward: from the site file, otherwise 450 is assumed.", label = "backward MiB/s", screen = 3 }
page_read_us = { doc = "Time to read one page: from the site file, otherwise 140 is assumed.", label = "page read µs", screen = 3 }
read_rates_assumed = { unit = "flag", doc = "At least one of the read rates is assumed.", label = "assumed", screen = 1 }
---*/
WITH
uncommitted AS (
  SELECT
    lpar, qmgr,
    coalesce(max(epoch_us(task_interval_end_utc - task_start_utc)) FILTER (commits = 0 AND task_log_bytes > 0), 0) / 1e6 AS oldest_task_s
  FROM decoded.wtas
  GROUP BY lpar, qmgr
),
indexed AS (
  SELECT DISTINCT lpar, qmgr, base_name
  FROM decoded.wq
  WHERE index_type_code > 0
),
accounted AS (
  SELECT DISTINCT lpar, qmgr FROM decoded.wq
),
queue AS (
  SELECT
    lpar, qmgr, queue,
    arg_max(depth, interval_start_utc)             AS depth,
    sum(persistent_mqputs + persistent_mqput1s)    AS persistent_puts,
    bool_or(shared_queue)                          AS shared
  FROM decoded.qqst
  GROUP BY lpar, qmgr, queue
),
waiting AS (
  SELECT
    q.lpar, q.qmgr,
    coalesce(sum(q.depth) FILTER (n.base_name IS NOT NULL AND q.persistent_puts > 0 AND NOT coalesce(q.shared, false)), 0)::BIGINT AS messages
  FROM queue AS q
  JOIN accounted AS a ON a.lpar = q.lpar AND a.qmgr = q.qmgr
  LEFT JOIN indexed AS n ON n.lpar = q.lpar AND n.qmgr = q.qmgr AND n.base_name = q.queue
  GROUP BY q.lpar, q.qmgr
),
held AS (
  SELECT lpar, qmgr, count(DISTINCT page_set_id) FILTER (persistent_pages > 0) AS persistent_page_sets
  FROM decoded.qis1
  GROUP BY lpar, qmgr
),
known AS (
  SELECT
    p.lpar, p.qmgr, p.median_mib_per_checkpoint, p.worst_mib_per_checkpoint,
    2 * p.worst_mib_per_checkpoint                 AS forward_mib,
    512 * p.worst_mib_per_checkpoint               AS forward_pages_max,
    u.oldest_task_s,
    p.log_mib_per_h / 3600 * u.oldest_task_s       AS backward_mib,
    w.messages                                     AS indexed_persistent_messages,
    h.persistent_page_sets,
    coalesce(s.log_read_forward_mib_per_s, 800)    AS log_read_forward_mib_per_s,
    coalesce(s.log_read_backward_mib_per_s, 450)  AS log_read_backward_mib_per_s,
    coalesce(s.page_read_us, 140)                  AS page_read_us,
    s.log_read_forward_mib_per_s IS NULL OR s.log_read_backward_mib_per_s IS NULL OR s.page_read_us IS NULL AS read_rates_assumed
  FROM log_period AS p
  LEFT JOIN uncommitted AS u ON u.lpar = p.lpar AND u.qmgr = p.qmgr
  LEFT JOIN waiting AS w ON w.lpar = p.lpar AND w.qmgr = p.qmgr
  LEFT JOIN held AS h ON h.lpar = p.lpar AND h.qmgr = p.qmgr
  LEFT JOIN site_input AS s ON s.lpar = p.lpar AND s.qmgr = p.qmgr
),
timed AS (
  SELECT
    *,
    worst_mib_per_checkpoint / nullif(log_read_forward_mib_per_s, 0) AS phase2_s,
    forward_mib / nullif(log_read_forward_mib_per_s, 0)              AS forward_log_s,
    0.1 * forward_pages_max * page_read_us / 1e6                     AS forward_pages_best_s,
    forward_pages_max * page_read_us / 1e6                           AS forward_pages_worst_s,
    backward_mib / nullif(log_read_backward_mib_per_s, 0)            AS backward_s,
    indexed_persistent_messages / 54400                              AS index_rebuild_s
  FROM known
)
SELECT
  lpar, qmgr, median_mib_per_checkpoint, worst_mib_per_checkpoint, phase2_s, forward_mib, forward_log_s,
  ceil(forward_pages_max)::BIGINT                                    AS forward_pages_max,
  forward_pages_best_s, forward_pages_worst_s, oldest_task_s, backward_mib, backward_s, indexed_persistent_messages, index_rebuild_s,
  phase2_s + forward_log_s + forward_pages_best_s                    AS restart_best_s,
  phase2_s + greatest(forward_log_s, forward_pages_worst_s) + coalesce(backward_s, 0) + coalesce(index_rebuild_s, 0) AS restart_at_least_s,
  phase2_s + greatest(forward_log_s, forward_pages_worst_s) + backward_s + index_rebuild_s AS restart_worst_s,
  nullif(concat_ws(', ', CASE WHEN backward_s IS NULL THEN 'backwards' END, CASE WHEN index_rebuild_s IS NULL THEN 'indexes' END), '')
                                                                     AS restart_parts_unknown,
  persistent_page_sets, log_read_forward_mib_per_s, log_read_backward_mib_per_s, page_read_us, read_rates_assumed
FROM timed
