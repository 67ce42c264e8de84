/*---
id       = "topic_use"
title    = "Publishing and subscribing applications over the period, from accounting"
grain    = "one row per lpar, qmgr, application, connection type and topic or queue that was published to, and one for the MQSUB calls of the application (open_name null)"
needs    = ["queue_use", "task"]
classes  = ["116.1"]
note     = "Subscribes are counted per task: they are in the row without a name, never in those of topics and queues."

[columns]
open_name = { doc = "Name used on the MQOPEN; null in the row of the task figures.", label = "opened as", screen = 1 }
base_name = { doc = "Name of the queue or topic that the name resolved to; null in the row of the task figures.", label = "queue or topic", screen = 2 }
puts = { doc = "MQPUT and MQPUT1 calls.", label = "puts", screen = 2 }
subscribe_average_et_us = { unit = "us", doc = "Mean elapsed time of an MQSUB.", ratio = { numerator = "subscribe_average_et_us * subscribes", denominator = "subscribes" }, label = "avg subscribe µs", screen = 2 }
put_cpu_us = { doc = "CPU time in MQPUT and MQPUT1.", label = "put CPU µs", screen = 2 }
cpu_per_publish_us = { unit = "us", doc = "CPU time of the puts per message published, including SRB time.", ratio = { numerator = "put_cpu_us + coalesce(topic_srb_us, 0)", denominator = "published" }, label = "CPU µs per publish", screen = 1 }
---*/
WITH
object AS (
  SELECT
    lpar, qmgr, application, connection_type_name, open_name, base_name,
    bool_or(is_topic)                        AS is_topic,
    sum(published)::BIGINT                   AS published,
    sum(puts + put1s)::BIGINT                AS puts,
    sum(put_cpu_us + put1_cpu_us)::BIGINT    AS put_cpu_us,
    sum(topic_srb_us)::BIGINT                AS topic_srb_us
  FROM queue_use
  WHERE is_topic OR published > 0
  GROUP BY lpar, qmgr, application, connection_type_name, open_name, base_name
),
subscriber AS (
  SELECT
    lpar, qmgr, application, connection_type_name,
    sum(subscribes)::BIGINT           AS subscribes,
    sum(subscribe_cpu_us)::BIGINT     AS subscribe_cpu_us,
    sum(subscribe_et_us)::BIGINT      AS subscribe_et_us,
    sum(subscribe_selectors)::BIGINT  AS subscribe_selectors,
    sum(topic_cpu_us)::BIGINT         AS topic_cpu_us
  FROM task
  WHERE subscribes > 0 OR topic_cpu_us > 0
  GROUP BY lpar, qmgr, application, connection_type_name
)
SELECT
  lpar, qmgr, application, connection_type_name, open_name, base_name, is_topic, published, puts,
  NULL::BIGINT AS subscribes, NULL::BIGINT AS subscribe_cpu_us, NULL::DOUBLE AS subscribe_average_et_us, NULL::BIGINT AS subscribe_selectors,
  put_cpu_us, topic_srb_us, NULL::BIGINT AS topic_cpu_us,
  (put_cpu_us + topic_srb_us) / nullif(published, 0) AS cpu_per_publish_us
FROM object
UNION ALL
SELECT
  lpar, qmgr, application, connection_type_name, NULL, NULL, NULL, NULL, NULL,
  subscribes, subscribe_cpu_us, subscribe_et_us / nullif(subscribes, 0), subscribe_selectors, NULL, NULL, topic_cpu_us, NULL
FROM subscriber
