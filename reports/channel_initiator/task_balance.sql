/*---
id         = "channel_initiator/task_balance"
title      = "Task balance and sizing"
question   = "Is the work distributed evenly over the tasks, is a task idle at the peak, and how many tasks would be enough?"
needs      = ["chinit_task_time", "chinit_interval", "channel_initiator"]
rules      = ["CH003", "CH006", "CH009"]
grain      = ["lpar", "qmgr", "task_type"]
unmarked   = "A row is a type of task over the whole period; its rules judge each interval."
drill_down = ["channel_initiator/adapters", "channel_initiator/dispatchers"]
site_input = ["cpus"]
mq_since   = "8.0.0"
note       = "The first free adapter takes each request, so the work of adapters is always uneven. More adapters do not slow down persistent work; if channels only do AMS interception, they add lock time. Peaks exclude short intervals and the first one after a start."

[columns]
tasks = { unit = "count", label = "tasks", screen = 1, over = "max", doc = "Highest number of tasks of this type in one interval." }
intervals = { unit = "count", label = "intervals", screen = 3, doc = "Intervals judged.", over = "add" }
intervals_without_spare = { unit = "count", label = "no spare", screen = 2, doc = "Intervals in which no adapter was below 1 % busy; adapters only.", over = "add" }
share_without_spare_pct = { unit = "percent", label = "no spare %", screen = 1, doc = "Share of the intervals in which no adapter was below 1 % busy; adapters only.", ratio = { numerator = "intervals_without_spare", denominator = "intervals", scale = 100 } }
busiest_pct = { unit = "percent", label = "busiest %", screen = 1, over = "max", doc = "Busy share of the busiest task in its busiest interval." }
least_busy_at_peak_pct = { unit = "percent", label = "least at peak %", screen = 1, doc = "Busy share of the least busy task in that interval.", over = "min" }
average_busy_pct = { unit = "percent", label = "average %", screen = 1, doc = "Average busy share of all tasks over the period.", ratio = { numerator = "average_busy_pct * intervals", denominator = "intervals" } }
skew = { unit = "ratio", label = "skew", screen = 2, doc = "Requests of the busiest task, as a multiple of the average task; 1 = even.", over = "max" }
gini = { unit = "ratio", label = "Gini", format = ".2f", screen = 3, doc = "Gini coefficient of the requests over the tasks: 0 = even, near 1 = one task does it all.", over = "max" }
last_task_share_pct = { unit = "percent", label = "last task %", doc = "Share of the requests that the task with the highest number got.", over = "max" }
channels_spread = { unit = "count", label = "channels spread", screen = 3, doc = "Difference between the highest and the lowest number of channels of a dispatcher in the busiest interval.", over = "max" }
first_group_rule = { unit = "count", label = "first group", doc = "Channels that start on one dispatcher before the next one is used: MAXCHL divided by dispatchers, at most 10.", over = "max" }
offered_load = { unit = "ratio", label = "load", format = ".2f", screen = 2, doc = "Number of tasks that the load would keep busy all the time; 95 % of the intervals have a lower load.", over = "max" }
tasks_for_p95 = { unit = "count", label = "enough", screen = 1, doc = "Tasks that are enough for this load, plus a spare one.", over = "max" }
recommended_tasks = { unit = "count", label = "recommended", screen = 1, doc = "Adapters by number of processors; dispatchers 20 above 1000 channels, otherwise the fewest that are enough; TLS tasks one more than dispatchers.", over = "max" }
shape = { unit = "text", label = "shape", screen = 1, doc = "no spare task (adapters), at capacity, skewed, even or ample." }
---*/
WITH
one_interval AS (
  SELECT
    t.record_id, t.lpar, t.qmgr, t.task_type,
    any_value(t.interval_start_utc)                AS interval_start_utc,
    any_value(t.interval_us)                       AS interval_us,
    count(*)                                       AS tasks,
    max(t.task_request_et_us)                      AS most_et_us,
    min(t.task_request_et_us)                      AS least_et_us,
    sum(t.task_request_et_us)::BIGINT              AS et_us,
    max(t.task_channels) - min(t.task_channels)    AS channels_spread
  FROM chinit_task_time AS t
  GROUP BY t.record_id, t.lpar, t.qmgr, t.task_type
),
marked AS (
  SELECT
    o.*,
    pct(o.most_et_us, o.interval_us)               AS busiest_pct,
    pct(o.least_et_us, o.interval_us)              AS least_busy_pct,
    judgeable(o.interval_us / 1e6, i.fragment) AND NOT coalesce(i.startup_interval OR i.suspect_first, false) AS usual
  FROM one_interval AS o
  LEFT JOIN chinit_interval AS i ON i.record_id = o.record_id
),
period AS (
  SELECT
    lpar, qmgr, task_type,
    max(tasks)                                     AS tasks,
    count(DISTINCT interval_start_utc) FILTER (usual) AS intervals,
    -- For other types, a task below 1 % busy is not spare: it has channels of its own.
    CASE WHEN task_type = 'adapter' THEN count(*) FILTER (usual AND least_busy_pct >= 1) END AS intervals_without_spare,
    max(busiest_pct) FILTER (usual)                AS busiest_pct,
    arg_max(least_busy_pct, (busiest_pct, -epoch_us(interval_start_utc))) FILTER (usual AND busiest_pct IS NOT NULL) AS least_busy_at_peak_pct,
    arg_max(channels_spread, (busiest_pct, -epoch_us(interval_start_utc))) FILTER (usual AND busiest_pct IS NOT NULL) AS channels_spread,
    pct(sum(et_us), sum(tasks * interval_us)) AS average_busy_pct,
    quantile_cont(et_us / nullif(interval_us, 0), 0.95) FILTER (usual) AS offered_load
  FROM marked
  GROUP BY lpar, qmgr, task_type
),
one_task AS (
  SELECT lpar, qmgr, task_type, task_index, sum(task_requests)::BIGINT AS requests
  FROM chinit_task_time
  GROUP BY lpar, qmgr, task_type, task_index
),
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY lpar, qmgr, task_type ORDER BY requests, task_index) AS place
  FROM one_task
),
spread AS (
  SELECT
    lpar, qmgr, task_type,
    max(requests) / nullif(avg(requests), 0)       AS skew,
    2 * sum(place * requests) / nullif(count(*) * sum(requests), 0) - (count(*) + 1) / count(*) AS gini,
    pct(arg_max(requests, task_index), sum(requests)) AS last_task_share_pct
  FROM ranked
  GROUP BY lpar, qmgr, task_type
),
chinit AS (
  SELECT
    lpar, qmgr,
    max(current_channels)      AS current_channels,
    max(max_channels)          AS max_channels,
    max(recommended_adapters)  AS recommended_adapters,
    max(recommended_ssl_tasks) AS recommended_ssl_tasks
  FROM channel_initiator
  GROUP BY lpar, qmgr
),
sized AS (
  SELECT
    p.*, s.skew, s.gini, s.last_task_share_pct,
    c.current_channels, c.recommended_adapters, c.recommended_ssl_tasks,
    CASE WHEN p.task_type = 'dispatcher' AND c.max_channels IS NOT NULL THEN least(c.max_channels // p.tasks, 10) END AS first_group_rule,
    ceil(p.offered_load)::BIGINT + 1               AS tasks_for_p95,
    CASE
      -- Any free adapter takes the next request, so one must be spare; it does not matter that the first ones do most of the work.
      WHEN p.task_type = 'adapter' AND p.intervals_without_spare > 0 THEN 'no spare task'
      -- The other tasks keep their channels: what matters is that none is at capacity while others are idle.
      WHEN p.task_type <> 'adapter' AND p.busiest_pct >= 90 THEN 'at capacity'
      WHEN p.task_type <> 'adapter' AND p.busiest_pct > 50 AND p.least_busy_at_peak_pct < 5 THEN 'skewed'
      WHEN p.busiest_pct < 10 THEN 'ample'
      ELSE 'even'
    END                                            AS shape
  FROM period AS p
  JOIN spread AS s ON s.lpar = p.lpar AND s.qmgr = p.qmgr AND s.task_type = p.task_type
  LEFT JOIN chinit AS c ON c.lpar = p.lpar AND c.qmgr = p.qmgr
)
SELECT
  lpar, qmgr, task_type, tasks, intervals, intervals_without_spare,
  pct(intervals_without_spare, intervals) AS share_without_spare_pct,
  busiest_pct, least_busy_at_peak_pct, average_busy_pct, skew, gini, last_task_share_pct,
  CASE WHEN task_type = 'dispatcher' THEN channels_spread END AS channels_spread,
  first_group_rule, offered_load, tasks_for_p95,
  CASE task_type
    WHEN 'adapter' THEN recommended_adapters
    WHEN 'dispatcher' THEN CASE WHEN current_channels > 1000 THEN 20 ELSE tasks_for_p95 END
    WHEN 'ssl' THEN recommended_ssl_tasks
  END                                              AS recommended_tasks,
  shape
FROM sized
ORDER BY CASE shape WHEN 'no spare task' THEN 1 WHEN 'at capacity' THEN 2 WHEN 'skewed' THEN 3 WHEN 'even' THEN 4 ELSE 5 END, lpar, qmgr, task_type
