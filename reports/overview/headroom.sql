/*---
id       = "overview/headroom"
title    = "Distance to every limit"
question = "Which limit will be reached first: storage, page sets, structures, shared message data sets, channels, tasks, log, buffer pools?"
needs    = ["headroom"]
rules    = ["BP020", "CF014", "CH017", "LG035", "PS006", "SM009", "ST007"]
grain    = ["lpar", "qmgr", "limit_name", "limit_subject"]
drill_down = ["page_set/growth", "channel_initiator/summary", "log/rate"]
site_input = ["log_peak_mb_s", "active_logs", "active_log_mb", "cf_entries", "cf_elements", "chin_31bit_total_mb", "page_set_max_gb", "csq_admin_entsmax"]
note     = "Highest use of the period, without startup intervals and intervals below 10 seconds. The date has a range: early and late are the dates at the high and low end of the growth that the pairs of days show. Order: 1 is the limit that is reached first. No date: less than 14 days of data (rates 28), fewer than 7 days since a restart (storage), no steady growth, or beyond three times the observed days. The message rate of a queue or queue manager is not a limit here, because it depends on the machine and the message size, which SMF does not contain."

[columns]
lpar = { screen = 1 }
qmgr = { screen = 1 }
limit_name = { label = "limit", screen = 1 }
limit_subject = { label = "of", screen = 1 }
headroom_state = { label = "state", screen = 1 }
limit_place = { label = "order", screen = 1 }
used_value = { label = "used", screen = 2, format = ",.1f" }
limit_value = { label = "limit value", screen = 2, format = ",.0f" }
growth_per_day = { label = "growth/day", screen = 2, format = ",.1f" }
growth_per_day_low = { label = "least growth", format = ",.1f" }
growth_per_day_high = { label = "most growth", format = ",.1f" }
reach_date_early = { label = "early", screen = 2, format = "day" }
reach_date = { label = "reached on", screen = 1, format = "day" }
reach_date_late = { label = "late", screen = 2, format = "day" }
reached_at_utc = { label = "reached at", screen = 3 }
days_left = { label = "days left", screen = 2 }
days_used = { label = "days", screen = 2 }
days_needed = { label = "days needed" }
limit_unit = { label = "unit", screen = 2 }
used_share_pct = { label = "used %", screen = 1 }
planning_share_pct = { label = "plan %", screen = 3 }
headroom_pct = { label = "left %", screen = 3 }
when_utc = { label = "peak at", screen = 3 }
limit_ends_service = { label = "ends service" }
limit_source = { label = "limit from", screen = 2 }
limit_note = { label = "note", screen = 2 }
---*/
SELECT
  lpar, qmgr, limit_name, limit_subject, headroom_state, limit_place, used_value, limit_value, growth_per_day, growth_per_day_low,
  growth_per_day_high, reach_date_early, reach_date, reach_date_late, reached_at_utc, days_left, days_used, days_needed, limit_unit, used_share_pct,
  planning_share_pct, headroom_pct, when_utc, limit_ends_service, limit_source, limit_note
FROM headroom
ORDER BY used_share_pct / planning_share_pct DESC NULLS LAST, lpar, qmgr, limit_name, limit_subject
