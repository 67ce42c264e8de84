/*---
id       = "data_manager/message_balance"
title    = "Message manager compared with data manager"
question = "Are gets scanning (selectors, missing index), and where do the extra puts come from?"
needs    = ["message_balance", "queue_statistics", "queue_use", "task", "topic", "difference_part"]
rules    = ["MM001"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
wsc      = [3]
drill_down = ["data_manager/activity", "message_manager/calls"]
note     = "The assessments use fixed limits for display only; findings come from rules. They show what explains a difference with its number: from queue statistics, or from the accounting of tasks whose interval ended in this one (ACCTIME and STATIME may end at different times). The data manager does not count calls on shared queues. Gets through callbacks (client channels, MQCB) are counted by the data manager, but not by the message manager: a ratio of 3 to 8 is normal there."

[columns]
dm_gets = { label = "DM gets", screen = 1 }
dm_puts = { label = "DM puts", screen = 1 }
message_counts = { label = "message counts" }
object_creates = { screen = 0 }
object_deletes = { screen = 0 }
object_puts = { screen = 0 }
object_gets = { label = "object gets" }
object_locates = { label = "locates" }
controls = { label = "MQCTLs", screen = 2 }
callbacks = { label = "MQCBs", screen = 2 }
get_reading = { unit = "text", label = "gets", screen = 1, doc = "What makes MQGETs and gets of the data manager different, for display only; balanced from half to 1.2 times as many." }
put_reading = { unit = "text", label = "puts", screen = 1, doc = "What makes puts of the message manager and of the data manager different, for display only; balanced up to 5 %." }
---*/
WITH
statistics AS (
  SELECT
    lpar, qmgr, interval_start_utc,
    sum(CASE WHEN shared_queue THEN destructive_gets ELSE 0 END)::BIGINT       AS shared_gets,
    sum(CASE WHEN shared_queue THEN messages_put ELSE 0 END)::BIGINT           AS shared_puts,
    sum(CASE WHEN shared_queue THEN 0 ELSE puts_to_waiting_getter END)::BIGINT AS waiting_puts,
    sum(gets_no_message)::BIGINT AS empty_gets, sum(streamed_messages)::BIGINT AS copies
  FROM queue_statistics
  GROUP BY lpar, qmgr, interval_start_utc
),
placed AS (
  -- Accounting and statistics of one interval are written within a second of each other.
  SELECT b.record_id, t.record_id AS task_record_id
  FROM task AS t
  ASOF JOIN message_balance AS b ON b.lpar = t.lpar AND b.qmgr = t.qmgr AND b.interval_end_utc >= t.task_interval_end_utc - to_seconds(1)
  WHERE t.task_interval_end_utc > b.interval_start_utc
),
consumer AS (
  -- MQCB is counted when the consumer starts; its gets count later, too.
  SELECT DISTINCT lpar, qmgr, task_correlator, base_name FROM queue_use WHERE callbacks > 0 OR valid_gets > gets
),
accounting AS (
  SELECT
    p.record_id,
    sum(CASE WHEN u.is_shared THEN coalesce(u.valid_destructive_gets, u.valid_gets) ELSE 0 END)::BIGINT AS shared_gets,
    sum(CASE WHEN u.is_shared THEN u.valid_puts ELSE 0 END)::BIGINT             AS shared_puts,
    sum(CASE WHEN u.is_shared THEN 0 ELSE u.puts_to_waiting_getter END)::BIGINT AS waiting_puts,
    sum(CASE WHEN c.base_name IS NULL THEN u.gets_without_message ELSE 0 END)::BIGINT AS empty_gets, sum(u.streamed_messages)::BIGINT AS copies,
    sum(CASE WHEN u.is_shared AND c.base_name IS NULL AND u.mq_version LIKE '8.0%' THEN u.gets_without_message ELSE 0 END)::BIGINT AS signalled_gets,
    sum(u.messages_skipped)::BIGINT AS skipped, sum(CASE WHEN c.base_name IS NULL OR u.is_shared THEN 0 ELSE u.valid_gets END)::BIGINT AS callback_gets
  FROM queue_use AS u
  JOIN placed AS p ON p.task_record_id = u.task_record_id
  LEFT JOIN consumer AS c ON c.lpar = u.lpar AND c.qmgr = u.qmgr AND c.task_correlator = u.task_correlator AND c.base_name = u.base_name
  GROUP BY p.record_id
),
known AS (
  SELECT map(list(difference_part), list({'positive_text': positive_text, 'negative_text': negative_text})) AS texts FROM difference_part
)
SELECT
  b.lpar, b.qmgr, b.qsg, b.interval_start_utc, b.interval_seconds, b.interval_end_utc, b.mm_gets, b.dm_gets, b.get_difference, b.mm_mqputs,
  b.mm_put1s, b.mm_puts, b.dm_puts, b.put_difference, b.message_counts, b.object_creates, b.object_deletes, b.object_puts, b.object_gets,
  b.object_locates, b.dm_gets_per_mm_get, b.controls, b.callbacks,
  CASE
    WHEN b.dm_gets BETWEEN 0.5 * b.mm_gets AND 1.2 * b.mm_gets THEN 'balanced'
    WHEN b.get_difference IS NOT NULL THEN explained(b.get_difference, [
      difference_of(k.texts, 'shared gets', coalesce(s.shared_gets, a.shared_gets, 0)),
      difference_of(k.texts, 'empty gets', coalesce(s.empty_gets, a.empty_gets - a.signalled_gets, 0)),
      difference_of(k.texts, 'empty gets at 8.0', coalesce(a.signalled_gets, 0)),
      difference_of(k.texts, 'skipped', -coalesce(a.skipped, 0)),
      difference_of(k.texts, 'callbacks', -coalesce(a.callback_gets, 0))
    ], k.texts[CASE WHEN b.controls + b.callbacks > 0 THEN 'called back' WHEN b.mm_gets > 100 THEN 'gets left' ELSE 'few gets' END])
  END AS get_reading,
  CASE
    WHEN abs(b.put_difference) <= 0.05 * b.mm_puts THEN 'balanced'
    WHEN b.put_difference IS NOT NULL THEN explained(b.put_difference, [
      difference_of(k.texts, 'shared puts', coalesce(s.shared_puts, a.shared_puts, 0)),
      difference_of(k.texts, 'waiting getters', coalesce(s.waiting_puts, a.waiting_puts, 0)),
      difference_of(k.texts, 'subscribers', coalesce(t.api_publishes - t.messages_to_subscribers, 0)),
      difference_of(k.texts, 'copies', -coalesce(s.copies, a.copies, 0))
    ], k.texts['puts left'])
  END AS put_reading
FROM message_balance AS b
CROSS JOIN known AS k
LEFT JOIN statistics AS s ON s.lpar = b.lpar AND s.qmgr = b.qmgr AND s.interval_start_utc = b.interval_start_utc
LEFT JOIN accounting AS a ON a.record_id = b.record_id
LEFT JOIN topic AS t ON t.record_id = b.record_id
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
