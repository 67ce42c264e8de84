/*---
id      = "storage_region_growth"
title   = "Storage of the queue manager over the whole period"
grain   = "one row per lpar and qmgr"
needs   = ["storage_region", "storage_region_day"]
classes = ["115.7"]
note    = "Helper of rule ST007 and of report storage/region. The trend uses the daily maxima of complete local days since the last start of the queue manager: storage allocated before a start does not predict the time after it, and one busy interval does not change the median of all pairs of days."

[columns]
complete_days = { unit = "count", doc = "Local days since the last start whose intervals cover at least 90 % of what they usually cover.", over = "max" }
available_31_bytes = { doc = "31-bit storage still available; last interval." }
sos_reserve_31_bytes = { doc = "31-bit short-on-storage reserve; last interval." }
free_above_sos_bytes = { doc = "31-bit storage left before the short-on-storage reserve is touched; last interval." }
allocated_31_bytes = { doc = "31-bit user and system storage allocated; last interval." }
growth_31_bytes_per_day = { unit = "bytes", doc = "Growth of the daily maximum of allocated 31-bit storage per day: the median over all pairs of complete days since the last start.", over = "none", why = "A median or percentile does not follow from those of the rows." }
daily_fit_r2 = { unit = "ratio", doc = "Share of the variance of the daily maxima that a straight line explains.", over = "none", why = "A line through the points does not follow from the lines of the rows." }
days_to_sos = { unit = "days", doc = "Days until the short-on-storage reserve is reached at this growth; null without growth.", over = "min" }
---*/
WITH last_start AS (
  SELECT lpar, qmgr, max(starts_before) AS starts_before
  FROM storage_region_day
  GROUP BY lpar, qmgr
),
whole_day AS (
  SELECT d.lpar, d.qmgr, d.local_day, d.allocated_31_day_max AS used
  FROM storage_region_day AS d
  JOIN last_start AS l ON l.lpar = d.lpar AND l.qmgr = d.qmgr AND l.starts_before = d.starts_before
  WHERE d.complete_day
),
daily AS (
  SELECT lpar, qmgr, count(*) AS complete_days, regr_r2(used, local_day ORDER BY local_day) AS daily_fit_r2
  FROM whole_day
  GROUP BY lpar, qmgr
),
pair AS (
  SELECT a.lpar, a.qmgr, median((b.used - a.used) / (b.local_day - a.local_day)) AS growth
  FROM whole_day AS a
  JOIN whole_day AS b ON b.lpar = a.lpar AND b.qmgr = a.qmgr AND b.local_day > a.local_day
  GROUP BY a.lpar, a.qmgr
),
latest AS (
  -- All columns come from the last row.
  SELECT
    lpar, qmgr,
    max({
      'at': interval_start_utc, 'record_id': record_id, 'available': available_31_bytes, 'sos': sos_reserve_31_bytes,
      'free': free_above_sos_bytes, 'allocated': allocated_31_bytes
    }) AS last
  FROM storage_region
  GROUP BY lpar, qmgr
),
joined AS (
  SELECT
    l.*, coalesce(d.complete_days, 0) AS complete_days, d.daily_fit_r2,
    p.growth
  FROM latest AS l
  LEFT JOIN daily AS d ON d.lpar = l.lpar AND d.qmgr = l.qmgr
  LEFT JOIN pair AS p ON p.lpar = l.lpar AND p.qmgr = l.qmgr
)
SELECT
  lpar, qmgr,
  last['at']        AS interval_start_utc,
  last['record_id'] AS record_id,
  complete_days,
  last['available'] AS available_31_bytes,
  last['sos']       AS sos_reserve_31_bytes,
  last['free']      AS free_above_sos_bytes,
  last['allocated'] AS allocated_31_bytes,
  growth            AS growth_31_bytes_per_day,
  daily_fit_r2,
  greatest(0, last['free']) / CASE WHEN growth > 0 THEN growth END AS days_to_sos
FROM joined
