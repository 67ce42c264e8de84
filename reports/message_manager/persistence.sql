/*---
id       = "message_manager/persistence"
title    = "Persistent and nonpersistent traffic"
question = "What share of the puts is persistent, how large are they, and how much log data do they cause?"
needs    = ["message_manager", "log"]
rules    = []
grain    = ["lpar", "qmgr", "interval_start_utc"]
drill_down = ["log/rate"]
mq_since = "9.0.3"
note     = "The planned log bytes per put are for planning, not a check: 1,000 bytes per message, 150 more for each page of a long one, without the 200 to 300 bytes of headers. Puts include publications."

[columns]
persistent_puts = { label = "persistent puts", screen = 1 }
nonpersistent_puts = { label = "nonpersistent puts", screen = 1 }
persistent_put_bytes = { label = "persistent bytes", screen = 3 }
nonpersistent_put_bytes = { label = "nonpersistent bytes", screen = 3 }
log_bytes_per_persistent_put = { unit = "bytes", label = "log bytes/put", screen = 1, format = ",.0f", doc = "New log data per persistent message put.", ratio = { numerator = "l.cis_created * 4096", denominator = "m.persistent_puts" } }
expected_log_bytes_per_put = { unit = "bytes", label = "planned log bytes/put", screen = 2, format = ",.0f", doc = "Log data that a put and a get of a persistent message of this mean size take by IBM's planning formula, headers not included.", ratio = { numerator = "expected_log_bytes_per_put * persistent_puts", denominator = "persistent_puts" } }
log_overhead_ratio = { unit = "ratio", label = "log/message", screen = 2, format = ".2f", doc = "New log data per byte of persistent messages put.", ratio = { numerator = "l.cis_created * 4096", denominator = "m.persistent_put_bytes" } }
---*/
SELECT
  m.lpar, m.qmgr, m.qsg, m.interval_start_utc, m.interval_seconds, m.interval_end_utc,
  m.persistent_puts, m.nonpersistent_puts, m.persistent_put_bytes, m.nonpersistent_put_bytes,
  m.persistent_put_pct, m.average_persistent_bytes, m.average_nonpersistent_bytes, m.put_mib_per_s, l.log_created_mib_per_s,
  l.cis_created * 4096 / nullif(m.persistent_puts, 0) AS log_bytes_per_persistent_put,
  m.average_persistent_bytes + 1000
    + 150 * CASE WHEN m.average_persistent_bytes <= 3635 THEN 0 ELSE 1 + ceil((m.average_persistent_bytes - 3635) / 4048) END
                                                      AS expected_log_bytes_per_put,
  l.cis_created * 4096 / nullif(m.persistent_put_bytes, 0) AS log_overhead_ratio
FROM message_manager AS m
LEFT JOIN log AS l ON l.lpar = m.lpar AND l.qmgr = m.qmgr AND l.interval_start_utc = m.interval_start_utc
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
