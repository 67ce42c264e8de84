/*---
id       = "qsg/members"
title    = "Queue-sharing group roll-up"
question = "Who is in the group, who does the work, and who forgot to collect?"
needs    = ["qmgr", "sharing_member", "message_manager", "cf_structure", "queue_use", "log", "channel_initiator", "collection"]
grain    = ["qsg", "lpar", "qmgr"]
left_out = "qmgr IS NULL"
drill_down = ["cf/structure_sums"]
note     = "A row without a queue manager is the total of the group. A member whose group no record names belongs to no total; its CF or Db2 activity shows the membership. Messages to shared queues come from class 3 accounting and are empty without it. Cross-member: messages that a member put to a shared queue beyond those it got from it."

[columns]
qsg = { screen = 1 }
puts = { label = "puts", screen = 1, doc = "MQPUT and MQPUT1 requests." }
share_of_puts_pct = { unit = "percent", label = "of puts %", screen = 1, doc = "Puts as a share of those of the group.", ratio = { numerator = "puts", denominator = "sum(puts) OVER (PARTITION BY group_key, qmgr IS NULL)", scale = 100, whole = ["qsg"] } }
gets = { label = "gets", screen = 1 }
shared_puts = { unit = "count", label = "shared puts", screen = 2, doc = "Messages put to shared queues.", over = "add" }
shared_gets = { unit = "count", label = "shared gets", screen = 2, doc = "Messages got from shared queues.", over = "add" }
cross_member_pct = { unit = "percent", label = "cross-member %", screen = 3, doc = "Messages put to shared queues beyond those that the same member got from them, as a share of the messages put.", ratio = { numerator = "cross_puts", denominator = "shared_puts", scale = 100 } }
cf_calls = { label = "CF calls", screen = 1, doc = "Calls to CF structures." }
share_of_log_pct = { unit = "percent", label = "of log %", screen = 3, doc = "New log data as a share of that of the group.", ratio = { numerator = "log_mib_created", denominator = "sum(log_mib_created) OVER (PARTITION BY group_key, qmgr IS NULL)", scale = 100, whole = ["qsg"] } }
peak_active_channels = { unit = "count", label = "channels", screen = 1, doc = "Highest number of active channels; in the total, the sum of these peaks.", over_time = "max", across = "add" }
share_of_channels_pct = { unit = "percent", label = "of channels %", doc = "Peak of active channels as a share of the sum of the peaks.", ratio = { numerator = "peak_active_channels", denominator = "sum(peak_active_channels) OVER (PARTITION BY group_key, qmgr IS NULL)", scale = 100, whole = ["qsg"] } }
classes_missing = { unit = "text", label = "not collected", screen = 1, doc = "Record classes that the release writes and that are not in the data." }
structures_used = { unit = "text", label = "structures", screen = 3, doc = "Structures with calls." }
---*/
WITH
moved AS (
  SELECT lpar, qmgr, sum(total_puts)::BIGINT AS puts, sum(gets)::BIGINT AS gets
  FROM message_manager
  GROUP BY lpar, qmgr
),
called AS (
  SELECT
    lpar, qmgr, sum(cf_calls)::BIGINT AS cf_calls, sum(single_calls)::BIGINT AS single_calls, sum(single_call_us)::BIGINT AS single_call_us,
    string_agg(DISTINCT cf_structure, ', ' ORDER BY cf_structure) FILTER (cf_calls > 0) AS structures_used
  FROM cf_structure
  GROUP BY lpar, qmgr
),
queued AS (
  SELECT lpar, qmgr, base_name, sum(valid_puts)::BIGINT AS puts, sum(valid_gets)::BIGINT AS gets
  FROM queue_use
  WHERE is_shared
  GROUP BY lpar, qmgr, base_name
),
shared AS (
  SELECT
    lpar, qmgr, sum(puts)::BIGINT AS shared_puts, sum(gets)::BIGINT AS shared_gets,
    sum(CASE WHEN puts > gets THEN puts - gets ELSE 0 END)::BIGINT AS cross_puts
  FROM queued
  GROUP BY lpar, qmgr
),
logged AS (
  SELECT lpar, qmgr, pages_mib(sum(cis_created)) AS log_mib_created
  FROM log
  GROUP BY lpar, qmgr
),
channels AS (
  SELECT lpar, qmgr, max(active_channels) AS peak_active_channels
  FROM channel_initiator
  GROUP BY lpar, qmgr
),
missing AS (
  SELECT lpar, qmgr, string_agg(record_class, ', ' ORDER BY record_class) AS classes_missing
  FROM collection
  WHERE NOT present AND applicable
  GROUP BY lpar, qmgr
),
member AS (
  SELECT
    m.qsg, coalesce(m.qsg, m.lpar || '/' || m.qmgr) AS group_key, m.lpar, m.qmgr, q.qsg_from, q.mq_versions,
    p.puts, p.gets, s.shared_puts, s.shared_gets, s.cross_puts, c.cf_calls, c.single_calls, c.single_call_us, c.structures_used,
    l.log_mib_created, h.peak_active_channels, n.classes_missing
  FROM sharing_member AS m
  JOIN qmgr AS q ON q.lpar = m.lpar AND q.qmgr = m.qmgr
  LEFT JOIN moved AS p ON p.lpar = m.lpar AND p.qmgr = m.qmgr
  LEFT JOIN called AS c ON c.lpar = m.lpar AND c.qmgr = m.qmgr
  LEFT JOIN shared AS s ON s.lpar = m.lpar AND s.qmgr = m.qmgr
  LEFT JOIN logged AS l ON l.lpar = m.lpar AND l.qmgr = m.qmgr
  LEFT JOIN channels AS h ON h.lpar = m.lpar AND h.qmgr = m.qmgr
  LEFT JOIN missing AS n ON n.lpar = m.lpar AND n.qmgr = m.qmgr
  WHERE m.group_member
),
every AS (
  SELECT * FROM member
  UNION ALL BY NAME
  SELECT
    qsg, group_key, sum(puts)::BIGINT AS puts, sum(gets)::BIGINT AS gets, sum(shared_puts)::BIGINT AS shared_puts, sum(shared_gets)::BIGINT AS shared_gets,
    sum(cross_puts)::BIGINT AS cross_puts, sum(cf_calls)::BIGINT AS cf_calls, sum(single_calls)::BIGINT AS single_calls,
    sum(single_call_us)::BIGINT AS single_call_us, sum(log_mib_created) AS log_mib_created, sum(peak_active_channels)::BIGINT AS peak_active_channels
  FROM member
  WHERE qsg IS NOT NULL
  GROUP BY qsg, group_key
)
SELECT
  qsg, lpar, qmgr, qsg_from, mq_versions, puts,
  pct(puts, sum(puts) OVER whole)                                              AS share_of_puts_pct,
  gets, shared_puts, shared_gets,
  pct(cross_puts, shared_puts)                                                 AS cross_member_pct,
  cf_calls,
  single_call_us / nullif(single_calls, 0)                                     AS average_single_us,
  log_mib_created,
  pct(log_mib_created, sum(log_mib_created) OVER whole)                        AS share_of_log_pct,
  peak_active_channels,
  pct(peak_active_channels, sum(peak_active_channels) OVER whole) AS share_of_channels_pct,
  classes_missing, structures_used
FROM every
WINDOW whole AS (PARTITION BY group_key, qmgr IS NULL)
ORDER BY qsg, qmgr, lpar
