/*---
id       = "overview/findings"
title    = "Outcomes of all rules"
question = "What did each rule find, where is it clear, and what could it not judge?"
needs    = ["finding"]
grain    = ["lpar", "qmgr", "rule_id", "subject"]
dd       = ["MESSAGE", "CMESSAGE"]
note     = "CMESSAGE contains the rules of the areas channel_initiator and channel."

[columns]
severity = { screen = 1 }
weight = { screen = 1 }
distance = { screen = 1, format = ",.2f" }
outcome = { screen = 1 }
rule_id = { label = "rule", screen = 1 }
rule_name = { label = "name", screen = 3 }
rule_area = { label = "area" }
lpar = { screen = 1 }
qmgr = { screen = 1 }
subject = { screen = 1 }
observed = { screen = 1, format = ".6g" }
operator = { label = "operator" }
limit_value = { label = "limit", screen = 1, format = ".6g" }
limit_unit = { label = "unit", screen = 1 }
limit_from = { label = "limit from" }
intervals_checked = { label = "judged", screen = 2 }
intervals_breached = { label = "in breach", screen = 2 }
breached_pct = { label = "in breach %", screen = 2 }
worst_interval_utc = { label = "worst interval", screen = 1 }
advice = { label = "advice" }
rule_source = { label = "source" }
evidence_record_id = { label = "evidence record" }
report_to_read = { unit = "text", label = "report", doc = "Report to read; null if there is no such report.", screen = 2 }
---*/
SELECT
  severity, weight, distance, outcome, rule_id, rule_name, rule_area, lpar, qmgr, subject, observed, operator, limit_value, limit_unit, limit_from,
  intervals_checked, intervals_breached, breached_pct, worst_interval_utc, advice, rule_source, evidence_record_id,
  report AS report_to_read
FROM finding
ORDER BY
  CASE outcome WHEN 'breach' THEN 0 WHEN 'broken' THEN 1 WHEN 'no-data' THEN 2 WHEN 'clear' THEN 3 ELSE 4 END,
  severity_rank(severity), weight_rank(weight), distance DESC NULLS LAST, breached_pct DESC NULLS LAST, lpar, qmgr, rule_id, subject
