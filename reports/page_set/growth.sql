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
lpar = { screen = 1 }
qmgr = { screen = 1 }
page_set_id = { label = "page set", screen = 1 }
total_pages_now = { label = "pages", screen = 1 }
used_pct_now = { label = "used % now", screen = 1 }
used_pct_max = { label = "most %", screen = 1 }
used_pages_first = { label = "used first" }
used_pages_now = { label = "used now", screen = 2 }
persistent_pct_now = { label = "persistent %", screen = 2 }
days_observed = { label = "days", screen = 2, format = ",.1f" }
complete_days = { label = "complete days", screen = 1 }
growth_pages_per_day = { label = "pages/day", screen = 1 }
growth_least_squares_per_day = { label = "least squares/day" }
fit_r2 = { label = "fit", format = ".2f" }
daily_fit_r2 = { label = "daily fit", format = ".2f", screen = 2 }
days_to_90_pct = { label = "days to 90 %", screen = 2 }
days_to_full = { label = "days to full", screen = 1 }
days_to_64_gib = { label = "to 64 GB", screen = 2 }
days_to_largest = { label = "to largest", screen = 3 }
expansion_method = { label = "expansion", screen = 1 }
expansions = { unit = "count", kind = "gauge", label = "grew", screen = 1, doc = "Intervals in which the page set was larger than in the previous interval, except after restarts.", over = "add" }
full_count = { label = "full", screen = 1 }
last_expansion_utc = { label = "last grew", screen = 2 }
hours_to_full_at_peak_rate = { label = "hours at peak rate", screen = 2 }
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
