/*---
id      = "figure_kind"
title   = "Key figures for comparing periods"
grain   = "one row per key figure"
needs   = []
note    = "Counts of an interval are converted to an hour, so that intervals of different length can be compared. Changes below least_change are ignored, whatever their percentage; these are our own limits."

[columns]
figure_number = { unit = "id", doc = "Number of the figure, in the order of the timeline." }
subject_kind = { unit = "text", doc = "queue manager, records, buffer pool, page set, structure, SMDS, channel initiator, Db2, storage or channel." }
metric = { unit = "text", doc = "Name of a column of the timeline or of the view that the figure comes from.", label = "metric", screen = 1 }
metric_unit = { unit = "text", doc = "Unit of the metric.", label = "unit", screen = 2 }
metric_name = { unit = "text", doc = "Name of the figure in sentences." }
low_is_worse = { unit = "flag", doc = "Lower values are worse." }
is_setting = { unit = "flag", doc = "The figure is a setting, not a measurement: one interval is enough to know it." }
hour_way = { unit = "text", doc = "Value of an hour of a day: mean of its intervals by their weight; highest or lowest where the figure itself is an extreme value or a level." }
least_change = { unit = "number", doc = "Smaller differences are ignored.", over = "same" }
shown_scale = { unit = "number", doc = "Factor by which sentences multiply the value.", over = "same" }
shown_unit = { unit = "text", doc = "Unit of the multiplied value in sentences." }
---*/
SELECT
  figure_number::BIGINT AS figure_number, subject_kind, metric, metric_unit, metric_name, low_is_worse, is_setting, hour_way,
  least_change::DOUBLE AS least_change, shown_scale::DOUBLE AS shown_scale, shown_unit
