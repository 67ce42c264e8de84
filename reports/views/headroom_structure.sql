/*---
id      = "headroom_structure"
title   = "Use of coupling facility structures and shared message data sets"
grain   = "one row per lpar, qmgr, interval, structure and limit"
needs   = ["cf_structure", "smds", "site_input"]
classes = ["115.2"]
note    = "Helper of view headroom: intervals of at least 10 seconds that are not startup intervals. A structure-full event counts for entries or elements, whichever has the higher share according to the site file, or by the initial ratio of 6 elements per entry."

[columns]
used_value = { unit = "number", doc = "Use in the unit of the limit." }
limit_value = { unit = "number", doc = "The limit; null if it is not known or there is none." }
---*/
WITH structure AS (
  SELECT
    q.*,
    coalesce(q.cf_entries, CASE WHEN q.admin_structure THEN s.csq_admin_entsmax END) AS most_entries,
    coalesce(q.elements_used_pct > q.entries_used_pct, q.runs_out_first = 'elements', false) AS elements_first
  FROM cf_structure AS q
  LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
  WHERE q.group_member
)
SELECT
  lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds,
  unnest([19, 20]::BIGINT[])                                                         AS limit_number,
  'structure ' || cf_structure                                             AS limit_subject,
  qsg                                                                      AS limit_owner,
  unnest([entries_high, elements_high])::DOUBLE                            AS used_value,
  unnest([nullif(most_entries, 0), nullif(cf_elements, 0)])::DOUBLE        AS limit_value,
  unnest([CASE WHEN elements_first THEN 0 ELSE structure_fulls END, CASE WHEN elements_first THEN structure_fulls ELSE 0 END]) AS limit_events,
  true                                                                     AS limit_ends_service,
  unnest([CASE WHEN most_entries > 0 THEN 'site file' END, CASE WHEN cf_elements > 0 THEN 'site file' END]) AS limit_source,
  unnest([
    CASE WHEN most_entries > 0 THEN NULL ELSE 'cf_entries is not in the site file' END,
    CASE WHEN cf_elements > 0 THEN NULL ELSE 'cf_elements is not in the site file' END
  ])                                                                       AS limit_note
FROM structure
WHERE interval_seconds >= 10 AND NOT coalesce(startup_interval, false)
UNION ALL
SELECT
  lpar, qmgr, interval_start_utc, interval_start_local, interval_seconds,
  unnest([17, 18]::BIGINT[])                                                         AS limit_number,
  'SMDS of ' || cf_structure                                               AS limit_subject,
  NULL::VARCHAR                                                            AS limit_owner,
  unnest([smds_used_blocks_high::DOUBLE, smds_allocated_mib])              AS used_value,
  unnest([smds_data_blocks::DOUBLE, 16777216])                             AS limit_value,
  unnest([smds_failed_allocates, NULL])                                    AS limit_events,
  true                                                                     AS limit_ends_service,
  unnest(['record', 'product'])                                            AS limit_source,
  NULL::VARCHAR                                                            AS limit_note
FROM smds
WHERE smds_data_blocks > 0 AND interval_seconds >= 10 AND NOT coalesce(startup_interval, false)
