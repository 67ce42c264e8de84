/*---
id      = "verdict_finding"
title   = "Findings by subsystem"
grain   = "one row per lpar, qmgr and subsystem with a rule"
needs   = ["finding", "verdict_window"]
note    = "Helper of report overview/verdict. Breaches of severity info are notes: advice, not trouble."

[columns]
lpar = {}
qmgr = {}
subsystem = { unit = "text", doc = "Part of the queue manager that the figure tells about." }
breaches = { unit = "count", doc = "Findings of severity critical or warning in the window." }
notes = { unit = "count", doc = "Findings of severity info in the window." }
no_data_rules = { unit = "count", doc = "Rules that could not be judged, for whatever reason." }
uncollected_rules = { unit = "count", doc = "Rules of severity critical or warning that could not be judged because their records are not there." }
worst_rule_id = { unit = "text", doc = "The gravest breach." }
worst_subject = { unit = "text", doc = "Its subject." }
worst_severity = { unit = "text", doc = "Its severity." }
---*/
WITH placed AS (
  SELECT
    f.lpar, f.qmgr, f.outcome, f.severity, f.rule_id, f.subject, f.breached_pct, f.state,
    CASE
      WHEN f.rule_area IN ('buffer_pool') THEN 'buffer pools'
      WHEN f.rule_area IN ('page_set') THEN 'page sets'
      WHEN f.rule_area IN ('log') THEN 'log'
      WHEN f.rule_area IN ('latch', 'lock_manager') THEN 'locks and latches'
      WHEN f.rule_area IN ('cf') THEN 'CF'
      WHEN f.rule_area IN ('smds') THEN 'SMDS'
      WHEN f.rule_area IN ('db2') THEN 'Db2'
      WHEN f.rule_area IN ('storage') THEN 'storage'
      WHEN f.rule_area IN ('channel_initiator') THEN 'channel initiator'
      WHEN f.rule_area IN ('channel') THEN 'channels'
      WHEN f.rule_area IN ('application', 'task', 'queue', 'queue_statistics', 'ims', 'topic') THEN 'applications'
    END AS subsystem,
    -- A finding about the whole period has no worst interval.
    coalesce(f.worst_interval_utc >= w.window_start_utc AND f.worst_interval_utc < w.window_end_utc, true) AS in_window
  FROM finding AS f
  LEFT JOIN verdict_window AS w ON w.lpar = f.lpar AND w.qmgr = f.qmgr
),
ranked AS (
  SELECT
    *,
    outcome = 'breach' AND in_window AND severity IN ('critical', 'warning') AS trouble,
    row_number() OVER (
      PARTITION BY lpar, qmgr, subsystem
      ORDER BY outcome = 'breach' AND in_window AND severity IN ('critical', 'warning') DESC, severity, breached_pct DESC NULLS LAST, rule_id, subject
    ) AS place
  FROM placed
  WHERE subsystem IS NOT NULL
)
SELECT
  lpar, qmgr, subsystem,
  count(*) FILTER (trouble)                                                          AS breaches,
  count(*) FILTER (outcome = 'breach' AND in_window AND NOT trouble)                 AS notes,
  count(*) FILTER (outcome = 'no-data')                                              AS no_data_rules,
  count(*) FILTER (outcome = 'no-data' AND severity IN ('critical', 'warning') AND state = 'not collected')     AS uncollected_rules,
  max(rule_id) FILTER (trouble AND place = 1)                                        AS worst_rule_id,
  max(subject) FILTER (trouble AND place = 1)                                        AS worst_subject,
  max(severity) FILTER (trouble AND place = 1)                                       AS worst_severity
FROM ranked
GROUP BY lpar, qmgr, subsystem
