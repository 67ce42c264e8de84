/*---
id      = "slot"
title   = "Time in which a queue manager ran, and the record classes of it"
grain   = "one row per lpar, qmgr and slot"
needs   = ["class_time", "interval_cut", "record_sequence", "sequence_gap", "decoded.qmst", "decoded.qcst", "decoded.qcct"]
keep    = true                            # read by the states of all rules and by the rules about classes
note    = "A slot is a statistics interval; where only accounting or 115.231 shows that the queue manager ran, a piece of the usual length. Two times without a hole are joined where the numbers of a kind of records run on across the hole and none is missing, so that none was written, or where it is at most one usual interval; the time of any other hole is not known and has no slot."

[columns]
slot_start_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the slot." }
slot_end_utc = { unit = "ts_utc", kind = "clock", doc = "End of the slot." }
slot_seconds = { unit = "s", doc = "Length of the slot.", over = "add" }
stretch = { unit = "id", kind = "key", doc = "Number of the time without a hole, from 1." }
is_counted = { unit = "flag", doc = "A missing class is evidence: not a slot with a start of the queue manager, shorter than half the usual length, or the first or last of its stretch, because a dump is cut between the records of one interval. With fewer than three such slots all are counted, and no class is missing in part." }
has_115_1 = { unit = "flag", doc = "115.1 covers at least half of the slot." }
has_115_2 = { unit = "flag", doc = "115.2 covers at least half of the slot." }
has_115_5 = { unit = "flag", doc = "115.5 covers at least half of the slot." }
has_115_6 = { unit = "flag", doc = "115.6 covers at least half of the slot." }
has_115_7 = { unit = "flag", doc = "115.7 covers at least half of the slot." }
has_115_201 = { unit = "flag", doc = "115.201 covers at least half of the slot." }
has_115_215 = { unit = "flag", doc = "115.215 covers at least half of the slot." }
has_115_216 = { unit = "flag", doc = "115.216 covers at least half of the slot, or 115.2 counts no puts and gets in it." }
has_115_231 = { unit = "flag", doc = "115.231 covers at least half of the slot." }
has_116_0 = { unit = "flag", doc = "The slot is between the first and the last 116.0; also before and after them unless the hole is at least an hour and three times the longest hole inside. A hole of two hours with at least 1,000 calls of 115.2 in each slot is missing, if it is three times as long as usual." }
has_116_1 = { unit = "flag", doc = "A 116.1 overlaps the slot, or 115.2 counts fewer than 1,000 calls in it." }
has_116_10 = { unit = "flag", doc = "116.10 covers at least half of the slot, or no channel is known to have run in it: 116.10 is written only for channels that ran." }
mqi_calls = { unit = "count", doc = "Calls that 115.2 counts in the slot; null without it.", over = "add" }
---*/
WITH
usual AS MATERIALIZED (
  SELECT
    t.lpar, t.qmgr,
    coalesce(any_value(c.usual_seconds), median(epoch_us(t.last_utc - t.first_utc) / 1e6) FILTER (t.record_class IN ('115.231', '116.10')), 1800.0) AS usual_seconds,
    min(t.first_written_utc) AS first_written_utc
  FROM class_time AS t
  LEFT JOIN (SELECT lpar, qmgr, max(median_interval_seconds) AS usual_seconds FROM interval_cut GROUP BY lpar, qmgr) AS c
    ON c.lpar = t.lpar AND c.qmgr = t.qmgr
  GROUP BY t.lpar, t.qmgr
),
-- The times of all classes, each once (equal ones have no order), with the end of what was before it.
near AS (
  SELECT t.lpar, t.qmgr, t.first_utc, t.last_utc, u.usual_seconds, max(t.last_utc) OVER earlier AS before_utc
  FROM (SELECT DISTINCT lpar, qmgr, first_utc, last_utc FROM class_time) AS t
  JOIN usual AS u ON u.lpar = t.lpar AND u.qmgr = t.qmgr
  WINDOW earlier AS (PARTITION BY t.lpar, t.qmgr ORDER BY t.first_utc, t.last_utc ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
hole AS MATERIALIZED (
  SELECT *, before_utc IS NULL OR epoch_us(first_utc - before_utc) > usual_seconds * 1e6 AS is_hole
  FROM near
),
runs_on AS (
  SELECT DISTINCT h.lpar, h.qmgr, h.first_utc
  FROM hole AS h
  JOIN record_sequence AS s
    ON s.lpar = h.lpar AND s.qmgr = h.qmgr AND s.first_stck_utc <= h.before_utc + to_seconds(2) AND s.last_stck_utc > h.first_utc
  WHERE h.is_hole AND s.sequence_state = 'judged' AND s.counter > 0
    AND NOT EXISTS (
      SELECT 1 FROM sequence_gap AS g
      WHERE g.lpar = s.lpar AND g.qmgr = s.qmgr AND g.run = s.run AND g.counter = s.counter AND g.missing_numbers > g.damaged_records
        AND g.after_utc > h.before_utc + to_seconds(2) AND coalesce(g.before_utc < h.first_utc, true)
    )
),
joined AS (
  SELECT
    h.lpar, h.qmgr, h.first_utc, h.last_utc,
    count(*) FILTER (h.is_hole AND r.lpar IS NULL) OVER (PARTITION BY h.lpar, h.qmgr ORDER BY h.first_utc, h.last_utc ROWS UNBOUNDED PRECEDING) AS stretch
  FROM hole AS h
  LEFT JOIN runs_on AS r ON r.lpar = h.lpar AND r.qmgr = h.qmgr AND r.first_utc = h.first_utc
),
stretched AS MATERIALIZED (
  SELECT lpar, qmgr, stretch, min(first_utc) AS first_utc, max(last_utc) AS last_utc
  FROM joined
  GROUP BY lpar, qmgr, stretch
),
cut AS MATERIALIZED (
  SELECT lpar, qmgr, interval_start_utc AS start_utc, interval_end_utc AS end_utc, startup_interval OR suspect_first AS begun
  FROM interval_cut
  WHERE interval_us BETWEEN 1 AND 86400000000
),
edge AS (
  SELECT lpar, qmgr, start_utc, end_utc FROM cut
  UNION ALL
  SELECT lpar, qmgr, first_utc, first_utc FROM stretched
  UNION ALL
  SELECT lpar, qmgr, last_utc, last_utc FROM stretched
),
bare AS (
  SELECT
    lpar, qmgr,
    max(end_utc) OVER (PARTITION BY lpar, qmgr ORDER BY start_utc, end_utc ROWS UNBOUNDED PRECEDING) AS from_utc,
    lead(start_utc) OVER (PARTITION BY lpar, qmgr ORDER BY start_utc, end_utc) AS to_utc
  FROM edge
),
-- Time of a stretch without statistics; what ended before the first record was written may have records outside of the data.
piece AS (
  SELECT
    b.lpar, b.qmgr, b.from_utc, epoch_us(b.to_utc - b.from_utc) AS bare_us, u.first_written_utc,
    greatest(1, round(epoch_us(b.to_utc - b.from_utc) / (u.usual_seconds * 1e6)))::BIGINT AS pieces
  FROM bare AS b
  JOIN usual AS u ON u.lpar = b.lpar AND u.qmgr = b.qmgr
  ASOF JOIN stretched AS s ON s.lpar = b.lpar AND s.qmgr = b.qmgr AND s.first_utc <= b.from_utc
  WHERE b.to_utc <= s.last_utc AND epoch_us(b.to_utc - b.from_utc) >= 0.5 * u.usual_seconds * 1e6
),
spread AS (
  SELECT lpar, qmgr, from_utc, bare_us, pieces, first_written_utc, unnest(range(least(pieces, 100000))) AS place
  FROM piece
),
timed AS (
  SELECT lpar, qmgr, start_utc, end_utc, begun FROM cut
  UNION ALL
  SELECT
    lpar, qmgr, from_utc + to_microseconds((bare_us::HUGEINT * place // pieces)::BIGINT), from_utc + to_microseconds((bare_us::HUGEINT * (place + 1) // pieces)::BIGINT), false
  FROM spread
  WHERE from_utc + to_microseconds((bare_us::HUGEINT * (place + 1) // pieces)::BIGINT) + to_seconds(1) >= first_written_utc
),
numbered AS (
  SELECT
    t.lpar, t.qmgr, t.start_utc, t.end_utc, t.begun, s.stretch, u.usual_seconds,
    row_number() OVER (PARTITION BY t.lpar, t.qmgr ORDER BY t.start_utc, t.end_utc) AS number,
    lag(s.stretch) OVER by_time IS DISTINCT FROM s.stretch OR lead(s.stretch) OVER by_time IS DISTINCT FROM s.stretch AS is_at_end
  FROM timed AS t
  JOIN usual AS u ON u.lpar = t.lpar AND u.qmgr = t.qmgr
  ASOF JOIN stretched AS s ON s.lpar = t.lpar AND s.qmgr = t.qmgr AND s.first_utc <= t.start_utc
  WINDOW by_time AS (PARTITION BY t.lpar, t.qmgr ORDER BY t.start_utc, t.end_utc)
),
counted AS MATERIALIZED (
  SELECT
    n.lpar, n.qmgr, n.number, n.stretch, n.start_utc, n.end_utc, epoch_us(n.end_utc - n.start_utc) AS slot_us,
    NOT (n.is_at_end OR n.begun OR epoch_us(n.end_utc - n.start_utc) < 0.5 * n.usual_seconds * 1e6) AS is_evidence,
    m.calls, m.puts_gets
  FROM numbered AS n
  LEFT JOIN (
    SELECT
      lpar, qmgr, interval_start_utc, sum(puts + put1s + gets)::BIGINT AS puts_gets,
      sum(opens + closes + gets + puts + put1s + inquires + sets + coalesce(subscribes, 0) + coalesce(callbacks, 0) + coalesce(statuses, 0))::BIGINT AS calls
    FROM decoded.qmst
    GROUP BY lpar, qmgr, interval_start_utc
  ) AS m ON m.lpar = n.lpar AND m.qmgr = n.qmgr AND m.interval_start_utc = n.start_utc
),
-- Channels are known to have run from the start that their first record has to their last record; after the last record of all channels only if it shows one that
-- did not stop, and until the channel initiator counts fewer active channels.
instance AS MATERIALIZED (
  SELECT
    lpar, qmgr, least(min(interval_start_utc), min(channel_start_utc)) AS first_utc, max(interval_end_utc) AS last_utc,
    arg_max(channel_stop_utc IS NULL, (interval_end_utc, channel_stop_utc IS NULL)) AS is_running
  FROM decoded.qcst
  GROUP BY lpar, qmgr, channel_name, connection_name, channel_start_utc
),
last_channel AS (
  SELECT lpar, qmgr, last_utc, bool_or(is_running) AS is_running
  FROM instance
  GROUP BY lpar, qmgr, last_utc
  QUALIFY row_number() OVER (PARTITION BY lpar, qmgr ORDER BY last_utc DESC) = 1
),
active AS (
  SELECT
    l.lpar, l.qmgr, l.last_utc, c.interval_start_utc, c.interval_end_utc, c.active_channels, c.interval_end_utc > l.last_utc + to_seconds(1) AS is_after,
    arg_max(c.active_channels, c.interval_end_utc) FILTER (c.interval_end_utc <= l.last_utc + to_seconds(1)) OVER (PARTITION BY l.lpar, l.qmgr) AS active_before
  FROM last_channel AS l
  JOIN decoded.qcct AS c ON c.lpar = l.lpar AND c.qmgr = l.qmgr
  WHERE l.is_running
),
running AS (
  SELECT
    lpar, qmgr, last_utc AS first_utc,
    coalesce(min(interval_start_utc) FILTER (is_after AND active_channels < active_before), max(interval_end_utc)) AS last_utc
  FROM active
  WHERE active_before IS NOT NULL
  GROUP BY lpar, qmgr, last_utc
  HAVING bool_or(is_after)
),
channel_run AS (
  SELECT lpar, qmgr, first_utc, last_utc FROM instance
  UNION
  SELECT lpar, qmgr, first_utc, last_utc FROM running
),
channel_marked AS (
  SELECT *, coalesce(first_utc > max(last_utc) OVER (PARTITION BY lpar, qmgr ORDER BY first_utc, last_utc ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), true) AS is_first
  FROM channel_run
),
channel_part AS (
  SELECT *, count(*) FILTER (is_first) OVER (PARTITION BY lpar, qmgr ORDER BY first_utc, last_utc ROWS UNBOUNDED PRECEDING) AS part
  FROM channel_marked
),
covering AS (
  SELECT lpar, qmgr, record_class, first_utc, last_utc FROM class_time WHERE record_class NOT IN ('115.240', '116.0')
  UNION ALL
  SELECT lpar, qmgr, 'channels', min(first_utc), max(last_utc) FROM channel_part GROUP BY lpar, qmgr, part
),
placed AS (
  SELECT c.lpar, c.qmgr, c.record_class, c.first_utc, c.last_utc, unnest(range(coalesce(a.number, 1), b.number + 1)) AS number
  FROM covering AS c
  ASOF LEFT JOIN counted AS a ON a.lpar = c.lpar AND a.qmgr = c.qmgr AND a.start_utc <= c.first_utc
  ASOF JOIN counted AS b ON b.lpar = c.lpar AND b.qmgr = c.qmgr AND b.start_utc <= c.last_utc
),
overlap AS (
  SELECT
    p.lpar, p.qmgr, p.number, p.record_class,
    2 * sum(epoch_us(least(p.last_utc, c.end_utc) - greatest(p.first_utc, c.start_utc))) >= any_value(c.slot_us) AS is_half,
    -- The clocks of the two kinds differ by microseconds: an interval that ends with the slot before does not overlap this one.
    bool_or(epoch_us(least(p.last_utc, c.end_utc) - greatest(p.first_utc, c.start_utc)) >= least(1000000, epoch_us(p.last_utc - p.first_utc))) AS is_touched
  FROM placed AS p
  JOIN counted AS c ON c.lpar = p.lpar AND c.qmgr = p.qmgr AND c.number = p.number
  WHERE least(p.last_utc, c.end_utc) >= greatest(p.first_utc, c.start_utc)
  GROUP BY p.lpar, p.qmgr, p.number, p.record_class
),
there AS (
  SELECT
    lpar, qmgr, number,
    bool_or(is_half) FILTER (record_class = '115.1') AS has_115_1,
    bool_or(is_half) FILTER (record_class = '115.2') AS has_115_2,
    bool_or(is_half) FILTER (record_class = '115.5') AS has_115_5,
    bool_or(is_half) FILTER (record_class = '115.6') AS has_115_6,
    bool_or(is_half) FILTER (record_class = '115.7') AS has_115_7,
    bool_or(is_half) FILTER (record_class = '115.201') AS has_115_201,
    bool_or(is_half) FILTER (record_class = '115.215') AS has_115_215,
    bool_or(is_half) FILTER (record_class = '115.216') AS has_115_216,
    bool_or(is_half) FILTER (record_class = '115.231') AS has_115_231,
    bool_or(is_touched) FILTER (record_class = '116.1') AS has_116_1,
    bool_or(is_half) FILTER (record_class = '116.10') AS has_116_10,
    bool_or(is_half) FILTER (record_class = 'channels') AS channels_ran
  FROM overlap
  GROUP BY lpar, qmgr, number
),
-- Class 1 accounting is written when a task ends: only a long hole shows that it was not collected.
class1 AS MATERIALIZED (
  SELECT lpar, qmgr, first_utc, last_utc, lag(last_utc) OVER (PARTITION BY lpar, qmgr ORDER BY first_utc) AS before_utc
  FROM class_time
  WHERE record_class = '116.0'
),
class1_period AS MATERIALIZED (
  SELECT lpar, qmgr, min(first_utc) AS first_utc, max(last_utc) AS last_utc, coalesce(max(first_utc - before_utc), to_seconds(0)) AS longest,
    median(epoch_us(first_utc - before_utc)) AS usual_us
  FROM class1
  GROUP BY lpar, qmgr
),
class1_hole AS (
  SELECT p.lpar, p.qmgr, min(c.start_utc) AS first_utc, p.first_utc - to_seconds(1) AS last_utc, 0 AS least_calls
  FROM class1_period AS p
  JOIN counted AS c ON c.lpar = p.lpar AND c.qmgr = p.qmgr
  GROUP BY p.lpar, p.qmgr, p.first_utc, p.longest
  HAVING p.first_utc - min(c.start_utc) >= greatest(to_hours(1), 3 * p.longest)
  UNION ALL
  SELECT p.lpar, p.qmgr, p.last_utc - to_seconds(1), max(c.end_utc), 0
  FROM class1_period AS p
  JOIN counted AS c ON c.lpar = p.lpar AND c.qmgr = p.qmgr
  GROUP BY p.lpar, p.qmgr, p.last_utc, p.longest
  HAVING max(c.end_utc) - p.last_utc >= greatest(to_hours(1), 3 * p.longest)
  UNION ALL
  -- A job that ends every few hours is a rhythm, and no hole.
  SELECT h.lpar, h.qmgr, h.before_utc - to_seconds(1), h.first_utc - to_seconds(1), 1000
  FROM class1 AS h
  JOIN class1_period AS p ON p.lpar = h.lpar AND p.qmgr = h.qmgr
  WHERE h.first_utc - h.before_utc >= to_hours(2) AND epoch_us(h.first_utc - h.before_utc) >= 3 * p.usual_us
),
class1_missing AS (
  SELECT c.lpar, c.qmgr, c.number, min(coalesce(c.calls, 0)) OVER (PARTITION BY h.lpar, h.qmgr, h.first_utc) >= h.least_calls AS is_missing
  FROM class1_hole AS h
  JOIN counted AS c ON c.lpar = h.lpar AND c.qmgr = h.qmgr AND c.start_utc >= h.first_utc AND c.end_utc <= h.last_utc
),
collected AS (
  SELECT
    t.lpar, t.qmgr, list(DISTINCT t.record_class) AS classes,
    any_value(e.slots) < 3 AS is_short
  FROM class_time AS t
  LEFT JOIN (SELECT lpar, qmgr, count(*) FILTER (is_evidence) AS slots FROM counted GROUP BY lpar, qmgr) AS e ON e.lpar = t.lpar AND e.qmgr = t.qmgr
  GROUP BY t.lpar, t.qmgr
)
SELECT
  c.lpar, c.qmgr, c.start_utc AS slot_start_utc, c.end_utc AS slot_end_utc, c.slot_us / 1e6 AS slot_seconds, c.stretch,
  k.is_short OR c.is_evidence AS is_counted,
  coalesce(CASE WHEN k.is_short THEN list_contains(k.classes, '115.1') ELSE t.has_115_1 END, false) AS has_115_1,
  coalesce(CASE WHEN k.is_short THEN list_contains(k.classes, '115.2') ELSE t.has_115_2 END, false) AS has_115_2,
  coalesce(CASE WHEN k.is_short THEN list_contains(k.classes, '115.5') ELSE t.has_115_5 END, false) AS has_115_5,
  coalesce(CASE WHEN k.is_short THEN list_contains(k.classes, '115.6') ELSE t.has_115_6 END, false) AS has_115_6,
  coalesce(CASE WHEN k.is_short THEN list_contains(k.classes, '115.7') ELSE t.has_115_7 END, false) AS has_115_7,
  coalesce(CASE WHEN k.is_short THEN list_contains(k.classes, '115.201') ELSE t.has_115_201 END, false) AS has_115_201,
  coalesce(CASE WHEN k.is_short THEN list_contains(k.classes, '115.215') ELSE t.has_115_215 END, false) AS has_115_215,
  list_contains(k.classes, '115.216') AND (k.is_short OR coalesce(t.has_115_216, false) OR coalesce(c.puts_gets = 0, false)) AS has_115_216,
  coalesce(CASE WHEN k.is_short THEN list_contains(k.classes, '115.231') ELSE t.has_115_231 END, false) AS has_115_231,
  list_contains(k.classes, '116.0') AND (k.is_short OR NOT coalesce(o.is_missing, false)) AS has_116_0,
  list_contains(k.classes, '116.1') AND (k.is_short OR coalesce(t.has_116_1, false) OR coalesce(c.calls < 1000, false)) AS has_116_1,
  list_contains(k.classes, '116.10') AND (k.is_short OR coalesce(t.has_116_10, false) OR NOT coalesce(t.channels_ran, false)) AS has_116_10,
  c.calls AS mqi_calls
FROM counted AS c
JOIN collected AS k ON k.lpar = c.lpar AND k.qmgr = c.qmgr
LEFT JOIN there AS t ON t.lpar = c.lpar AND t.qmgr = c.qmgr AND t.number = c.number
LEFT JOIN (SELECT lpar, qmgr, number, bool_or(is_missing) AS is_missing FROM class1_missing GROUP BY lpar, qmgr, number) AS o
  ON o.lpar = c.lpar AND o.qmgr = c.qmgr AND o.number = c.number
