/*---
id      = "channel_initiator"
title   = "Channel initiator"
grain   = "one row per lpar, qmgr and channel initiator interval"
needs   = ["decoded.qcct", "decoded.qct_dsp", "decoded.qct_adp", "decoded.qct_ssl", "decoded.qct_dns", "chinit_interval", "chinit_continuation", "site_input"]
classes = ["115.231"]
mq_since = "8.0.0"

[columns]
chinit_64_no_limit = { unit = "flag", kind = "setting", doc = "The channel initiator runs without a 64-bit storage limit (MEMLIMIT); null before 9.3.5." }
current_channels_pct = { unit = "percent", doc = "Current channels as a share of MAXCHL.", over = "max", label = "current %", screen = 1 }
active_channels_pct = { unit = "percent", doc = "Active channels as a share of ACTCHL.", over = "max", label = "active %", screen = 2 }
tcp_channels_pct = { unit = "percent", doc = "Active channels as a share of TCPCHL: an upper bound, because LU 6.2 channels are counted, too.", over = "max", label = "TCP %" }
chinit_64_limit_set = { unit = "flag", doc = "The 64-bit storage of the channel initiator has a limit.", label = "64-bit limit set" }
chinit_64_pct = { unit = "percent", doc = "64-bit storage in use as a share of its limit.", over_time = "last", ratio = { numerator = "chinit_64_mib", denominator = "chinit_64_limit_mib", scale = 100 }, label = "64-bit %", screen = 1 }
chinit_31_total_mib = { unit = "mib", doc = "Available 31-bit storage: from the site file, otherwise 1466.", over_time = "last", across = "same" }
chinit_31_total_assumed = { unit = "flag", doc = "The site file does not give the 31-bit storage." }
chinit_31_pct = { unit = "percent", doc = "31-bit storage in use as a share of the available 31-bit storage.", over_time = "last", ratio = { numerator = "chinit_31_mib", denominator = "chinit_31_total_mib", scale = 100 }, label = "31-bit %", screen = 1 }
dispatchers = { unit = "count", doc = "Dispatcher tasks.", over_time = "last", across = "add", label = "dispatchers" }
dispatchers_unused = { unit = "count", doc = "Dispatchers without a request.", over_time = "last", across = "add", label = "disp. unused" }
dispatcher_busiest_pct = { unit = "percent", doc = "Busy share of the busiest dispatcher.", over = "max", label = "disp. max %", screen = 1 }
dispatcher_average_pct = { unit = "percent", doc = "Average busy share of the dispatchers.", over = "mean", label = "disp. avg %" }
dispatcher_least_busy_pct = { unit = "percent", doc = "Busy share of the least busy dispatcher.", over = "min" }
dispatcher_requests = { unit = "count", doc = "Requests to dispatchers.", over = "add" }
dispatcher_average_cpu_us = { unit = "us", doc = "CPU time per dispatcher request.", ratio = { numerator = "dispatcher_average_cpu_us * dispatcher_requests", denominator = "dispatcher_requests" } }
channels_in_summary = { unit = "count", doc = "Channels assigned to the dispatchers, all together.", over_time = "last", across = "add", label = "channels in all" }
channels_per_dispatcher = { unit = "ratio", doc = "Current channels per dispatcher.", over = "max" }
expected_first_group = { unit = "count", doc = "Channels that start on one dispatcher before the next one is used: MAXCHL divided by dispatchers, at most 10.", over_time = "last", across = "same", label = "first group", screen = 3 }
adapters = { unit = "count", doc = "Adapter tasks.", over_time = "last", across = "add", label = "adapters", screen = 3 }
adapters_unused = { unit = "count", doc = "Adapters without a request.", over_time = "last", across = "add", label = "adapters unused" }
adapters_idle = { unit = "count", doc = "Adapters below 1 % busy, which were not needed.", over = "min", label = "adapters idle", screen = 1 }
adapter_busiest_pct = { unit = "percent", doc = "Busy share of the busiest adapter.", over = "max", label = "adapter %", screen = 2 }
adapter_least_busy_pct = { unit = "percent", doc = "Busy share of the least busy adapter: every adapter was at least this busy.", over = "min" }
adapter_average_pct = { unit = "percent", doc = "Average busy share of the adapters.", over = "mean", label = "adapter avg %" }
adapter_requests = { unit = "count", doc = "Requests to adapters.", over = "add", label = "adapter requests" }
adapter_average_et_us = { unit = "us", doc = "Elapsed time per adapter request.", ratio = { numerator = "adapter_average_et_us * adapter_requests", denominator = "adapter_requests" }, label = "adapter elapsed µs" }
adapter_average_cpu_us = { unit = "us", doc = "CPU time per adapter request.", ratio = { numerator = "adapter_average_cpu_us * adapter_requests", denominator = "adapter_requests" }, label = "adapter CPU µs" }
adapter_average_wait_us = { unit = "us", doc = "Elapsed minus CPU time per adapter request, at least 0.", ratio = { numerator = "adapter_average_wait_us * adapter_requests", denominator = "adapter_requests" }, label = "adapter wait µs", screen = 3 }
wait_share_pct = { unit = "percent", doc = "Elapsed minus CPU time of the adapters as a share of their elapsed time, at least 0.", ratio = { numerator = "adapter_average_wait_us * adapter_requests", denominator = "adapter_average_et_us * adapter_requests", scale = 100 }, label = "wait %", screen = 1 }
recommended_adapters = { unit = "count", doc = "Adapters by the rule of thumb: 30 for up to 4 processors, 8 more for each further one, at most 120.", over = "max", label = "recommended adapters" }
cpus_assumed = { unit = "flag", doc = "The site file does not give the number of processors; 4 are assumed." }
ssl_tasks = { unit = "count", doc = "TLS tasks.", over_time = "last", across = "add", label = "TLS tasks" }
ssl_tasks_in_use = { unit = "count", doc = "TLS tasks busy for more than 0.1 % of the interval.", over_time = "last", across = "add", label = "TLS in use" }
ssl_busiest_pct = { unit = "percent", doc = "Busy share of the busiest TLS task.", over = "max", label = "TLS max %", screen = 1 }
ssl_busy_total_pct = { unit = "percent", doc = "Busy shares of all TLS tasks together; 100 = one task busy all the time.", over_time = "mean", across = "add" }
recommended_ssl_tasks = { unit = "count", doc = "TLS tasks by the rule of thumb: dispatchers plus one; null in records without dispatchers.", over = "max", label = "recommended tasks", screen = 3 }
dns_busy_pct = { unit = "percent", doc = "Busy share of the name server task.", over = "mean", label = "DNS %", screen = 3 }
dns_requests = { unit = "count", doc = "Requests to the name server task.", over = "add", label = "DNS requests" }
chinit_task_cpu_us = { unit = "us", doc = "CPU time of all tasks; null in records without dispatchers or adapters.", over = "add", label = "task CPU µs" }
task_storage_kib = { unit = "kib", doc = "Storage of the tasks, estimated with the figures for 9.3 and later.", over_time = "last", across = "add", label = "task KiB" }
omvs_threads = { unit = "count", doc = "Threads of the address space.", over_time = "last", across = "add", label = "OMVS threads" }
---*/
WITH
dispatcher AS (
  SELECT
    coalesce(p.first_record_id, record_id)    AS record_id,
    count(*)                                  AS dispatchers,
    count(*) FILTER (task_requests = 0)       AS dispatchers_unused,
    max(task_request_et_us)                   AS most_et_us,
    min(task_request_et_us)                   AS least_et_us,
    avg(task_request_et_us)                   AS average_et_us,
    sum(task_requests)::BIGINT                AS requests,
    sum(task_request_cpu_us)::BIGINT          AS cpu_us,
    sum(task_channels)::BIGINT                AS channels
  FROM decoded.qct_dsp AS t
  LEFT JOIN chinit_continuation AS p USING (record_id)
  GROUP BY ALL
),
adapter AS (
  SELECT
    coalesce(p.first_record_id, record_id)    AS record_id,
    count(*)                                  AS adapters,
    count(*) FILTER (task_requests = 0)       AS adapters_unused,
    -- An adapter below 1 % busy counts as idle.
    count(*) FILTER (100 * task_request_et_us < interval_us) AS adapters_idle,
    max(task_request_et_us)                   AS most_et_us,
    min(task_request_et_us)                   AS least_et_us,
    sum(task_requests)::BIGINT                AS requests,
    sum(task_request_et_us)::BIGINT           AS et_us,
    sum(task_request_cpu_us)::BIGINT          AS cpu_us
  FROM decoded.qct_adp AS t
  LEFT JOIN chinit_continuation AS p USING (record_id)
  GROUP BY ALL
),
ssl AS (
  SELECT
    coalesce(p.first_record_id, record_id)    AS record_id,
    count(*)                                  AS ssl_tasks,
    count(*) FILTER (1000 * task_request_et_us > interval_us) AS ssl_tasks_in_use,
    max(task_request_et_us)                   AS most_et_us,
    sum(task_request_et_us)::BIGINT           AS et_us,
    sum(task_request_cpu_us)::BIGINT          AS cpu_us,
    max(believed(ssl_longest_us, task_request_et_us, NULL)) AS ssl_longest_us
  FROM decoded.qct_ssl AS t
  LEFT JOIN chinit_continuation AS p USING (record_id)
  GROUP BY ALL
),
dns AS (
  SELECT
    coalesce(p.first_record_id, record_id)    AS record_id,
    max(task_request_et_us)                   AS most_et_us,
    sum(task_requests)::BIGINT                AS requests,
    sum(task_request_cpu_us)::BIGINT          AS cpu_us,
    max(believed(dns_longest_us, task_request_et_us, NULL)) AS dns_longest_us
  FROM decoded.qct_dns AS t
  LEFT JOIN chinit_continuation AS p USING (record_id)
  WHERE section_length = 48
  GROUP BY ALL
)
SELECT
  q.lpar, q.qmgr, i.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  q.chinit_job, q.chinit_qsg, q.current_channels, q.max_channels, q.active_channels, q.max_active_channels,
  q.max_tcp_channels, q.max_lu62_channels, q.chinit_31_mib, q.chinit_64_mib, q.chinit_64_limit_mib,
  q.chinit_64_limit_mib_no_limit                                 AS chinit_64_no_limit,
  pct(q.current_channels, q.max_channels)                        AS current_channels_pct,
  pct(q.active_channels, q.max_active_channels)                  AS active_channels_pct,
  pct(q.active_channels, q.max_tcp_channels)                     AS tcp_channels_pct,
  NOT q.chinit_64_limit_mib_no_limit                             AS chinit_64_limit_set,
  CASE WHEN NOT q.chinit_64_limit_mib_no_limit THEN pct(q.chinit_64_mib, q.chinit_64_limit_mib) END AS chinit_64_pct,
  coalesce(s.chin_31bit_total_mb, 1466)                          AS chinit_31_total_mib,
  s.chin_31bit_total_mb IS NULL                                  AS chinit_31_total_assumed,
  pct(q.chinit_31_mib, coalesce(s.chin_31bit_total_mb, 1466))    AS chinit_31_pct,
  coalesce(d.dispatchers, 0)                                     AS dispatchers,
  coalesce(d.dispatchers_unused, 0)                              AS dispatchers_unused,
  pct(d.most_et_us, q.interval_us)                               AS dispatcher_busiest_pct,
  pct(d.average_et_us, q.interval_us)                            AS dispatcher_average_pct,
  pct(d.least_et_us, q.interval_us)                              AS dispatcher_least_busy_pct,
  d.requests                                                     AS dispatcher_requests,
  d.cpu_us / nullif(d.requests, 0)                               AS dispatcher_average_cpu_us,
  d.channels                                                     AS channels_in_summary,
  q.current_channels / nullif(d.dispatchers, 0)                  AS channels_per_dispatcher,
  CASE WHEN d.dispatchers > 0 AND q.max_channels IS NOT NULL THEN least(q.max_channels // d.dispatchers, 10) END AS expected_first_group,
  coalesce(a.adapters, 0)                                        AS adapters,
  coalesce(a.adapters_unused, 0)                                 AS adapters_unused,
  coalesce(a.adapters_idle, 0)                                   AS adapters_idle,
  pct(a.most_et_us, q.interval_us)                               AS adapter_busiest_pct,
  pct(a.least_et_us, q.interval_us)                              AS adapter_least_busy_pct,
  pct(a.et_us, a.adapters * q.interval_us)                       AS adapter_average_pct,
  a.requests                                                     AS adapter_requests,
  a.et_us / nullif(a.requests, 0)                                AS adapter_average_et_us,
  a.cpu_us / nullif(a.requests, 0)                               AS adapter_average_cpu_us,
  -- CPU between requests is counted too, so it can exceed the elapsed time.
  CASE WHEN a.et_us - a.cpu_us IS NOT NULL
    THEN greatest(0, a.et_us - a.cpu_us) / nullif(a.requests, 0) END AS adapter_average_wait_us,
  CASE WHEN a.et_us - a.cpu_us IS NOT NULL
    THEN pct(greatest(0, a.et_us - a.cpu_us), a.et_us) END       AS wait_share_pct,
  least(120, 30 + 8 * greatest(0, coalesce(s.cpus, 4) - 4))      AS recommended_adapters,
  s.cpus IS NULL                                                 AS cpus_assumed,
  coalesce(t.ssl_tasks, 0)                                       AS ssl_tasks,
  coalesce(t.ssl_tasks_in_use, 0)                                AS ssl_tasks_in_use,
  pct(t.most_et_us, q.interval_us)                               AS ssl_busiest_pct,
  pct(t.et_us, q.interval_us)                                    AS ssl_busy_total_pct,
  d.dispatchers + 1                                              AS recommended_ssl_tasks,
  t.ssl_longest_us,
  pct(n.most_et_us, q.interval_us)                               AS dns_busy_pct,
  n.requests                                                     AS dns_requests,
  n.dns_longest_us,
  d.cpu_us + a.cpu_us + coalesce(t.cpu_us, 0) + coalesce(n.cpu_us, 0) AS chinit_task_cpu_us,
  150 * coalesce(a.adapters, 0) + 102 * coalesce(d.dispatchers, 0) + 1485 * coalesce(t.ssl_tasks, 0) AS task_storage_kib,
  3 + coalesce(d.dispatchers, 0) + coalesce(t.ssl_tasks, 0)      AS omvs_threads
FROM decoded.qcct AS q
LEFT JOIN dispatcher AS d ON d.record_id = q.record_id
LEFT JOIN adapter AS a ON a.record_id = q.record_id
LEFT JOIN ssl AS t ON t.record_id = q.record_id
LEFT JOIN dns AS n ON n.record_id = q.record_id
LEFT JOIN chinit_interval AS i ON i.record_id = q.record_id
LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
ANTI JOIN chinit_continuation AS p ON p.record_id = q.record_id
