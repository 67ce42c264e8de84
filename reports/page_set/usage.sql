/*---
id       = "page_set/usage"
title    = "Page set usage"
question = "How full is each page set, with what kind of messages, and did it expand or fill?"
needs    = ["page_set"]
rules    = ["PS001", "PS002", "PS003", "PS004", "PS005"]
grain    = ["lpar", "qmgr", "interval_start_utc", "page_set_id"]
dd       = ["PSET", "PSETCSV"]
drill_down = ["page_set/growth", "buffer_pool/map"]
mq_since = "9.0.0"
note     = "Sizes are those at the end of the interval. MP1B truncates the size to whole MB. Page set 0 holds object definitions: its pages count as persistent."

[columns]
pool_id = { screen = 2 }
total_pages = { label = "pages", screen = 1 }
unused_pages = { label = "unused" }
persistent_pages = { label = "persistent", screen = 1 }
nonpersistent_pages = { label = "nonpersistent", screen = 2 }
expansion_flag = { label = "flag EXPF" }
status = { label = "status", screen = 2 }
put_cursor_high = { label = "put cursor" }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, page_set_id, pool_id, total_pages, page_set_mib, unused_pages,
  used_pages, used_pct, persistent_pages, nonpersistent_pages, identity_error_pages, full_count, grown_pages, expansions,
  expansion_flag, expansion_method, status, stripes, encrypted, percent_of_64_gib, put_cursor_high
FROM page_set
ORDER BY lpar, qmgr, interval_start_utc, page_set_id
