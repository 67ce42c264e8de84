/*---
id      = "finding"
title   = "Findings of the rules"
grain   = "one row per rule outcome and subject"
needs   = ["decoded.finding"]

[columns]
rule_id = { unit = "text", doc = "Id of the rule.", label = "rule", screen = 1 }
rule_name = { unit = "text", doc = "Name of the rule.", label = "name", screen = 3 }
rule_area = { unit = "text", doc = "Area of the rule.", label = "area" }
state = { unit = "text", doc = "breach, clear, clear in part, reported by (the rule in silenced_by), idle, not judged, not collected, not in this release, needs a site fact, off or broken." }
outcome = { unit = "text", doc = "The state in short: breach, clear, partial, reported, no-data, broken or off.", screen = 1 }
severity = { unit = "text", doc = "Severity after site overrides: critical, warning or info.", screen = 1 }
weight = { unit = "text", doc = "What the finding means for the work: loss, outage, delay, waste or collection.", screen = 1 }
subject = { unit = "text", doc = "Subject of the judgement: a pool, page set, log copy, structure or task type.", screen = 1 }
clause = { unit = "text", doc = "Condition of the rule that decides: the one that was broken, otherwise the one nearest to its limit." }
measure = { unit = "text", doc = "Name of the figure of that condition." }
operator = { unit = "text", doc = "How the condition compares observed with limit_value: <, <=, >, >=, =, is true or is false; it holds in a breach.", label = "operator" }
observed = { unit = "number", doc = "Figure of the condition in the worst row of the subject.", over = "none", why = "Each row has a figure of its own.", format = ".6g", screen = 1 }
limit_value = { unit = "number", doc = "Limit of the condition in force.", over = "none", why = "Each row has a figure of its own.", label = "limit", format = ".6g", screen = 1 }
limit_unit = { unit = "text", doc = "Unit of observed and limit_value.", label = "unit", screen = 1 }
limit_from = { unit = "text", doc = "Where the limit comes from: default, site, qmgr or subject.", label = "limit from" }
limit_kind = { unit = "text", doc = "Who gives the default of the limit: documented (IBM documentation), guidance (IBM consultants, or the default of a monitor) or judgement (ours)." }
distance = { unit = "ratio", over = "max", doc = "How far the figure is beyond its limit: the figure as a multiple of the limit, or of a lower limit the reverse (at most 100); of a limit of 0, 1 more than the figure; 1 for a condition without a limit. Null unless in breach.", format = ",.2f", screen = 1 }
clauses = { unit = "text", doc = "All conditions that must hold together for this breach, as JSON: clause, measure, operator, observed, limit, unit, holds, decides." }
clear_because = { unit = "text", doc = "Why a figure beyond its limit is clear: silenced, share, consecutive or condition (another condition does not hold); null where the figure is within its limit." }
slots_judged = { unit = "count", doc = "Slots of view slot, those that are counted, in which all record classes that the rule needs are there; null for rules about inputs, site facts or several days.", over = "max", label = "slots judged" }
slots = { unit = "count", doc = "All slots that are counted.", over = "max", label = "slots" }
judged_from_utc = { unit = "ts_utc", doc = "Start of the first slot in which these classes are there.", label = "judged from" }
judged_to_utc = { unit = "ts_utc", doc = "End of the last one.", label = "judged to" }
intervals_checked = { unit = "count", doc = "Intervals that could be judged.", over = "max", label = "judged", screen = 2 }
intervals_breached = { unit = "count", doc = "Intervals in breach.", over = "max", label = "in breach", screen = 2 }
breached_pct = { unit = "percent", doc = "Share of the judged intervals in breach.", over = "max", label = "in breach %", screen = 2 }
worst_interval_utc = { unit = "ts_utc", doc = "Start of the worst interval.", label = "worst interval", screen = 1 }
first_seen_utc = { unit = "ts_utc", doc = "Start of the first interval in breach.", label = "first seen", screen = 3 }
last_seen_utc = { unit = "ts_utc", doc = "Start of the last interval in breach.", label = "last seen" }
too_few_intervals = { unit = "flag", doc = "Fewer than four intervals were judged, so the severity was lowered to info." }
within_margin = { unit = "flag", doc = "The figure is beyond a limit of our own by less than 10 % of it, so the severity was lowered to info." }
maintenance = { unit = "text", doc = "The maintenance window of the site file in which all intervals in breach began, so the severity was lowered to info; null outside such windows." }
silenced_by = { unit = "text", doc = "Id of the stronger rule that breaches on the same subject." }
culprits = { unit = "texts", doc = "Measures of view work_measure by which those who caused the finding are ranked: the first one with work. Empty if no record shows who, null for rules about settings and unless in breach." }
victims = { unit = "texts", doc = "The same for those that waited: of something slow, or of a finding that only something slow explains." }
caused_by = { unit = "texts", doc = "Ids of the rules whose breach explains this one." }
not_judged = { unit = "text", doc = "Why a rule did not judge an active area, as JSON: activity has the highest counters of the area, conditions those that did not hold (measure, operator, observed, limit, unit)." }
missing_classes = { unit = "texts", doc = "Record classes that the rule needs but the data does not have, or not in a part of the period." }
missing_views = { unit = "texts", doc = "Views that the rule needs but that have no rows for the queue manager." }
missing_columns = { unit = "texts", doc = "Columns that the rule needs, as view.column, that have no value for the queue manager." }
missing_facts = { unit = "texts", doc = "Facts that the rule needs but the site file does not give." }
needs_mq_level = { unit = "text", doc = "First MQ level that writes what the rule needs; null unless the queue manager is older." }
found_mq_level = { unit = "text", doc = "MQ level of the queue manager, if it is too old for the rule." }
short_structure = { unit = "text", doc = "Structure whose sections are too short for missing_columns, such as qjst; null unless all of them are." }
short_section_bytes = { unit = "bytes", doc = "Length of its longest section in the data.", over = "max" }
collect_command = { unit = "text", doc = "MQ command that starts the collection of the missing class." }
off_reason = { unit = "text", doc = "Why the site switched the rule off; null if it is off by default." }
error = { unit = "text", doc = "Why a broken rule failed." }
figures = { unit = "text", doc = "JSON object with the values used in the advice, from the worst row and the limits in force; `setting_` = what is stated about settings that advice changes, `since_` = values of commands since the last change of one." }
report = { unit = "text", doc = "Report to read; null if there is no such report." }
sql = { unit = "text", doc = "SQL statement that reproduces the judged rows." }
advice = { unit = "text", doc = "Summary and remedy, or why the rule was not judged, as a sentence made from the other columns.", label = "advice" }
rule_source = { unit = "text", doc = "Document and section of the limit, and its kind.", label = "source" }
evidence_record_id = { unit = "id", doc = "Record of the worst value.", label = "evidence record" }
evidence_source_id = { unit = "id", doc = "Input of that record." }
evidence_offset = { unit = "bytes", doc = "Byte offset of that record in the decompressed input.", over = "same" }
---*/
SELECT lpar, qmgr, rule_id, rule_name, rule_area, state, outcome, severity, weight, subject, clause, measure, operator, observed, limit_value, limit_unit, limit_from, limit_kind, distance, clauses, clear_because, slots_judged, slots, judged_from_utc, judged_to_utc, intervals_checked, intervals_breached, breached_pct, worst_interval_utc, first_seen_utc, last_seen_utc, too_few_intervals, within_margin, maintenance, silenced_by, culprits, victims, caused_by, not_judged, missing_classes, missing_views, missing_columns, missing_facts, needs_mq_level, found_mq_level, short_structure, short_section_bytes, collect_command, off_reason, error, figures, report, sql, advice, rule_source, evidence_record_id, evidence_source_id, evidence_offset
FROM decoded.finding
