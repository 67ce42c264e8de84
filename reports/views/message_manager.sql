/*---
id      = "message_manager"
title   = "Message manager requests"
grain   = "one row per lpar, qmgr and interval"
needs   = ["decoded.qmst", "interval_cut", "queue_sharing_group"]
classes = ["115.2"]
note    = "Counts requests, successful or not. Gets through callbacks are not included."

[columns]
otel_tasks = { over_time = "last", across = "max", label = "tasks", screen = 1 }
total_puts = { unit = "count", doc = "Messages put by MQPUT and MQPUT1.", over = "add", label = "all puts" }
put1_pct = { unit = "percent", doc = "Share of the puts made by MQPUT1.", ratio = { numerator = "put1s", denominator = "total_puts", scale = 100 }, label = "put1 %", screen = 2 }
mqi_calls = { unit = "count", doc = "Calls of all counted verbs.", over = "add", label = "MQI calls" }
puts_per_s = { unit = "per_s", doc = "MQPUT and MQPUT1 requests per second.", over_time = "mean", across = "add", label = "puts/s", screen = 1 }
gets_per_s = { unit = "per_s", doc = "MQGET requests per second.", over_time = "mean", across = "add", label = "gets/s", screen = 1 }
mqi_calls_per_s = { unit = "per_s", doc = "Calls of all counted verbs per second.", over_time = "mean", across = "add", label = "calls/s", screen = 1 }
persistent_put_pct = { unit = "percent", doc = "Share of the messages put that were persistent.", ratio = { numerator = "persistent_puts", denominator = "persistent_puts + nonpersistent_puts", scale = 100 }, label = "persistent %", screen = 1 }
average_persistent_bytes = { unit = "bytes", doc = "Mean size of the persistent messages put.", ratio = { numerator = "persistent_put_bytes", denominator = "persistent_puts" }, label = "mean bytes, persistent", format = ",.0f", screen = 1 }
average_nonpersistent_bytes = { unit = "bytes", doc = "Mean size of the nonpersistent messages put.", ratio = { numerator = "nonpersistent_put_bytes", denominator = "nonpersistent_puts" }, label = "mean bytes, nonpersistent", format = ",.0f", screen = 2 }
put_mib_per_s = { unit = "mib_per_s", doc = "Message data put per second.", over_time = "mean", across = "add", label = "put MiB/s", screen = 1 }
opens_per_put = { unit = "ratio", doc = "MQOPEN calls per MQPUT call.", ratio = { numerator = "opens", denominator = "puts" }, label = "opens/put", format = ".2f", screen = 2 }
otel_failures = { unit = "count", doc = "OpenTelemetry spans and SMF records that failed or were dropped.", over = "add", label = "failures", screen = 1 }
otel_spans_lost = { unit = "count", doc = "OpenTelemetry spans that failed, found no capacity or were dropped for lack of storage.", over = "add" }
otel_smf_lost = { unit = "count", doc = "SMF records with spans that could not be written.", over = "add" }
otel_smf_wait_pct = { unit = "percent", doc = "Share of the time that the OpenTelemetry tasks waited for SMF.", ratio = { numerator = "otel_task_wait_smf_us", denominator = "interval_us * otel_tasks", scale = 100 }, label = "SMF wait %", screen = 3 }
otel_bad_contexts = { unit = "count", doc = "Trace contexts that were invalid, truncated, discarded by the IMS bridge or over a limit.", over = "add", label = "bad contexts", screen = 3 }
otel_contexts = { unit = "count", doc = "Trace contexts propagated on put and get, and otel_bad_contexts.", over = "add" }
otel_bad_context_pct = { unit = "percent", doc = "Share of otel_contexts that were not propagated as they were.", ratio = { numerator = "otel_bad_contexts", denominator = "otel_contexts", scale = 100 }, label = "bad context %", screen = 3 }
otel_task_cpu_pct = { unit = "percent", doc = "CPU time of the OpenTelemetry tasks as a share of the interval.", ratio = { numerator = "otel_task_cpu_us", denominator = "interval_us * otel_tasks", scale = 100 }, label = "task CPU %", screen = 1 }
---*/
WITH unsigned AS (
  SELECT * REPLACE (
      unsigned_word(opens, interval_us / 1e6, 1e6) AS opens,
      unsigned_word(closes, interval_us / 1e6, 1e6) AS closes,
      unsigned_word(gets, interval_us / 1e6, 1e6) AS gets,
      unsigned_word(puts, interval_us / 1e6, 1e6) AS puts,
      unsigned_word(put1s, interval_us / 1e6, 1e6) AS put1s,
      unsigned_word(inquires, interval_us / 1e6, 1e6) AS inquires,
      unsigned_word(inquire_likes, interval_us / 1e6, 1e6) AS inquire_likes,
      unsigned_word(sets, interval_us / 1e6, 1e6) AS sets,
      unsigned_word(end_of_waits, interval_us / 1e6, 1e6) AS end_of_waits,
      unsigned_word(handle_closes, interval_us / 1e6, 1e6) AS handle_closes,
      unsigned_word(subscribes, interval_us / 1e6, 1e6) AS subscribes,
      unsigned_word(subscription_requests, interval_us / 1e6, 1e6) AS subscription_requests,
      unsigned_word(callbacks, interval_us / 1e6, 1e6) AS callbacks,
      unsigned_word(controls, interval_us / 1e6, 1e6) AS controls,
      unsigned_word(statuses, interval_us / 1e6, 1e6) AS statuses,
      unsigned_word(publications, interval_us / 1e6, 1e6) AS publications
    )
  FROM decoded.qmst
),
request AS (
  SELECT
    *,
    interval_us / 1e6 AS seconds,
    opens + closes + gets + puts + put1s + inquires + inquire_likes + sets + coalesce(subscribes, 0)
      + coalesce(subscription_requests, 0) + coalesce(callbacks, 0) + coalesce(controls, 0) + coalesce(statuses, 0) AS mqi_calls,
    otel_put_invalid + otel_get_invalid + otel_put_too_many_properties + otel_put_state_truncated + otel_get_state_truncated
      + otel_producer_span_limit + otel_consumer_span_limit + coalesce(otel_bridge_discarded, 0) AS otel_bad_contexts
  FROM unsigned
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  q.opens, q.closes, q.gets, q.puts, q.put1s, q.inquires, q.inquire_likes, q.sets, q.end_of_waits, q.handle_closes,
  q.subscribes, q.subscription_requests, q.callbacks, q.controls, q.statuses, q.publications, q.persistent_puts,
  q.nonpersistent_puts, q.persistent_put_bytes, q.nonpersistent_put_bytes, q.otel_put_propagated,
  q.otel_get_propagated, q.otel_put_discarded, q.otel_get_discarded, q.otel_put_invalid, q.otel_get_invalid,
  q.otel_put_too_many_properties, q.otel_put_state_truncated, q.otel_get_state_truncated, q.otel_consumer_spans,
  q.otel_producer_spans, q.otel_put_not_sampled, q.otel_producer_span_limit, q.otel_consumer_span_limit,
  q.otel_span_storage_drops, q.otel_spans_ok, q.otel_spans_failed, q.otel_spans_failed_capacity, q.otel_smf_ok,
  q.otel_smf_failed, q.otel_smf_failed_capacity, q.otel_task_cpu_us, q.otel_task_wait_work_us,
  q.otel_task_wait_smf_us, q.otel_tasks, q.otel_bridge_spans, q.otel_bridge_propagated, q.otel_bridge_discarded,
  q.puts + q.put1s                                                                     AS total_puts,
  pct(q.put1s, q.puts + q.put1s)                                                       AS put1_pct,
  q.mqi_calls,
  per_s(q.puts + q.put1s, q.seconds)                                                   AS puts_per_s,
  per_s(q.gets, q.seconds)                                                             AS gets_per_s,
  per_s(q.mqi_calls, q.seconds)                                                        AS mqi_calls_per_s,
  pct(q.persistent_puts, q.persistent_puts + q.nonpersistent_puts)                     AS persistent_put_pct,
  q.persistent_put_bytes / nullif(q.persistent_puts, 0)                                AS average_persistent_bytes,
  q.nonpersistent_put_bytes / nullif(q.nonpersistent_puts, 0)                          AS average_nonpersistent_bytes,
  per_s((q.persistent_put_bytes + q.nonpersistent_put_bytes) / 1048576, q.seconds)     AS put_mib_per_s,
  q.opens / nullif(q.puts, 0)                                                          AS opens_per_put,
  q.otel_spans_failed + q.otel_spans_failed_capacity + q.otel_span_storage_drops + q.otel_smf_failed
    + q.otel_smf_failed_capacity                                                       AS otel_failures,
  q.otel_spans_failed + q.otel_spans_failed_capacity + q.otel_span_storage_drops       AS otel_spans_lost,
  q.otel_smf_failed + q.otel_smf_failed_capacity                                       AS otel_smf_lost,
  pct(q.otel_task_wait_smf_us, q.interval_us * q.otel_tasks)                           AS otel_smf_wait_pct,
  q.otel_bad_contexts,
  q.otel_put_propagated + q.otel_get_propagated + q.otel_bad_contexts                  AS otel_contexts,
  pct(q.otel_bad_contexts, q.otel_put_propagated + q.otel_get_propagated + q.otel_bad_contexts) AS otel_bad_context_pct,
  pct(q.otel_task_cpu_us, q.interval_us * q.otel_tasks)                                AS otel_task_cpu_pct
FROM request AS q
LEFT JOIN interval_cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN queue_sharing_group AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
