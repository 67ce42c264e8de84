/*---
id       = "overview/headroom"
title    = "Distance to every limit"
question = "Which limit will be reached first: storage, page sets, structures, shared message data sets, channels, tasks, log, buffer pools?"
needs    = ["headroom"]
rules    = ["BP020", "CF014", "CH017", "LG035", "PS006", "SM009", "ST007"]
grain    = ["lpar", "qmgr", "limit_name", "limit_subject"]
drill_down = ["page_set/growth", "channel_initiator/summary", "log/rate"]
site_input = ["log_peak_mb_s", "active_logs", "active_log_mb", "cf_entries", "cf_elements", "chin_31bit_total_mb", "page_set_max_gb", "csq_admin_entsmax"]
note     = "Highest use of the period, without startup intervals and fragments of intervals. The date has a range: early and late are the dates at the high and low end of the growth that the pairs of days show. Order: 1 is the limit that is reached first. No date: less than 14 days of data (rates 28), fewer than 7 days since a restart (storage), no steady growth, or beyond three times the observed days. The message rate of a queue or queue manager is not a limit here, because it depends on the machine and the message size, which SMF does not contain."

[columns]
limit_subject = { label = "of", screen = 1 }
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
