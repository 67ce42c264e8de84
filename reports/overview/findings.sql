/*---
id       = "overview/findings"
title    = "Outcomes of all rules"
question = "What did each rule find, where is it clear, and what could it not judge?"
needs    = ["finding"]
grain    = ["lpar", "qmgr", "rule_id", "subject"]
dd       = ["MESSAGE", "CMESSAGE"]
note     = "CMESSAGE contains the rules of the areas channel_initiator and channel."

[columns]
report_to_read = { unit = "text", label = "report", doc = "Report to read; null if there is no such report.", screen = 2 }
---*/
SELECT
  severity, weight, distance, outcome, rule_id, rule_name, rule_area, lpar, qmgr, subject, observed, operator, limit_value, limit_unit, limit_from,
  intervals_checked, intervals_breached, breached_pct, worst_interval_utc, advice, rule_source, evidence_record_id,
  report AS report_to_read
FROM finding
ORDER BY
  CASE outcome WHEN 'breach' THEN 0 WHEN 'broken' THEN 1 WHEN 'no-data' THEN 2 WHEN 'partial' THEN 3 WHEN 'reported' THEN 4 WHEN 'clear' THEN 5 ELSE 6 END,
  severity_rank(severity), weight_rank(weight), distance DESC NULLS LAST, breached_pct DESC NULLS LAST, lpar, qmgr, rule_id, subject
