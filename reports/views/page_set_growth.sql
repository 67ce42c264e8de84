/*---
id       = "page_set_growth"
title    = "Page sets over the whole period"
grain    = "one row per lpar, qmgr and page set"
needs    = ["page_set", "page_set_day", "data_manager"]
classes  = ["115.201"]
mq_since = "9.0.0"
note     = "Helper of the rules that judge a whole period, and of report page_set/growth. Intervals in which the page set was not available are ignored. The trend uses the daily maxima of complete local days: a single batch peak or expansion does not change the median of all pairs of days."

[columns]
pool_id = { doc = "Buffer pool the page set uses; last interval." }
page_set_intervals = { unit = "count", doc = "Intervals of the period in which the page set was available.", over = "add" }
page_set_minutes = { unit = "min", doc = "Length of these intervals together.", over = "max" }
days_observed = { unit = "days", doc = "Days from the first of these intervals to the end of the last.", over = "max", label = "days", format = ",.1f", screen = 2 }
complete_days = { unit = "count", doc = "Local days whose intervals cover at least 90 % of what they usually cover.", over = "max", label = "complete days", screen = 1 }
expansion_method = { doc = "How the page set expands: None, User or System; last interval." }
growth = { doc = "Whether the page set can grow, and if not, why; last interval." }
can_grow = { doc = "The page set can grow; last interval." }
at_largest = { doc = "The page set has its largest size; last interval." }
total_pages_now = { unit = "pages", doc = "Pages in the page set; last interval.", over_time = "last", across = "add", label = "pages", screen = 1 }
used_pages_first = { unit = "pages", doc = "Pages in use; first interval.", over_time = "last", across = "add", label = "used first" }
used_pages_now = { unit = "pages", doc = "Pages in use; last interval.", over_time = "last", across = "add", label = "used now", screen = 2 }
used_pages_added = { unit = "pages", doc = "Pages in use in the last interval minus those in the first.", over_time = "last", across = "add" }
used_pct_now = { unit = "percent", doc = "Pages in use as a share of the page set; last interval.", over_time = "last", ratio = { numerator = "used_pages_now", denominator = "total_pages_now", scale = 100 }, label = "used % now", screen = 1 }
used_pct_max = { unit = "percent", doc = "Highest share of the pages in use of any interval.", over = "max", label = "most %", screen = 1 }
used_pages_high = { unit = "pages", doc = "Pages in use from which days to full are counted: the maximum of the last complete day, or those of the last interval if more.", over_time = "last", across = "add" }
persistent_pages_now = { unit = "pages", doc = "Pages holding persistent data; last interval.", over_time = "last", across = "add" }
persistent_pct_now = { unit = "percent", doc = "Pages holding persistent data as a share of the page set; last interval.", ratio = { numerator = "persistent_pages_now", denominator = "total_pages_now", scale = 100 }, label = "persistent %", screen = 2 }
growth_pages_per_day = { unit = "pages", doc = "Growth of the daily maximum of pages in use per day: the median over all pairs of complete days.", over_time = "last", across = "add", label = "pages/day", screen = 1 }
growth_least_squares_per_day = { unit = "pages", doc = "Growth of the pages in use per day by least squares over all intervals.", over_time = "last", across = "add", label = "least squares/day" }
fit_r2 = { unit = "ratio", doc = "Share of the variance over all intervals that this straight line explains.", over = "none", why = "A line through the points does not follow from the lines of the rows.", label = "fit", format = ".2f" }
daily_fit_r2 = { unit = "ratio", doc = "Share of the variance of the daily maxima that a straight line explains.", over = "none", why = "A line through the points does not follow from the lines of the rows.", label = "daily fit", format = ".2f", screen = 2 }
days_to_90_pct = { unit = "days", doc = "Days until 90 % of the pages are in use, where expansion starts; null without growth.", over = "min", label = "days to 90 %", screen = 2 }
days_to_full = { unit = "days", doc = "Days until all pages of the present size are in use; null without growth. A page set that may expand grows before.", over = "min", label = "days to full", screen = 1 }
days_to_64_gib = { unit = "days", doc = "Days until as many pages are in use as the largest page set has, 64 GiB; null without growth.", over = "min", label = "to 64 GB", screen = 2 }
days_to_largest = { unit = "days", doc = "Days until as many pages are in use as the data set can have; null without growth.", over = "min", label = "to largest", screen = 3 }
page_set_expansions = { unit = "count", doc = "Intervals in which the page set was larger than in the previous interval, except after restarts.", over = "add" }
last_expansion_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the last interval in which the page set was larger than before.", label = "last grew", screen = 2 }
hours_to_full_at_peak_rate = { unit = "h", doc = "Hours until all pages are in use at the fastest growth between two intervals that are no fragments, except across restarts.", over = "min", label = "hours at peak rate", screen = 2 }
page_set_end_utc = { unit = "ts_utc", doc = "End of the last interval." }
unread_minutes = { unit = "min", doc = "Minutes at the end of the data, since the last gap, in which the queue manager got no message from any page set; null if the records do not show it.", over = "max", classes = ["115.2"] }
unread_since_utc = { unit = "ts_utc", doc = "Start of the first of these intervals." }
unread_pages_added = { unit = "pages", doc = "Pages in use in the last of these intervals minus those in the first.", over_time = "last", across = "add" }
unread_puts = { unit = "count", doc = "Messages that the data manager put in these intervals, to all page sets.", over = "max" }
---*/
WITH
-- A window inside nullif is not readable in the database file for DuckDB 1.4.
paired AS (
  SELECT
    *,
    lag(interval_seconds) OVER earlier AS seconds_before,
    lag(fragment) OVER earlier         AS fragment_before,
    lag(used_pages) OVER earlier       AS used_pages_before,
    lag(interval_end_utc) OVER earlier AS end_before_utc,
    first_value(interval_start_utc) OVER earlier AS series_start_utc
  FROM page_set
  WHERE status = 'Available'
  WINDOW earlier AS (PARTITION BY lpar, qmgr, page_set_id ORDER BY interval_start_utc, record_id)
),
request AS (
  SELECT lpar, qmgr, interval_start_utc, sum(dm_gets)::BIGINT AS dm_gets, sum(dm_puts)::BIGINT AS dm_puts
  FROM data_manager
  GROUP BY lpar, qmgr, interval_start_utc
),
stepped AS (
  SELECT
    p.*, r.dm_gets, r.dm_puts,
    CASE
      WHEN grown_pages IS NOT NULL AND judgeable(interval_seconds, fragment) AND judgeable(seconds_before, fragment_before)
        THEN (used_pages - used_pages_before) / nullif(epoch(interval_end_utc) - epoch(end_before_utc), 0)
    END AS used_pages_per_s,
    max(CASE WHEN r.dm_gets IS DISTINCT FROM 0 THEN p.interval_start_utc END) OVER series AS last_read_utc,
    max(CASE WHEN p.interval_start_utc > end_before_utc + INTERVAL 2 SECONDS THEN p.interval_start_utc END) OVER series AS last_gap_utc
  FROM paired AS p
  LEFT JOIN request AS r ON r.lpar = p.lpar AND r.qmgr = p.qmgr AND r.interval_start_utc = p.interval_start_utc
  WINDOW series AS (PARTITION BY p.lpar, p.qmgr, p.page_set_id)
),
unread AS (
  SELECT
    lpar, qmgr, page_set_id,
    sum(interval_seconds) / 60                      AS minutes,
    min(interval_start_utc)                         AS since_utc,
    max({ 'at': interval_start_utc, 'record_id': record_id, 'used': used_pages })['used']
      - min({ 'at': interval_start_utc, 'record_id': record_id, 'used': used_pages })['used'] AS pages_added,
    sum(dm_puts)::BIGINT                            AS puts
  FROM stepped
  WHERE coalesce(interval_start_utc > last_read_utc, true) AND coalesce(interval_start_utc >= last_gap_utc, true)
  GROUP BY lpar, qmgr, page_set_id
),
summed AS (
  SELECT
    lpar, qmgr, page_set_id,
    -- All columns come from the last row, or from the first row.
    max({
      'at': interval_start_utc, 'record_id': record_id, 'pool_id': pool_id, 'total': total_pages, 'used': used_pages, 'pct': used_pct,
      'persistent': persistent_pages, 'method': expansion_method, 'growth': growth, 'can_grow': can_grow, 'at_largest': at_largest, 'largest': largest_pages,
      'end': interval_end_utc, 'gets': dm_gets
    })                                              AS last,
    min({ 'at': interval_start_utc, 'record_id': record_id, 'used': used_pages }) AS first,
    count(*)                                        AS page_set_intervals,
    sum(interval_seconds) / 60                      AS page_set_minutes,
    (epoch(max(interval_end_utc)) - epoch(min(interval_start_utc))) / 86400 AS days_observed,
    max(used_pct)                                   AS used_pct_max,
    -- In this order, and from the first interval on: times since 1970 leave too few digits for the squares.
    -- DuckDB 2.0 has NaN, not null, as the slope of points of one time.
    CASE WHEN min(interval_start_utc) < max(interval_start_utc) THEN regr_slope(used_pages, epoch(interval_start_utc - series_start_utc) ORDER BY interval_start_utc) * 86400 END AS growth_least_squares_per_day,
    regr_r2(used_pages, epoch(interval_start_utc - series_start_utc) ORDER BY interval_start_utc) AS fit_r2,
    CASE WHEN count(grown_pages) > 0 THEN count(*) FILTER (grown_pages > 0) END AS page_set_expansions,
    max(interval_start_utc) FILTER (grown_pages > 0) AS last_expansion_utc,
    sum(full_count)::BIGINT                         AS full_count,
    max(used_pages_per_s)                           AS most_pages_per_s
  FROM stepped
  GROUP BY lpar, qmgr, page_set_id
),
whole_day AS (
  SELECT lpar, qmgr, page_set_id, local_day, used_pages_day_max AS used
  FROM page_set_day
  WHERE complete_day
),
daily AS (
  SELECT lpar, qmgr, page_set_id, count(*) AS complete_days, arg_max(used, local_day) AS used_last_day, regr_r2(used, local_day ORDER BY local_day) AS daily_fit_r2
  FROM whole_day
  GROUP BY lpar, qmgr, page_set_id
),
pair AS (
  SELECT a.lpar, a.qmgr, a.page_set_id, median((b.used - a.used) / (b.local_day - a.local_day)) AS growth_pages_per_day
  FROM whole_day AS a
  JOIN whole_day AS b
    ON b.lpar = a.lpar AND b.qmgr = a.qmgr AND b.page_set_id = a.page_set_id AND b.local_day > a.local_day
  GROUP BY a.lpar, a.qmgr, a.page_set_id
),
joined AS (
  SELECT
    s.*, coalesce(d.complete_days, 0) AS complete_days, d.daily_fit_r2, p.growth_pages_per_day,
    coalesce(u.minutes, CASE WHEN s.last['gets'] IS NOT NULL THEN 0 END) AS unread_minutes,
    u.since_utc AS unread_since_utc, coalesce(u.pages_added, CASE WHEN s.last['gets'] IS NOT NULL THEN 0 END) AS unread_pages_added, u.puts AS unread_puts,
    greatest(s.last['used'], d.used_last_day) AS used_pages_high,
    CASE WHEN p.growth_pages_per_day > 0 THEN p.growth_pages_per_day END AS growth
  FROM summed AS s
  LEFT JOIN daily AS d ON d.lpar = s.lpar AND d.qmgr = s.qmgr AND d.page_set_id = s.page_set_id
  LEFT JOIN pair AS p ON p.lpar = s.lpar AND p.qmgr = s.qmgr AND p.page_set_id = s.page_set_id
  LEFT JOIN unread AS u ON u.lpar = s.lpar AND u.qmgr = s.qmgr AND u.page_set_id = s.page_set_id
)
SELECT
  lpar, qmgr, page_set_id,
  last['pool_id']                                   AS pool_id,
  last['at']                                        AS interval_start_utc,
  last['record_id']                                 AS record_id,
  page_set_intervals, page_set_minutes, days_observed, complete_days,
  last['method']                                    AS expansion_method,
  last['growth']                                    AS growth,
  last['can_grow']                                  AS can_grow,
  last['at_largest']                                AS at_largest,
  last['total']                                     AS total_pages_now,
  last['largest']                                   AS largest_pages,
  first['used']                                     AS used_pages_first,
  last['used']                                      AS used_pages_now,
  last['used'] - first['used']                      AS used_pages_added,
  last['pct']                                       AS used_pct_now,
  used_pct_max, used_pages_high,
  last['persistent']                                AS persistent_pages_now,
  100 * last['persistent'] / nullif(last['total'], 0) AS persistent_pct_now,
  growth_pages_per_day, growth_least_squares_per_day, fit_r2, daily_fit_r2,
  greatest(0, 0.9::DOUBLE * last['total'] - used_pages_high) / growth AS days_to_90_pct,
  greatest(0, last['total'] - used_pages_high) / growth      AS days_to_full,
  greatest(0, 16777216 - used_pages_high) / growth           AS days_to_64_gib,
  greatest(0, last['largest'] - used_pages_high) / growth    AS days_to_largest,
  page_set_expansions, full_count, last_expansion_utc,
  (last['total'] - last['used']) / CASE WHEN most_pages_per_s > 0 THEN most_pages_per_s END / 3600 AS hours_to_full_at_peak_rate,
  last['end']                                       AS page_set_end_utc,
  unread_minutes, unread_since_utc, unread_pages_added, unread_puts
FROM joined
