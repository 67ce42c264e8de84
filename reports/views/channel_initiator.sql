/*---
id      = "channel_initiator"
title   = "Channel initiator"
grain   = "one row per lpar, qmgr and channel initiator interval"
needs   = ["decoded.qcct", "chinit_task_time", "channel_interval", "interval_cut", "queue_sharing_group", "site_input"]
classes = ["115.231"]
mq_since = "8.0.0"

[columns]
lpar = {}
qmgr = {}
qsg = {}
mq_version = {}
source_id = {}
record_id = {}
interval_start_utc = {}
interval_end_utc = {}
interval_start_local = {}
interval_seconds = {}
interval_us = {}
startup_interval = {}
suspect_first = {}
chinit_job = { unit = "text", kind = "text", doc = "Channel initiator job name." }
chinit_qsg = { unit = "text", kind = "code", doc = "Queue sharing group name (blank when not in a QSG)." }
current_channels = { unit = "count", kind = "high", doc = "Peak number of current channels (the manual says peak, and also that it is the value when the record was cut)." }
max_channels = { unit = "count", kind = "setting", doc = "MAXCHL limit: current channels allowed." }
active_channels = { unit = "count", kind = "high", doc = "Peak number of active channels." }
max_active_channels = { unit = "count", kind = "setting", doc = "ACTCHL limit: active channels allowed." }
max_tcp_channels = { unit = "count", kind = "setting", doc = "TCPCHL limit: TCP/IP channels allowed." }
max_lu62_channels = { unit = "count", kind = "setting", doc = "LU62CHL limit: LU 6.2 channels allowed." }
chinit_31_mib = { unit = "mib", kind = "gauge", doc = "31-bit storage used by the channel initiator, megabytes." }
chinit_64_mib = { unit = "mib", kind = "gauge", doc = "64-bit storage used by the channel initiator, megabytes." }
chinit_64_limit_mib = { unit = "mib", kind = "setting", doc = "64-bit storage limit of the channel initiator, megabytes (17592186040320 = no limit)." }
chinit_64_no_limit = { unit = "flag", kind = "setting", doc = "Chinit 64 no limit." }
current_channels_pct = { unit = "percent", doc = "Current channels as a share of MAXCHL." }
active_channels_pct = { unit = "percent", doc = "Active channels as a share of ACTCHL." }
tcp_channels_pct = { unit = "percent", doc = "Active channels as a share of TCPCHL: an upper bound, LU 6.2 channels are counted too." }
chinit_64_limit_set = { unit = "flag", doc = "The 64-bit storage of the channel initiator has a limit." }
chinit_64_pct = { unit = "percent", doc = "64-bit storage in use as a share of its limit." }
chinit_31_total_mib = { unit = "mib", doc = "31-bit storage there is: the site's figure, else 1466." }
chinit_31_total_assumed = { unit = "flag", doc = "The site gave no figure for the 31-bit storage." }
chinit_31_pct = { unit = "percent", doc = "31-bit storage in use as a share of what there is." }
dispatchers = { unit = "count", doc = "Dispatcher tasks." }
dispatchers_unused = { unit = "count", doc = "Dispatchers without a request." }
dispatcher_busiest_pct = { unit = "percent", doc = "Busy share of the busiest dispatcher." }
dispatcher_average_pct = { unit = "percent", doc = "Average busy share of the dispatchers." }
adapters = { unit = "count", doc = "Adapter tasks." }
adapters_unused = { unit = "count", doc = "Adapters without a request." }
adapters_idle = { unit = "count", doc = "Adapters under 1 % busy: these are spare." }
adapter_busiest_pct = { unit = "percent", doc = "Busy share of the busiest adapter." }
adapter_least_busy_pct = { unit = "percent", doc = "Busy share of the least busy adapter: every adapter was at least this busy." }
adapter_average_pct = { unit = "percent", doc = "Average busy share of the adapters." }
adapter_requests = { unit = "count", doc = "Requests to adapters." }
adapter_average_et_us = { unit = "us", doc = "Elapsed time per adapter request." }
adapter_average_cpu_us = { unit = "us", doc = "CPU time per adapter request." }
adapter_average_wait_us = { unit = "us", doc = "Elapsed less CPU time per adapter request, 0 at least." }
ssl_tasks = { unit = "count", doc = "TLS tasks." }
ssl_tasks_in_use = { unit = "count", doc = "TLS tasks busy for more than 0.1 % of the interval." }
ssl_busiest_pct = { unit = "percent", doc = "Busy share of the busiest TLS task." }
ssl_longest_us = { unit = "us", doc = "Longest TLS request." }
dns_busy_pct = { unit = "percent", doc = "Busy share of the name server task." }
dns_requests = { unit = "count", doc = "Requests to the name server task." }
dns_longest_us = { unit = "us", doc = "Longest name server request." }
chinit_task_cpu_us = { unit = "us", doc = "CPU time of all tasks." }
task_storage_kib = { unit = "kib", doc = "Storage of the tasks, by the figures for 9.3 and later." }
omvs_threads = { unit = "count", doc = "Threads of the address space." }
---*/
WITH task AS (
  SELECT
    record_id,
    count(*) FILTER (task_type = 'dispatcher')                              AS dispatchers,
    count(*) FILTER (task_type = 'dispatcher' AND task_unused)              AS dispatchers_unused,
    max(task_busy_pct) FILTER (task_type = 'dispatcher')                    AS dispatcher_busiest_pct,
    avg(task_busy_pct) FILTER (task_type = 'dispatcher')                    AS dispatcher_average_pct,
    count(*) FILTER (task_type = 'adapter')                                 AS adapters,
    count(*) FILTER (task_type = 'adapter' AND task_unused)                 AS adapters_unused,
    count(*) FILTER (task_type = 'adapter' AND task_busy_pct < 1)           AS adapters_idle,
    max(task_busy_pct) FILTER (task_type = 'adapter')                       AS adapter_busiest_pct,
    min(task_busy_pct) FILTER (task_type = 'adapter')                       AS adapter_least_busy_pct,
    (sum(task_request_et_us) FILTER (task_type = 'adapter'))::BIGINT        AS adapter_et_us,
    (sum(task_request_cpu_us) FILTER (task_type = 'adapter'))::BIGINT       AS adapter_cpu_us,
    (sum(task_requests) FILTER (task_type = 'adapter'))::BIGINT             AS adapter_requests,
    count(*) FILTER (task_type = 'ssl')                                     AS ssl_tasks,
    count(*) FILTER (task_type = 'ssl' AND task_in_use)                     AS ssl_tasks_in_use,
    max(task_busy_pct) FILTER (task_type = 'ssl')                           AS ssl_busiest_pct,
    max(ssl_longest_us)                                                     AS ssl_longest_us,
    max(task_busy_pct) FILTER (task_type = 'dns')                           AS dns_busy_pct,
    (sum(task_requests) FILTER (task_type = 'dns'))::BIGINT                 AS dns_requests,
    max(dns_longest_us)                                                     AS dns_longest_us,
    sum(task_request_cpu_us)::BIGINT                                        AS chinit_task_cpu_us
  FROM chinit_task_time
  GROUP BY record_id
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.startup_interval, i.suspect_first,
  q.chinit_job, q.chinit_qsg, q.current_channels, q.max_channels, q.active_channels, q.max_active_channels,
  q.max_tcp_channels, q.max_lu62_channels, q.chinit_31_mib, q.chinit_64_mib, q.chinit_64_limit_mib,
  q.chinit_64_limit_mib_no_limit AS chinit_64_no_limit,
  100 * q.current_channels / nullif(q.max_channels, 0)           AS current_channels_pct,
  100 * q.active_channels / nullif(q.max_active_channels, 0)     AS active_channels_pct,
  100 * q.active_channels / nullif(q.max_tcp_channels, 0)        AS tcp_channels_pct,
  NOT q.chinit_64_limit_mib_no_limit                                     AS chinit_64_limit_set,
  CASE WHEN NOT q.chinit_64_limit_mib_no_limit THEN 100 * q.chinit_64_mib / nullif(q.chinit_64_limit_mib, 0) END AS chinit_64_pct,
  coalesce(s.chin_31bit_total_mb, 1466)                          AS chinit_31_total_mib,
  s.chin_31bit_total_mb IS NULL                                  AS chinit_31_total_assumed,
  100 * q.chinit_31_mib / nullif(coalesce(s.chin_31bit_total_mb, 1466), 0) AS chinit_31_pct,
  coalesce(t.dispatchers, 0)                                     AS dispatchers,
  coalesce(t.dispatchers_unused, 0)                              AS dispatchers_unused,
  t.dispatcher_busiest_pct,
  t.dispatcher_average_pct,
  coalesce(t.adapters, 0)                                        AS adapters,
  coalesce(t.adapters_unused, 0)                                 AS adapters_unused,
  coalesce(t.adapters_idle, 0)                                   AS adapters_idle,
  t.adapter_busiest_pct,
  t.adapter_least_busy_pct,
  100 * t.adapter_et_us / nullif(t.adapters * q.interval_us, 0)  AS adapter_average_pct,
  t.adapter_requests,
  t.adapter_et_us / nullif(t.adapter_requests, 0)                AS adapter_average_et_us,
  t.adapter_cpu_us / nullif(t.adapter_requests, 0)               AS adapter_average_cpu_us,
  CASE WHEN t.adapter_et_us IS NOT NULL AND t.adapter_cpu_us IS NOT NULL
    THEN greatest(0, t.adapter_et_us - t.adapter_cpu_us) / nullif(t.adapter_requests, 0) END AS adapter_average_wait_us,
  coalesce(t.ssl_tasks, 0)                                       AS ssl_tasks,
  coalesce(t.ssl_tasks_in_use, 0)                                AS ssl_tasks_in_use,
  t.ssl_busiest_pct,
  t.ssl_longest_us,
  t.dns_busy_pct,
  t.dns_requests,
  t.dns_longest_us,
  t.chinit_task_cpu_us,
  150 * coalesce(t.adapters, 0) + 102 * coalesce(t.dispatchers, 0) + 1485 * coalesce(t.ssl_tasks, 0) AS task_storage_kib,
  3 + coalesce(t.dispatchers, 0) + coalesce(t.ssl_tasks, 0)      AS omvs_threads
FROM decoded.qcct AS q
LEFT JOIN task AS t ON t.record_id = q.record_id
LEFT JOIN channel_interval AS m ON m.record_id = q.record_id
LEFT JOIN interval_cut AS i ON i.lpar = m.lpar AND i.qmgr = m.qmgr AND i.interval_start_utc = m.cut_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
