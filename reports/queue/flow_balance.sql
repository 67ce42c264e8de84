/*---
id         = "queue/flow_balance"
title      = "Puts without gets and gets without puts"
question   = "Why do I see only puts (or only gets) on a queue?"
needs      = ["queue_total", "queue_statistics_total", "queue_statistics", "topic", "task", "difference_part", "site_queue"]
rules      = ["QU006", "QU022"]
grain      = ["lpar", "qmgr", "base_name"]
unmarked   = "A row is a queue over the whole period; the rules judge its intervals."
drill_down = ["queue/dead_messages"]
site_input = ["ams_queues", "dead_letter_queues", "ims_bridge_queues", "xmit_queues"]
note       = "Names are base names; the generated part of the names of dynamic queues is *. Puts and gets are those of class 3 accounting; those of all tasks are from queue statistics. Browses count as gets, but do not make the flow even. The streaming queue of a queue is not in SMF: copies are named if another queue streamed as many. MOVE and CLEAR QLOCAL are counted nowhere."

[columns]
lpar = { screen = 2 }
cf_structure = { from = "queue_total", label = "structure" }
flow = { unit = "text", label = "flow", screen = 1, doc = "puts only, gets only, or uneven: puts and gets differ by more than a fifth." }
gets_other_members = { unit = "count", label = "gets elsewhere", screen = 3, over = "same", doc = "Gets from the shared queue on other members of the group, the larger count of statistics and accounting." }
puts_other_members = { unit = "count", label = "puts elsewhere", screen = 3, over = "same", doc = "Puts to the shared queue on other members of the group, the larger count of statistics and accounting." }
expired_messages = { from = "queue_total", label = "expired", screen = 2 }
depth_low = { from = "queue_statistics_total" }
depth_high = { from = "queue_total", screen = 2 }
oldest_message_s = { from = "queue_statistics_total", screen = 2 }
input_handles_high = { from = "queue_statistics_total" }
explanation = { unit = "text", label = "explanation", screen = 1, doc = "What explains the difference: the part that covers it, otherwise all parts with their numbers, and how much is not explained." }
---*/
WITH
span AS (
  -- Accounting and statistics of one interval are written within a second of each other.
  SELECT lpar, qmgr, min(task_interval_start_utc) - to_seconds(1) AS first_utc, max(task_interval_end_utc) + to_seconds(1) AS last_utc
  FROM task
  GROUP BY lpar, qmgr
),
ended AS (
  SELECT
    q.lpar, q.qmgr, regexp_replace(q.queue, '[0-9A-F]{16}$', '*') AS base_name,
    arg_max(q.depth, q.interval_start_utc) AS last_depth, arg_min(q.depth, q.interval_start_utc) AS first_depth,
    arg_min(greatest(q.depth, q.depth_high), q.interval_start_utc) AS first_high,
    arg_min(q.put_get_balance - q.rolled_back_puts + q.rolled_back_gets, q.interval_start_utc) AS first_growth,
    sum(q.streamed_messages) AS streamed,
    sum(q.messages_put) FILTER (q.interval_start_utc < s.first_utc OR q.interval_end_utc > s.last_utc)     AS outside_puts,
    sum(q.destructive_gets) FILTER (q.interval_start_utc < s.first_utc OR q.interval_end_utc > s.last_utc) AS outside_gets
  FROM queue_statistics AS q
  LEFT JOIN span AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr, q.queue
),
counted AS (
  SELECT
    lpar, qmgr, base_name, sum(last_depth)::BIGINT AS last_depth, sum(first_depth)::BIGINT AS first_depth, sum(first_high)::BIGINT AS first_high,
    coalesce(sum(first_growth), 0)::BIGINT AS first_growth, sum(streamed)::BIGINT AS streamed,
    coalesce(sum(outside_puts), 0)::BIGINT AS outside_puts, coalesce(sum(outside_gets), 0)::BIGINT AS outside_gets
  FROM ended
  GROUP BY lpar, qmgr, base_name
),
stream AS (
  SELECT lpar, qmgr, base_name, max(streamed) AS copies
  FROM (SELECT lpar, qmgr, base_name, streamed FROM counted UNION ALL SELECT lpar, qmgr, base_name, streamed_messages FROM queue_total)
  GROUP BY lpar, qmgr, base_name
),
member AS (
  SELECT
    q.* REPLACE (coalesce(q.qsg, s.qsg) AS qsg, coalesce(q.base_name, s.base_name) AS base_name, coalesce(q.is_shared, s.shared_queue) AS is_shared,
      coalesce(s.cf_structure, q.cf_structure) AS cf_structure, coalesce(s.depth_high, q.depth_high) AS depth_high),
    q.base_name IS NOT NULL AS is_accounted, coalesce(q.valid_destructive_gets, q.valid_gets) AS got,
    s.statistics_puts, s.statistics_gets, s.depth_last, s.depth_low, s.oldest_message_s, s.input_handles_high,
    coalesce(s.rolled_back_puts - s.rolled_back_gets, 0)   AS backed_out,
    greatest(q.valid_puts, s.statistics_puts, 0)           AS member_puts,
    greatest(got, s.statistics_gets, 0)                    AS member_gets,
    greatest(q.expired_messages, s.expired_messages, 0)    AS member_expired,
    c.last_depth, c.first_depth, c.first_high, c.first_growth, c.outside_puts, c.outside_gets
  FROM queue_total AS q
  FULL JOIN queue_statistics_total AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr AND s.base_name = q.base_name
  LEFT JOIN counted AS c ON c.lpar = s.lpar AND c.qmgr = s.qmgr AND c.base_name = s.base_name
),
flowing AS (
  SELECT
    * REPLACE (
      CASE WHEN is_shared AND qsg IS NOT NULL THEN sum(member_expired) OVER in_group ELSE member_expired END::BIGINT AS member_expired,
      CASE WHEN is_shared AND qsg IS NOT NULL THEN sum(first_growth) OVER in_group ELSE first_growth END::BIGINT AS first_growth,
      CASE WHEN is_shared AND qsg IS NOT NULL THEN sum(backed_out) OVER in_group ELSE backed_out END::BIGINT AS backed_out),
    CASE WHEN is_shared AND qsg IS NOT NULL THEN (sum(member_gets) OVER in_group - member_gets)::BIGINT ELSE 0 END AS gets_other_members,
    CASE WHEN is_shared AND qsg IS NOT NULL THEN (sum(member_puts) OVER in_group - member_puts)::BIGINT ELSE 0 END AS puts_other_members
  FROM member
  WINDOW in_group AS (PARTITION BY qsg, is_shared, base_name)
),
uneven AS (
  SELECT
    *, valid_puts - got AS difference,
    CASE WHEN got = 0 THEN 'puts only' WHEN valid_puts = 0 THEN 'gets only' ELSE 'uneven' END AS flow,
    -- The depth at the start is that at the end of the first interval without what the interval changed.
    coalesce(last_depth - least(first_high, greatest(0, first_depth - first_growth)), 0) AS depth_growth,
    greatest(0, coalesce(statistics_gets - got, 0))             AS more_gets,
    greatest(0, coalesce(statistics_puts - valid_puts, 0))      AS more_puts,
    least(coalesce(outside_gets, 0), more_gets)                 AS ends_gets,
    least(coalesce(outside_puts, 0), more_puts)                 AS ends_puts,
    gets_other_members - puts_other_members + depth_growth + member_expired + backed_out + more_gets - difference AS puts_needed
  FROM flowing
  WHERE is_accounted AND NOT is_topic AND abs(valid_puts - got) > 0.2 * greatest(valid_puts, got)
),
copied AS (
  -- Another queue of the queue manager that streamed as many messages, within a tenth.
  SELECT u.lpar, u.qmgr, u.base_name, arg_min({'queue': s.base_name, 'messages': least(s.copies, u.puts_needed)}, (abs(s.copies - u.puts_needed), s.base_name)) AS copy
  FROM uneven AS u
  JOIN stream AS s ON s.lpar = u.lpar AND s.qmgr = u.qmgr AND s.base_name <> u.base_name AND s.copies > 0 AND abs(s.copies - u.puts_needed) <= 0.1 * u.puts_needed
  GROUP BY u.lpar, u.qmgr, u.base_name
),
published AS (
  SELECT lpar, qmgr, sum(messages_to_subscribers) AS deliveries FROM topic GROUP BY lpar, qmgr
),
known AS (
  SELECT map(list(difference_part), list({'positive_text': positive_text, 'negative_text': negative_text})) AS texts FROM difference_part
),
divided AS (
  SELECT
    u.*, k.texts, c.copy, s.queue_reader,
    greatest(0, more_puts - ends_puts - coalesce(c.copy.messages, 0)) AS puts_not_accounted,
    CASE WHEN p.deliveries >= 0.9 * puts_not_accounted THEN 'publications' ELSE 'puts not accounted' END AS putter,
    CASE
      WHEN u.queue_kind = 'IMS bridge' THEN 'IMS bridge'
      WHEN no_accounting THEN 'accounting off'
      WHEN u.queue_kind IN ('transmission', 'cluster transmission', 'IGQ transmission') THEN 'channel'
      WHEN s.seems_transmission THEN 'seems transmission'
      WHEN statistics_puts + statistics_gets + depth_last IS NOT NULL THEN 'all counted'
      WHEN difference > 0 AND (s.retained_queue OR s.is_store) THEN 'kept'
      WHEN difference > 0 AND s.queue_reader IS NOT NULL THEN 'reader'
      ELSE 'not counted'
    END AS left_part
  FROM uneven AS u
  CROSS JOIN known AS k
  LEFT JOIN copied AS c ON c.lpar = u.lpar AND c.qmgr = u.qmgr AND c.base_name = u.base_name
  LEFT JOIN site_queue AS s ON s.lpar = u.lpar AND s.qmgr = u.qmgr AND s.queue = u.base_name
  LEFT JOIN published AS p ON p.lpar = u.lpar AND p.qmgr = u.qmgr
)
SELECT
  lpar, qmgr, base_name, is_shared, cf_structure, valid_puts, valid_gets, flow, gets_other_members, puts_other_members, expired_messages,
  statistics_gets, statistics_puts, no_accounting, queue_kind, depth_last, depth_low, depth_high, oldest_message_s, input_handles_high,
  explained(difference, [
    difference_of(texts, 'other members', gets_other_members - puts_other_members),
    difference_of(texts, 'depth', depth_growth),
    difference_of(texts, 'expiry', member_expired),
    difference_of(texts, 'backed out', backed_out),
    difference_of(texts, 'ends', ends_gets - ends_puts),
    difference_of(texts, 'gets not accounted', more_gets - ends_gets),
    difference_of(texts, putter, -puts_not_accounted),
    {'size': -coalesce(copy.messages, 0), 'text': texts['streaming'].negative_text || copy.queue, 'amount': -coalesce(copy.messages, 0)}
  ], CASE WHEN left_part = 'reader' THEN {'positive_text': texts['reader'].positive_text || queue_reader, 'negative_text': NULL} ELSE texts[left_part] END) AS explanation
FROM divided
ORDER BY flow, valid_puts + valid_gets DESC, lpar, qmgr, base_name
