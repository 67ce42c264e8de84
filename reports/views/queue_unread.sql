/*---
id      = "queue_unread"
title   = "Queues with messages that nothing had open for input at the end of a time step, compared with their usual readers"
grain   = "one row per lpar, qmgr, queue and step of at least five minutes"
needs   = ["queue_merged", "transmission_channel", "decoded.qcst"]
classes = ["115.216"]
note    = "Helper of rule QU030. A step had messages if some were put in it, or were on the queue. Days before are those of the data. The missing channel is the one with the most records of the channels that send the messages of the queue: it ran in more than half of the channel records (116.10) of the queue manager, and none shows that it ran at the end of the step."

[columns]
usual_age_s = { unit = "s", doc = "95th percentile of the age of the oldest message at the end of steps in which something had the queue open for input.", over = "same" }
times_usual = { unit = "ratio", doc = "Age of the oldest message as a multiple of the usual age, which counts as at least one second.", over = "max" }
steps_read_pct = { unit = "percent", doc = "Share of the steps with messages in which something had the queue open for input, of those in which this is known of all members.", over = "same" }
days_unread_before = { unit = "count", doc = "Of the seven days before, days on which it had messages and no reader in the same hour.", over = "max" }
missing_channel = { unit = "text", doc = "Channel of the queue that is missing from the channel records; null if none is known to be missing." }
missing_from_utc = { unit = "ts_utc", kind = "clock", doc = "Last time at which it ran.", over = "min" }
missing_until_utc = { unit = "ts_utc", kind = "clock", doc = "Next time at which it ran; null if no later record shows it.", over = "max" }
---*/
WITH
step AS (
  SELECT
    *,
    depth_high > 0 OR group_puts > 0 AS had_messages,
    epoch_us(interval_start_utc) // 3600000000 AS hour_number,
    -- The clocks of the channel initiator and of the queue manager differ by seconds.
    interval_start_utc + to_microseconds((interval_seconds * 1000000)::BIGINT) - INTERVAL 60 SECOND AS sure_end_utc
  FROM queue_merged
  WHERE NOT retained_queue
),
usual AS (
  SELECT
    lpar, qmgr, queue,
    quantile_cont(oldest_message_s, 0.95) FILTER (group_handles_last > 0) AS usual_age_s,
    pct(count(*) FILTER (had_messages AND group_input_handles > 0),
      count(*) FILTER (had_messages AND (group_input_handles > 0 OR members_missing = 0)))   AS steps_read_pct
  FROM step
  GROUP BY lpar, qmgr, queue
),
unread AS (
  SELECT s.*, u.usual_age_s, u.steps_read_pct
  FROM step AS s
  JOIN usual AS u ON u.lpar = s.lpar AND u.qmgr = s.qmgr AND u.queue = s.queue
  WHERE s.group_handles_last IS NOT NULL
),
unread_hour AS (
  SELECT DISTINCT lpar, qmgr, queue, hour_number FROM step WHERE group_handles_last = 0 AND depth > 0
),
days_before AS (
  SELECT h.lpar, h.qmgr, h.queue, h.hour_number, count(*) AS days_unread_before
  FROM unread_hour AS h
  JOIN unread_hour AS b ON b.lpar = h.lpar AND b.qmgr = h.qmgr AND b.queue = h.queue
  WHERE (h.hour_number - b.hour_number) IN (24, 48, 72, 96, 120, 144, 168)
  GROUP BY h.lpar, h.qmgr, h.queue, h.hour_number
),
ran AS (
  -- When each channel ran, a piece for each of its records.
  SELECT
    lpar, qmgr, channel_name, record_id, interval_start_utc,
    greatest(channel_start_utc, interval_start_utc)  AS ran_from_utc,
    coalesce(channel_stop_utc, interval_end_utc)     AS ran_to_utc
  FROM decoded.qcst
  WHERE channel_status = 'Running' OR channel_stop_utc IS NOT NULL
),
recorded AS (
  SELECT lpar, qmgr, count(DISTINCT interval_start_utc) AS records, max(interval_end_utc) AS last_end_utc FROM decoded.qcst GROUP BY lpar, qmgr
),
sending AS (
  SELECT x.lpar, x.qmgr, x.queue, x.channel_name, count(DISTINCT r.interval_start_utc) AS channel_records, any_value(c.last_end_utc) AS last_end_utc
  FROM transmission_channel AS x
  JOIN ran AS r ON r.lpar = x.lpar AND r.qmgr = x.qmgr AND r.channel_name = x.channel_name
  JOIN recorded AS c ON c.lpar = x.lpar AND c.qmgr = x.qmgr
  GROUP BY x.lpar, x.qmgr, x.queue, x.channel_name
  HAVING 2 * count(DISTINCT r.interval_start_utc) > any_value(c.records)
),
absent AS (
  SELECT
    s.lpar, s.qmgr, s.queue, s.interval_start_utc, x.channel_name, x.channel_records,
    max(r.ran_to_utc) FILTER (r.ran_from_utc < s.sure_end_utc)     AS missing_from_utc,
    min(r.ran_from_utc) FILTER (r.ran_from_utc >= s.sure_end_utc)  AS missing_until_utc
  FROM step AS s
  JOIN sending AS x ON x.lpar = s.lpar AND x.qmgr = s.qmgr AND x.queue = s.queue AND x.last_end_utc > s.sure_end_utc
  JOIN ran AS r ON r.lpar = x.lpar AND r.qmgr = x.qmgr AND r.channel_name = x.channel_name
  WHERE s.group_handles_last = 0 AND s.depth > 0
  GROUP BY s.lpar, s.qmgr, s.queue, s.interval_start_utc, s.sure_end_utc, x.channel_name, x.channel_records
  HAVING max(r.ran_to_utc) FILTER (r.ran_from_utc < s.sure_end_utc) < s.sure_end_utc
),
named AS (
  SELECT * FROM absent
  QUALIFY row_number() OVER (PARTITION BY lpar, qmgr, queue, interval_start_utc ORDER BY channel_records DESC, channel_name) = 1
)
SELECT
  u.lpar, u.qmgr, u.record_id, u.interval_start_utc, u.interval_seconds, u.queue, u.depth, u.oldest_message_s, u.group_handles_last, u.no_reader_text,
  u.usual_age_s,
  u.oldest_message_s / greatest(1, u.usual_age_s)      AS times_usual,
  u.steps_read_pct,
  coalesce(d.days_unread_before, 0)                    AS days_unread_before,
  n.channel_name                                       AS missing_channel,
  n.missing_from_utc, n.missing_until_utc
FROM unread AS u
LEFT JOIN days_before AS d ON d.lpar = u.lpar AND d.qmgr = u.qmgr AND d.queue = u.queue AND d.hour_number = u.hour_number
LEFT JOIN named AS n ON n.lpar = u.lpar AND n.qmgr = u.qmgr AND n.queue = u.queue AND n.interval_start_utc = u.interval_start_utc
