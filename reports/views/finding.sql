/*---
id      = "finding"
title   = "Findings of the rules"
grain   = "one row per rule outcome and subject"
needs   = ["decoded.finding"]

[columns]
lpar = {}
qmgr = {}
rule_id = { unit = "text", doc = "Id of the rule." }
rule_name = { unit = "text", doc = "Name of the rule." }
rule_area = { unit = "text", doc = "Area of the rule." }
outcome = { unit = "text", doc = "breach, clear, no-data, broken or off." }
severity = { unit = "text", doc = "Severity after site overrides: critical, warning or info." }
subject = { unit = "text", doc = "What is judged: a pool, page set, log copy, structure, task type." }
observed = { unit = "number", doc = "Worst measured value." }
limit_value = { unit = "number", doc = "Threshold in force." }
limit_unit = { unit = "text", doc = "Unit of observed and limit_value." }
limit_from = { unit = "text", doc = "default, site, qmgr or subject: where the threshold comes from." }
intervals_checked = { unit = "count", doc = "Intervals that could be judged." }
intervals_breached = { unit = "count", doc = "Intervals in breach." }
breached_pct = { unit = "percent", doc = "Share of the judged intervals in breach." }
worst_interval_utc = { unit = "ts_utc", doc = "Start of the worst interval." }
first_seen_utc = { unit = "ts_utc", doc = "Start of the first interval in breach." }
last_seen_utc = { unit = "ts_utc", doc = "Start of the last interval in breach." }
too_few_intervals = { unit = "flag", doc = "Fewer than four intervals were judged, so the severity was lowered to info." }
silenced_by = { unit = "text", doc = "Id of the stronger rule that breaches on the same subject." }
caused_by = { unit = "text", doc = "Ids of the rules whose breach explains this one." }
report = { unit = "text", doc = "Report to open; null while it does not exist." }
sql = { unit = "text", doc = "Statement that reproduces the judged rows." }
advice = { unit = "text", doc = "Sentence and remedy with the values filled in; for no-data what is missing and the command that collects it." }
rule_source = { unit = "text", doc = "Document, section and kind of the rule." }
evidence_record_id = { unit = "id", doc = "Record of the worst value." }
evidence_source_id = { unit = "id", doc = "Input of that record." }
evidence_offset = { unit = "bytes", doc = "Byte offset of that record in the decompressed input." }
---*/
SELECT lpar, qmgr, rule_id, rule_name, rule_area, outcome, severity, subject, observed, limit_value, limit_unit, limit_from, intervals_checked, intervals_breached, breached_pct, worst_interval_utc, first_seen_utc, last_seen_utc, too_few_intervals, silenced_by, caused_by, report, sql, advice, rule_source, evidence_record_id, evidence_source_id, evidence_offset
FROM decoded.finding