FROM (
  VALUES
    (1, 'queue manager', 'puts_per_s', 'per_s', 'puts', false, false, 'mean', 1, 1, 'per s'),
    (2, 'queue manager', 'gets_per_s', 'per_s', 'gets', false, false, 'mean', 1, 1, 'per s'),
    (3, 'queue manager', 'mqi_calls_per_s', 'per_s', 'MQI calls', false, false, 'mean', 2, 1, 'per s'),
    (4, 'queue manager', 'persistent_put_pct', 'percent', 'persistent share of puts', false, false, 'mean', 2, 1, '%'),
    (5, 'queue manager', 'log_created_mib_per_s', 'mib_per_s', 'log data created', false, false, 'mean', 0.01, 1, 'MiB/s'),
    (6, 'queue manager', 'logger_task_busy_pct', 'percent', 'logger busy', false, false, 'mean', 1, 1, '%'),
    (7, 'queue manager', 'log_buffer_waits', 'per_h', 'waits for a log buffer', false, false, 'mean', 1, 1, 'per hour'),
    (8, 'queue manager', 'longest_log_io_us', 'us', 'longest log write', false, false, 'highest', 500, 1, 'µs'),
    (9, 'queue manager', 'checkpoints', 'per_h', 'checkpoints', false, false, 'mean', 1, 1, 'per hour'),
    (10, 'queue manager', 'log_reads_archive', 'per_h', 'reads from archive logs', false, false, 'mean', 1, 1, 'per hour'),
    (11, 'queue manager', 'lowest_pool_free_pct', 'percent', 'lowest free share of a pool', true, false, 'lowest', 2, 1, '%'),
    (12, 'queue manager', 'synchronous_write_hits', 'per_h', 'synchronous writes of pools', false, false, 'mean', 1, 1, 'per hour'),
    (13, 'queue manager', 'no_buffer_waits', 'per_h', 'waits for a pool buffer', false, false, 'mean', 1, 1, 'per hour'),
    (14, 'queue manager', 'page_set_ios_per_s', 'per_s', 'page set I/Os', false, false, 'mean', 1, 1, 'per s'),
    (15, 'queue manager', 'fullest_page_set_pct', 'percent', 'fullest page set', false, false, 'highest', 2, 1, '%'),
    (16, 'queue manager', 'page_set_fulls', 'per_h', 'page sets found full', false, false, 'mean', 1, 1, 'per hour'),
    (17, 'queue manager', 'page_set_expansions', 'per_h', 'page set expansions', false, false, 'mean', 1, 1, 'per hour'),
    (18, 'queue manager', 'cf_calls_per_s', 'per_s', 'CF calls', false, false, 'mean', 1, 1, 'per s'),
    (19, 'queue manager', 'cf_redrive_pct', 'percent', 'CF redrives', false, false, 'mean', 1, 1, '%'),
    (20, 'queue manager', 'structure_fulls', 'per_h', 'structures found full', false, false, 'mean', 1, 1, 'per hour'),
    (21, 'queue manager', 'smds_waits', 'per_h', 'waits for an SMDS buffer', false, false, 'mean', 1, 1, 'per hour'),
    (22, 'queue manager', 'db2_queue_high', 'count', 'longest queue for Db2 servers', false, false, 'highest', 2, 1, ''),
    (23, 'queue manager', 'sos_set', 'per_h', 'short on storage', false, false, 'mean', 1, 1, 'per hour'),
    (24, 'queue manager', 'available_31_mib', 'mib', 'free 31-bit storage', true, false, 'lowest', 20, 1, 'MiB'),
    (25, 'queue manager', 'active_channels_pct', 'percent', 'active channels of ACTCHL', false, false, 'highest', 2, 1, '%'),
    (26, 'queue manager', 'adapters_idle', 'count', 'idle adapters', true, false, 'lowest', 1, 1, ''),
    (27, 'queue manager', 'adapter_busiest_pct', 'percent', 'busiest adapter', false, false, 'highest', 2, 1, '%'),
    (28, 'queue manager', 'dispatcher_busiest_pct', 'percent', 'busiest dispatcher', false, false, 'highest', 2, 1, '%'),
    (29, 'queue manager', 'ssl_busiest_pct', 'percent', 'busiest TLS task', false, false, 'highest', 2, 1, '%'),
    (31, 'buffer pool', 'buffers', 'buffers', 'buffers', true, true, 'mean', 1, 1, ''),
    (32, 'buffer pool', 'lowest_free_pct', 'percent', 'lowest free share', true, false, 'lowest', 2, 1, '%'),
    (33, 'buffer pool', 'page_set_ios_per_s', 'per_s', 'page set I/Os', false, false, 'mean', 1, 1, 'per s'),
    (34, 'buffer pool', 'synchronous_write_hits', 'per_h', 'synchronous writes', false, false, 'mean', 1, 1, 'per hour'),
    (36, 'page set', 'used_pct', 'percent', 'pages in use', false, false, 'highest', 2, 1, '%'),
    (41, 'structure', 'cf_calls_per_s', 'per_s', 'CF calls', false, false, 'mean', 1, 1, 'per s'),
    (42, 'structure', 'average_single_us', 'us', 'mean time of a call for one entry', false, false, 'mean', 3, 1, 'µs'),
    (43, 'structure', 'redrive_pct', 'percent', 'redrives', false, false, 'mean', 1, 1, '%'),
    (46, 'SMDS', 'smds_buffers', 'buffers', 'buffers', true, true, 'mean', 1, 1, ''),
    (47, 'SMDS', 'buffers_free_low', 'buffers', 'fewest free buffers', true, false, 'lowest', 2, 1, ''),
    (48, 'SMDS', 'smds_used_pct', 'percent', 'blocks in use', false, false, 'highest', 2, 1, '%'),
    (51, 'channel initiator', 'adapters', 'count', 'adapters', true, true, 'mean', 1, 1, ''),
    (52, 'channel initiator', 'dispatchers', 'count', 'dispatchers', true, true, 'mean', 1, 1, ''),
    (53, 'channel initiator', 'ssl_tasks', 'count', 'TLS tasks', true, true, 'mean', 1, 1, ''),
    (56, 'log copy', 'average_io_us', 'us', 'mean time of a log write', false, false, 'mean', 50, 1, 'µs'),
    (61, 'application', 'task_log_bytes', 'bytes', 'log data', false, false, 'mean', 1048576, 1 / 1048576.0, 'MiB per hour'),
    (62, 'application', 'task_messages', 'count', 'messages', false, false, 'mean', 100, 1, 'per hour'),
    (63, 'application', 'mq_cpu_us', 'us', 'CPU time in MQ', false, false, 'mean', 1000000, 1e-6, 's per hour'),
    (64, 'application', 'commits', 'count', 'commits', false, false, 'mean', 100, 1, 'per hour'),
    (66, 'queue', 'valid_puts', 'count', 'messages put', false, false, 'mean', 100, 1, 'per hour'),
    (67, 'queue', 'valid_gets', 'count', 'messages got', false, false, 'mean', 100, 1, 'per hour'),
    (68, 'queue', 'put_bytes', 'bytes', 'data put', false, false, 'mean', 1048576, 1 / 1048576.0, 'MiB per hour'),
    (71, 'channel', 'channel_messages', 'count', 'messages', false, false, 'mean', 100, 1, 'per hour'),
    (72, 'channel', 'channel_bytes', 'bytes', 'data sent and received', false, false, 'mean', 1048576, 1 / 1048576.0, 'MiB per hour')
) AS figure (figure_number, subject_kind, metric, metric_unit, metric_name, low_is_worse, is_setting, hour_way, least_change, shown_scale, shown_unit)
