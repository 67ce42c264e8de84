/*---
id      = "cf_structure"
title   = "Coupling facility structures"
grain   = "one row per lpar, qmgr, interval and CF structure"
needs   = ["decoded.qest_structure", "interval_cut", "sharing_member", "site_input"]
classes = ["115.2"]

[columns]
cf_structure = { label = "structure", screen = 1 }
structure_number = { label = "structure no" }
single_calls = { label = "single", screen = 1 }
multiple_calls = { label = "multiple", screen = 1 }
single_call_us = { label = "single µs" }
multiple_call_us = { label = "multiple µs" }
single_redrives = { label = "single redrives" }
multiple_redrives = { label = "multiple redrives" }
structure_fulls = { label = "full", screen = 1 }
entries_high = { label = "entries", screen = 1 }
elements_high = { label = "elements", screen = 1 }
cf_calls = { unit = "count", doc = "Calls to the structure, single and multiple.", over = "add", label = "calls", screen = 2 }
cf_calls_per_s = { unit = "per_s", doc = "Calls to the structure per second.", over_time = "mean", across = "add", label = "CF calls/s", screen = 3 }
single_calls_per_s = { unit = "per_s", doc = "Single-entry calls per second.", over_time = "mean", across = "add", label = "single/s" }
multiple_calls_per_s = { unit = "per_s", doc = "Multiple-entry calls per second.", over_time = "mean", across = "add", label = "multiple/s" }
average_single_us = { unit = "us", doc = "Average time of a single-entry call.", ratio = { numerator = "single_call_us", denominator = "single_calls" }, label = "avg single µs", screen = 1 }
average_multiple_us = { unit = "us", doc = "Average time of a multiple-entry call.", ratio = { numerator = "multiple_call_us", denominator = "multiple_calls" }, label = "avg multiple µs", screen = 1 }
single_redrive_pct = { unit = "percent", doc = "Single-entry calls that were redrives; the calls include them, so this is at most 100.", ratio = { numerator = "single_redrives", denominator = "single_calls", scale = 100 }, label = "single redrive %", screen = 3 }
multiple_redrive_pct = { unit = "percent", doc = "Multiple-entry calls that were redrives; the calls include them, so this is at most 100.", ratio = { numerator = "multiple_redrives", denominator = "multiple_calls", scale = 100 }, label = "multiple redrive %", screen = 2 }
redrive_pct = { unit = "percent", doc = "Calls of both kinds that were redrives.", ratio = { numerator = "single_redrives + multiple_redrives", denominator = "single_calls + multiple_calls", scale = 100 }, label = "redrive %", screen = 1 }
elements_per_entry = { unit = "ratio", doc = "Highest number of elements in use divided by the highest number of entries in use.", over_time = "last", across = "max", label = "elements/entry", screen = 2 }
runs_out_first = { unit = "text", doc = "Entries or elements, by the initial ratio of 6 elements per entry; not known after the ratio was altered automatically.", label = "runs out first", screen = 1 }
admin_structure = { unit = "flag", doc = "The administration structure of the queue-sharing group.", label = "admin" }
elements_mib = { unit = "mib", doc = "Size of the highest number of elements in use, 256 bytes each.", over = "max" }
cf_entries = { unit = "count", kind = "setting", doc = "Entries of the structure, from the site file." }
cf_elements = { unit = "count", kind = "setting", doc = "Elements of the structure, from the site file." }
entries_used_pct = { unit = "percent", doc = "Highest number of entries in use, as a share of those in the site file.", over = "max" }
elements_used_pct = { unit = "percent", doc = "Highest number of elements in use, as a share of those in the site file.", over = "max" }
capacity_used_pct = { unit = "percent", doc = "The larger of entries_used_pct and elements_used_pct: the structure is full when either reaches 100.", over = "max", label = "used %", screen = 2 }
group_member = { doc = "The queue manager belongs to a queue-sharing group; others write one idle CSQ_ADMIN structure." }
---*/
WITH called AS (
  SELECT
    *,
    interval_us / 1e6                          AS seconds,
    single_calls + multiple_calls              AS cf_calls,
    elements_high / nullif(entries_high, 0)    AS elements_per_entry
  FROM decoded.qest_structure
)
SELECT
  q.lpar, q.qmgr, g.qsg, q.mq_version, q.source_id, q.record_id,
  q.interval_start_utc, q.interval_end_utc, q.interval_start_local, q.interval_us / 1e6 AS interval_seconds, q.interval_us,
  i.fragment, i.startup_interval, i.suspect_first,
  q.cf_structure, q.structure_number, q.single_calls, q.multiple_calls, q.single_call_us, q.multiple_call_us,
  q.single_redrives, q.multiple_redrives, q.structure_fulls, q.entries_high, q.elements_high,
  q.cf_calls,
  per_s(q.cf_calls, q.seconds)                                   AS cf_calls_per_s,
  per_s(q.single_calls, q.seconds)                               AS single_calls_per_s,
  per_s(q.multiple_calls, q.seconds)                             AS multiple_calls_per_s,
  q.single_call_us / nullif(q.single_calls, 0)                   AS average_single_us,
  q.multiple_call_us / nullif(q.multiple_calls, 0)               AS average_multiple_us,
  pct(q.single_redrives, q.single_calls)                         AS single_redrive_pct,
  pct(q.multiple_redrives, q.multiple_calls)                     AS multiple_redrive_pct,
  pct(q.single_redrives + q.multiple_redrives, q.cf_calls)       AS redrive_pct,
  q.elements_per_entry,
  CASE
    WHEN q.elements_per_entry < 6 THEN 'entries'
    WHEN q.elements_per_entry > 6 THEN 'elements'
    WHEN q.elements_per_entry = 6 THEN 'balanced'
  END AS runs_out_first,
  q.cf_structure = 'CSQ_ADMIN' OR q.structure_number = 0         AS admin_structure,
  q.elements_high * 256 / 1048576                                AS elements_mib,
  s.cf_entries_by_structure[q.cf_structure]                      AS cf_entries,
  s.cf_elements_by_structure[q.cf_structure]                     AS cf_elements,
  pct(q.entries_high, s.cf_entries_by_structure[q.cf_structure])                AS entries_used_pct,
  pct(q.elements_high, s.cf_elements_by_structure[q.cf_structure])              AS elements_used_pct,
  greatest(
    pct(q.entries_high, s.cf_entries_by_structure[q.cf_structure]),
    pct(q.elements_high, s.cf_elements_by_structure[q.cf_structure])
  )                                                              AS capacity_used_pct,
  coalesce(g.group_member, false)                                AS group_member
FROM called AS q
LEFT JOIN interval_cut AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr AND i.interval_start_utc = q.interval_start_utc
LEFT JOIN sharing_member AS g ON g.lpar = q.lpar AND g.qmgr = q.qmgr
LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
