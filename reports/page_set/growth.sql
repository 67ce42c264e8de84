/*---
id       = "page_set/growth"
title    = "Page set growth and days to full"
question = "Is a page set filling, and when will it be full?"
needs    = ["page_set_growth"]
rules    = ["PS006", "PS008"]
grain    = ["lpar", "qmgr", "page_set_id"]
drill_down = ["page_set/usage"]
site_input = ["page_set_max_gb"]
mq_since = "9.0.0"
note     = "Growth is the median over all pairs of complete local days of the growth of their maxima; days to full are empty without growth and with fewer than 14 complete days. Days to full assume the present size. A page set that may expand (User, System) grows before that: see the days to the largest size, which is 64 GiB unless the site file has page_set_max_gb."

[columns]
expansions = { unit = "count", kind = "gauge", label = "grew", screen = 1, doc = "Intervals in which the page set was larger than in the previous interval, except after restarts.", over = "add" }
growth_reading = { unit = "text", label = "trend", screen = 1, doc = "Whether days to full can be estimated; for display only, findings come from rules." }
---*/
SELECT
  lpar, qmgr, page_set_id, total_pages_now, used_pct_now, used_pct_max, used_pages_first, used_pages_now, persistent_pct_now,
  days_observed, complete_days, growth_pages_per_day, growth_least_squares_per_day, fit_r2, daily_fit_r2,
  CASE WHEN complete_days >= 14 THEN days_to_90_pct END  AS days_to_90_pct,
  CASE WHEN complete_days >= 14 THEN days_to_full END    AS days_to_full,
  CASE WHEN complete_days >= 14 THEN days_to_64_gib END  AS days_to_64_gib,
  CASE WHEN complete_days >= 14 THEN days_to_largest END AS days_to_largest,
  expansion_method,
  page_set_expansions                                    AS expansions,
  full_count, last_expansion_utc, hours_to_full_at_peak_rate,
  CASE
    WHEN complete_days < 14 THEN 'not established: fewer than 14 complete days'
    WHEN growth_pages_per_day <= 0 THEN 'no growth'
    WHEN daily_fit_r2 < 0.7 THEN 'growth is not steady'
    ELSE 'steady growth'
  END AS growth_reading
FROM page_set_growth
ORDER BY days_to_full NULLS LAST, used_pct_max DESC, lpar, qmgr, page_set_id
