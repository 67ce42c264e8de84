/*---
id      = "headroom"
title   = "Headroom of every limit"
grain   = "one row per lpar, qmgr, limit and subject"
needs   = ["headroom_step", "headroom_limit", "collection", "interval_cut"]
classes = ["115.1", "115.2", "115.7", "115.201", "115.215", "115.231"]
empty_without = false
note    = "Growth is the median over all pairs of the last 100 complete steps; its range is from the 5 % to the 95 % quantile of these pairs. There is a date only if the whole range is growth, and not beyond three times the observed days or a year: a level that only fluctuates has no date. The date counts from the last value, or from the maximum of the last complete step if that is higher."

[columns]
limit_label = { unit = "text", doc = "The limit with its subject, as in a sentence." }
headroom_state = { unit = "text", doc = "reached; date known; no growth (at most half of the pairs of days show it); no steady growth (fewer than 95 % of them do); too far (beyond three times the observed days or a year); too few days (of data: days_needed); too few days since restart (storage, which a restart frees: 7); no date (a share of time has no trend); no limit; no limit declared (the site file does not give it); no usable interval (startup or below 10 seconds); not collected; not in this release.", label = "state", screen = 1 }
limit_place = { unit = "count", doc = "Order in which the limits that end service are reached: those reached, then by reach_date; null for limits without a date.", over = "min", label = "order", screen = 1 }
used_value = { unit = "number", doc = "Highest use of the period, in limit_unit.", over = "max", label = "used", format = ",.1f", screen = 2 }
limit_value = { unit = "number", doc = "The limit in the last interval, in limit_unit; null if it is not known or there is none.", over_time = "last", across = "same", label = "limit value", format = ",.0f", screen = 2 }
used_share_pct = { unit = "percent", doc = "Highest use as a share of the limit.", over = "max", label = "used %", screen = 1 }
headroom_pct = { unit = "percent", doc = "Share of the limit that was never used.", over = "min", label = "left %", screen = 3 }
growth_per_day = { unit = "number", doc = "Median growth of the daily maximum per day, in limit_unit; for rates, of the weekly maximum.", over = "none", why = "Each row has a figure of its own.", label = "growth/day", format = ",.1f", screen = 2 }
growth_per_day_low = { unit = "number", doc = "5 % of the pairs of days show less growth.", over = "none", why = "Each row has a figure of its own.", label = "least growth", format = ",.1f" }
growth_per_day_high = { unit = "number", doc = "5 % of the pairs of days show more growth.", over = "none", why = "Each row has a figure of its own.", label = "most growth", format = ",.1f" }
days_used = { unit = "days", doc = "Complete days of the trend; for rates, seven for each complete week.", over = "max", label = "days", screen = 2 }
data_days = { unit = "days", over = "max", doc = "Complete days of data, before and after the last restart; for rates, seven for each complete week. A day with a restart is complete if both of its parts together are." }
has_forecast = { unit = "flag", doc = "The limit is known, and there are enough days of data for a date." }
days_left = { unit = "days", over = "min", doc = "Days from the end of the data to reach_date; 0 if the limit was reached and its use still grows steadily; null without a date.", label = "days left", screen = 2 }
reach_text = { unit = "text", doc = "When the limit is reached, as in a sentence: a local date, or that it is reached." }
reach_date_early = { unit = "ts_local", doc = "When the limit is reached at the high end of the growth; null unless the state is date known.", over = "min", label = "early", format = "day", screen = 2 }
reach_date = { unit = "ts_local", doc = "When the limit is reached at the median growth; null unless the state is date known.", over = "min", label = "reached on", format = "day", screen = 1 }
reach_date_late = { unit = "ts_local", doc = "When the limit is reached at the low end of the growth; null if that is too far, or unless the state is date known.", over = "max", label = "late", format = "day", screen = 2 }
reached_at_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the first interval in which the limit was reached.", over = "min", label = "reached at", screen = 3 }
when_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the interval with the highest use; the first one if there are several.", label = "peak at", screen = 3 }
---*/
WITH
series AS (
  SELECT
    lpar, qmgr, limit_number, limit_subject,
    max(step_used_high)                                       AS used_value,
    arg_max(step_high_at_utc, (step_used_high, -epoch_us(step_high_at_utc))) FILTER (step_used_high IS NOT NULL) AS when_utc,
    max(step_last)                                            AS last,
    max(step_last_end_local)                                  AS last_end_local,
    (epoch(max(step_last_end_local) FILTER (in_trend)) - epoch(min(step_first_start_local) FILTER (in_trend))) / 86400 AS days_observed,
    coalesce(sum(step_events), 0)                             AS reached_events,
    min(step_reached_at_utc)                                  AS reached_at_utc
  FROM headroom_step
  GROUP BY lpar, qmgr, limit_number, limit_subject
),
whole AS (
  SELECT lpar, qmgr, limit_number, limit_subject, step_number, step_used_high
  FROM headroom_step
  WHERE complete_step AND in_trend AND step_used_high IS NOT NULL AND limit_number NOT BETWEEN 9 AND 12
  QUALIFY row_number() OVER (PARTITION BY lpar, qmgr, limit_number, limit_subject ORDER BY step_number DESC) <= 100
),
day AS (
  SELECT lpar, qmgr, limit_number, limit_subject, step_number, sum(step_seconds) AS seconds
  FROM headroom_step
  GROUP BY lpar, qmgr, limit_number, limit_subject, step_number
),
covered AS (
  SELECT lpar, qmgr, limit_number, limit_subject, count(*) FILTER (seconds >= 0.9 * usual_seconds) AS data_steps
  FROM (SELECT *, median(seconds) OVER (PARTITION BY lpar, qmgr, limit_number, limit_subject) AS usual_seconds FROM day)
  GROUP BY lpar, qmgr, limit_number, limit_subject
),
steps AS (
  SELECT lpar, qmgr, limit_number, limit_subject, count(*) AS trend_steps, arg_max(step_used_high, step_number) AS used_last_step
  FROM whole
  GROUP BY lpar, qmgr, limit_number, limit_subject
),
pair AS (
  SELECT
    a.lpar, a.qmgr, a.limit_number, a.limit_subject,
    quantile_cont((b.step_used_high - a.step_used_high) / (b.step_number - a.step_number), [0.05, 0.5, 0.95]) AS growth
  FROM whole AS a
  JOIN whole AS b
    ON b.lpar = a.lpar AND b.qmgr = a.qmgr AND b.limit_number = a.limit_number AND b.limit_subject IS NOT DISTINCT FROM a.limit_subject
      AND b.step_number > a.step_number
  GROUP BY a.lpar, a.qmgr, a.limit_number, a.limit_subject
),
grown AS (
  SELECT
    s.lpar, s.qmgr, s.limit_number, s.limit_subject, l.limit_name, l.limit_area, l.limit_unit, l.limit_unit_label,
    l.planning_share_pct, l.trend_step_days, l.days_needed,
    s.used_value, s.when_utc, s.last_end_local, s.reached_events, s.reached_at_utc,
    s.last['limit']                                           AS limit_value,
    s.last['ends']                                            AS limit_ends_service,
    s.last['source']                                          AS limit_source,
    s.last['note']                                            AS limit_note,
    coalesce(t.trend_steps, 0)                                AS trend_steps,
    l.trend_steps_min,
    c.data_steps * l.trend_step_days                          AS data_days,
    least(365, 3 * s.days_observed)                           AS horizon_days,
    p.growth[1] / l.trend_step_days                           AS growth_per_day_low,
    p.growth[2] / l.trend_step_days                           AS growth_per_day,
    p.growth[3] / l.trend_step_days                           AS growth_per_day_high,
    s.last['limit'] - greatest(s.last['used'], t.used_last_step) AS left_over
  FROM series AS s
  JOIN headroom_limit AS l ON l.limit_number = s.limit_number
  JOIN covered AS c
    ON c.lpar = s.lpar AND c.qmgr = s.qmgr AND c.limit_number = s.limit_number AND c.limit_subject IS NOT DISTINCT FROM s.limit_subject
  LEFT JOIN steps AS t
    ON t.lpar = s.lpar AND t.qmgr = s.qmgr AND t.limit_number = s.limit_number AND t.limit_subject IS NOT DISTINCT FROM s.limit_subject
  LEFT JOIN pair AS p
    ON p.lpar = s.lpar AND p.qmgr = s.qmgr AND p.limit_number = s.limit_number AND p.limit_subject IS NOT DISTINCT FROM s.limit_subject
),
judged AS (
  SELECT
    *,
    limit_value IS NOT NULL AND coalesce(data_days >= days_needed AND trend_steps >= trend_steps_min, false) AS has_forecast,
    CASE
      WHEN reached_events > 0 OR used_value >= limit_value THEN 'reached'
      WHEN limit_source = 'no limit' THEN 'no limit'
      WHEN limit_value IS NULL THEN 'no limit declared'
      WHEN trend_step_days IS NULL THEN 'no date'
      WHEN data_days < days_needed THEN 'too few days'
      WHEN trend_steps < trend_steps_min THEN 'too few days since restart'
      WHEN coalesce(growth_per_day, 0) <= 0 THEN 'no growth'
      WHEN growth_per_day_low <= 0 THEN 'no steady growth'
      WHEN left_over / growth_per_day > horizon_days THEN 'too far'
      ELSE 'date known'
    END                                                       AS headroom_state
  FROM grown
),
dated AS (
  SELECT
    *,
    CASE WHEN headroom_state = 'date known' AND left_over / growth_per_day_high <= horizon_days
      THEN last_end_local + to_microseconds((greatest(0, left_over / growth_per_day_high) * 86400e6)::BIGINT)
    END                                                       AS reach_date_early,
    CASE WHEN headroom_state = 'date known' AND left_over / growth_per_day <= horizon_days
      THEN last_end_local + to_microseconds((greatest(0, left_over / growth_per_day) * 86400e6)::BIGINT)
    END                                                       AS reach_date,
    CASE WHEN headroom_state = 'date known' AND left_over / growth_per_day_low <= horizon_days
      THEN last_end_local + to_microseconds((greatest(0, left_over / growth_per_day_low) * 86400e6)::BIGINT)
    END                                                       AS reach_date_late
  FROM judged
),
usable AS (
  SELECT lpar, qmgr, count(*) FILTER (settled(interval_seconds, fragment, startup_interval)) AS usable_intervals
  FROM interval_cut
  GROUP BY lpar, qmgr
),
missing AS (
  SELECT
    c.lpar, c.qmgr, l.limit_number, l.limit_name, l.limit_area, l.limit_unit, l.limit_unit_label, l.planning_share_pct, l.days_needed,
    CASE WHEN c.records > 0 THEN 'no usable interval' ELSE c.coverage_state END AS headroom_state,
    CASE WHEN c.records = 0 THEN c.record_class END           AS limit_note
  FROM headroom_limit AS l
  JOIN collection AS c ON c.record_class = l.missing_class
  LEFT JOIN usable AS i ON i.lpar = c.lpar AND i.qmgr = c.qmgr
  ANTI JOIN series AS s ON s.lpar = c.lpar AND s.qmgr = c.qmgr AND s.limit_number = l.limit_number
  WHERE c.records = 0 OR coalesce(i.usable_intervals, 0) = 0
)
SELECT
  lpar, qmgr, limit_number, limit_name, limit_area, limit_subject,
  CASE
    WHEN limit_subject IS NULL THEN limit_name
    WHEN contains(limit_name, ', ') THEN limit_subject || ', ' || split_part(limit_name, ', ', 2)
    ELSE limit_subject
  END                                                         AS limit_label,
  headroom_state,
  CASE WHEN limit_ends_service AND headroom_state IN ('reached', 'date known') THEN
    row_number() OVER (
      PARTITION BY lpar, qmgr ORDER BY
        CASE WHEN limit_ends_service AND headroom_state IN ('reached', 'date known') THEN 0 ELSE 1 END,
        reach_date NULLS FIRST, reached_at_utc NULLS LAST, limit_number, limit_subject
    )
  END                                                         AS limit_place,
  used_value, limit_value, limit_unit, limit_unit_label,
  pct(used_value, limit_value)                                AS used_share_pct,
  planning_share_pct,
  100 - pct(used_value, limit_value)                          AS headroom_pct,
  growth_per_day, growth_per_day_low, growth_per_day_high,
  CASE WHEN trend_step_days > 0 THEN trend_steps * trend_step_days END AS days_used,
  data_days, days_needed,
  has_forecast,
  CASE
    WHEN headroom_state = 'date known' THEN greatest(0, left_over / growth_per_day)
    WHEN headroom_state = 'reached' AND has_forecast AND growth_per_day_low > 0 THEN 0
  END                                                         AS days_left,
  CASE WHEN headroom_state = 'reached' THEN 'it is reached' ELSE 'about ' || strftime(reach_date, '%Y-%m-%d') END AS reach_text,
  reach_date_early, reach_date, reach_date_late, reached_at_utc, when_utc,
  limit_ends_service, limit_source, limit_note
FROM (
  SELECT
    lpar, qmgr, limit_number, limit_name, limit_area, limit_subject, headroom_state, used_value, limit_value, limit_unit, limit_unit_label,
    planning_share_pct, data_days, days_needed, has_forecast, left_over, growth_per_day, growth_per_day_low, growth_per_day_high, trend_step_days,
    trend_steps, reach_date_early, reach_date, reach_date_late, reached_at_utc, when_utc, limit_ends_service, limit_source, limit_note
  FROM dated
  UNION ALL
  SELECT
    lpar, qmgr, limit_number, limit_name, limit_area, NULL, headroom_state, NULL, NULL, limit_unit, limit_unit_label,
    planning_share_pct, NULL, days_needed, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, limit_note
  FROM missing
) AS every
