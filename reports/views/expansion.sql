/*---
id       = "expansion"
title    = "Data sets that did not expand"
grain    = "one row per lpar, qmgr, interval and page set or shared message data set"
needs    = ["decoded.qis1", "decoded.qesd", "interval_cut"]
classes  = ["115.2", "115.201"]
note     = "Helper of views page_set and smds. The queue manager expands both kinds of data sets at 90 %. Two intervals are of the same size if no gap and no restart is between them; startup intervals and intervals below five minutes (or half of the usual length, if that is less) are no evidence."

[columns]
expanding_object = { unit = "text", kind = "key", doc = "The page set, or the structure of the shared message data set.", label = "object" }
did_not_expand = { unit = "flag", doc = "More than 92 % of the pages or blocks were in use at the end of this interval and of one that ended at least five minutes before, and at the end of each in between, and the size did not change." }
---*/
WITH ended AS (
  SELECT
    lpar, qmgr, record_id, interval_start_utc, interval_end_utc, 'page set ' || page_set_id AS expanding_object,
    total_pages AS data_set_size, total_pages - unused_pages > 0.92::DOUBLE * total_pages AND status_code = 0 AS is_tight
  FROM decoded.qis1
  UNION ALL
  SELECT
    lpar, qmgr, record_id, interval_start_utc, interval_end_utc, 'structure ' || cf_structure,
    high_allocated_cis, smds_used_blocks > 0.92::DOUBLE * smds_data_blocks
  FROM decoded.qesd
),
followed AS (
  SELECT
    e.*,
    NOT i.restart_seen AND i.interval_seconds >= least(285, 0.5 * i.median_interval_seconds) AND e.is_tight AS is_tight_slot,
    coalesce(
      NOT i.first_in_data AND NOT i.restart_seen AND e.is_tight AND e.data_set_size = lag(e.data_set_size) OVER earlier, false
    ) AS goes_on
  FROM ended AS e
  LEFT JOIN interval_cut AS i ON i.lpar = e.lpar AND i.qmgr = e.qmgr AND i.interval_start_utc = e.interval_start_utc
  WINDOW earlier AS (PARTITION BY e.lpar, e.qmgr, e.expanding_object ORDER BY e.interval_start_utc, e.record_id)
),
run AS (
  SELECT
    *, count(*) FILTER (NOT goes_on) OVER (PARTITION BY lpar, qmgr, expanding_object ORDER BY interval_start_utc, record_id) AS runs
  FROM followed
)
SELECT
  lpar, qmgr, record_id, interval_start_utc, interval_end_utc, expanding_object,
  coalesce(
    is_tight_slot AND epoch_us(interval_end_utc - min(interval_end_utc) FILTER (is_tight_slot) OVER (
      PARTITION BY lpar, qmgr, expanding_object, runs ORDER BY interval_start_utc, record_id
    )) >= 285000000, false
  ) AS did_not_expand
FROM run
