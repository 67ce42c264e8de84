/*---
id      = "area_state"
title   = "The state of each area on each queue manager"
grain   = "one row per lpar, qmgr and rule area; one without a queue manager per area with rules about inputs or systems"
needs   = ["decoded.area_state"]
note    = "Written when the rules run, by the same function as the states in a report; empty before."

[columns]
rule_area = { unit = "text", doc = "Area of the rule.", label = "area", screen = 1 }
area_status = { unit = "text", doc = "broken, critical, warning, info, clear in part, reported by (another rule), clear, not judged, idle, not collected, not in this release, needs a site fact or off.", label = "state", screen = 1 }
area_rules = { unit = "count", doc = "Rules of the area.", over = "add", label = "of", screen = 2 }
area_rules_judged = { unit = "count", doc = "Rules of the area that were judged: breach or clear.", over = "add", label = "rules judged", screen = 2 }
breaches = { unit = "count", doc = "Subjects in breach of a rule, severity critical or warning.", over = "add", label = "limits broken", screen = 2 }
notes = { unit = "count", doc = "Subjects in breach of a rule, severity info.", over = "add" }
no_data_rules = { unit = "count", doc = "Rules that could not be judged: active and not judged, not collected, not in this release, or without a site fact.", over = "add", label = "rules without data" }
rule_id = { unit = "text", doc = "Id of the rule." }
measure = { unit = "text", doc = "What the deciding rule measures.", label = "what" }
subject = { unit = "text", doc = "Subject of the judgement: a pool, page set, log copy, structure or task type.", label = "on", screen = 3 }
observed = { unit = "number", doc = "Worst measured value.", over = "none", why = "Each area has a figure of its own.", label = "figure", format = ".6g", screen = 3 }
limit_value = { unit = "number", doc = "Limit in force.", over = "none", why = "Each area has a limit of its own.", label = "limit", format = ".6g", screen = 3 }
limit_unit = { unit = "text", doc = "Unit of observed and limit_value.", label = "unit of the limit" }
worst_interval_utc = { unit = "ts_utc", doc = "Start of the worst interval.", label = "worst interval" }
missing_classes = { unit = "texts", doc = "Record classes that the rule needs but the data does not have.", label = "missing classes", screen = 2 }
collect_command = { unit = "text", doc = "MQ command that starts the collection of the missing class.", label = "collect with" }
---*/
SELECT lpar, qmgr, rule_area, area_status, area_rules, area_rules_judged, breaches, notes, no_data_rules, rule_id, measure, subject, observed, limit_value, limit_unit, worst_interval_utc, missing_classes, collect_command
FROM decoded.area_state
