/*---
id      = "finding_measure"
title   = "What kind of work causes the findings of a rule"
grain   = "one row per rule whose findings come from the work of applications"
needs   = []
note    = "Rules about settings have no row. Pages held are those of view queue_statistics; without queue statistics the pages of messages put and not got replace them."

[columns]
rule_id = { unit = "text", doc = "Id of the rule." }
work_measure = { unit = "text", doc = "pages put, pages read, pages held, log bytes, log waits or backout time." }
work_unit = { unit = "text", doc = "Unit of the measure." }
---*/
SELECT unnest(rule_ids) AS rule_id, work_measure, work_unit
FROM (VALUES
  (['BP001', 'BP002', 'BP003', 'BP004', 'BP005', 'BP006', 'BP007', 'BP014', 'PS007'], 'pages put', 'pages'),
  (['BP009', 'BP010', 'BP011'], 'pages read', 'pages'),
  (['PS001', 'PS002', 'PS003', 'PS004', 'PS005', 'PS006', 'PS008'], 'pages held', 'pages'),
  (['LG001', 'LG002', 'LG003', 'LG010', 'LG013', 'LG018', 'LG020', 'LG028'], 'log bytes', 'bytes'),
  (['LG004', 'LG005', 'LG006', 'LG007'], 'log waits', 'us'),
  (['LG015', 'LG016', 'LG017'], 'backout time', 'us')
) AS v(rule_ids, work_measure, work_unit)
