/*---
id       = "cf/structure_sums"
title    = "CF structures across the group"
question = "How is CF work spread over the members and structures of a queue sharing group?"
needs    = ["cf_structure"]
rules    = ["CF008", "CF010"]
grain    = ["qsg", "cf_structure", "lpar", "qmgr", "date_local"]
left_out = "qmgr IS NULL"
unmarked = "A row is a structure on one day; CF008 judges the queue manager, CF010 the structure over the whole period."
wsc      = [9]
drill_down = ["qsg/members", "cf/structures"]
note     = "A row without a queue manager is the total of the structure over all members and days. Entries and elements are peaks seen by one member and are never added. A queue manager whose group no record names is a group of its own."

[columns]
qsg = { screen = 1 }
date_local = { unit = "ts_local", kind = "key", label = "day", format = "day", screen = 1, doc = "Day in local time; null in the total." }
share_of_calls_pct = { unit = "percent", label = "share of calls %", screen = 1, doc = "Calls of this row as a share of all calls to the structure.", ratio = { numerator = "single_calls + multiple_calls", denominator = "sum(single_calls + multiple_calls) OVER (PARTITION BY group_key, cf_structure, is_total)", scale = 100, whole = ["qsg", "cf_structure"] } }
---*/
WITH summed AS (
  SELECT
    qsg, cf_structure, lpar, qmgr, date_trunc('day', interval_start_local) AS date_local,
    coalesce(qsg, lpar || '/' || qmgr)  AS group_key,
    grouping(lpar)                      AS is_total,
    sum(single_calls)::BIGINT           AS single_calls,
    sum(single_call_us)::BIGINT         AS single_call_us,
    sum(multiple_calls)::BIGINT         AS multiple_calls,
    sum(multiple_call_us)::BIGINT       AS multiple_call_us,
    max(entries_high)                   AS entries_high,
    max(elements_high)                  AS elements_high,
    sum(single_redrives)::BIGINT        AS single_redrives,
    sum(multiple_redrives)::BIGINT      AS multiple_redrives,
    sum(structure_fulls)::BIGINT        AS structure_fulls
  FROM cf_structure
  WHERE group_member
  GROUP BY GROUPING SETS (
    (qsg, coalesce(qsg, lpar || '/' || qmgr), cf_structure, lpar, qmgr, date_trunc('day', interval_start_local)),
    (qsg, coalesce(qsg, lpar || '/' || qmgr), cf_structure)
  )
)
SELECT
  qsg, cf_structure, lpar, qmgr, date_local, single_calls, single_call_us, multiple_calls, multiple_call_us,
  single_call_us / nullif(single_calls, 0)       AS average_single_us,
  multiple_call_us / nullif(multiple_calls, 0)   AS average_multiple_us,
  entries_high, elements_high, single_redrives, multiple_redrives,
  pct(single_redrives + multiple_redrives, single_calls + multiple_calls) AS redrive_pct,
  structure_fulls,
  100 * (single_calls + multiple_calls)
    / nullif(sum(single_calls + multiple_calls) OVER (PARTITION BY group_key, cf_structure, is_total), 0) AS share_of_calls_pct
FROM summed
ORDER BY qsg, cf_structure, date_local, lpar, qmgr
