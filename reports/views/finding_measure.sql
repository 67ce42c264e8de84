/*---
id      = "finding_measure"
title   = "What kind of work causes the findings of a rule"
grain   = "one row per rule and choice of a measure"
needs   = []
note    = "Rules about settings have no row. A measure of a later choice replaces one that a queue manager has no rows of. A rule without a measure is about something that no record connects with applications, queues or channels."

[columns]
rule_id = { unit = "text", doc = "Id of the rule." }
work_choice = { unit = "count", doc = "1 for the measure to use, 2 for the one to use where the queue manager has no rows of the first.", over = "same" }
work_measure = { unit = "text", doc = "Kind of work, such as pages put; null if the records do not show who causes the findings." }
work_unit = { unit = "text", doc = "Unit of the measure." }
work_class = { unit = "text", doc = "Record class that the measure comes from." }
work_over = { unit = "text", doc = "How the figures of intervals are put together: sum, interval max (the most in one interval) or max (the highest value)." }
work_whole_period = { unit = "flag", doc = "The rule judges the whole period, so the work of the whole period counts." }
---*/
WITH
measure (work_measure, work_unit, work_class, work_over) AS (
  VALUES
    ('pages put', 'pages', '116.1', 'sum'), ('pages read', 'pages', '116.1', 'sum'), ('pages kept', 'pages', '116.1', 'sum'),
    ('pages held', 'pages', '115.216', 'interval max'),
    ('log bytes', 'bytes', '116.1', 'sum'), ('log waits', 'us', '116.1', 'sum'), ('backout time', 'us', '116.1', 'sum'),
    ('SMDS pages', 'pages', '116.1', 'sum'), ('SMDS waits', 'us', '116.1', 'sum'),
    ('adapter time', 'us', '116.1', 'sum'),
    ('channel calls', 'messages and calls', '116.10', 'sum'), ('channel bytes', 'bytes', '116.10', 'sum'),
    ('compressed bytes', 'bytes', '116.10', 'sum'), ('channels', 'channels', '116.10', 'interval max'), ('conversations', 'conversations', '116.10', 'interval max'),
    ('TLS starts', 'starts', '116.10', 'sum'), ('DNS time', 'not documented', '116.10', 'max'),
    ('CF time', 'us', '116.1', 'sum'), ('bytes kept', 'bytes', '116.1', 'sum'), ('CF lists read', 'requests', '116.1', 'sum'),
    ('CF redrives', 'redrives', '116.1', 'sum'), ('CF opens', 'opens', '116.1', 'sum'),
    ('connections', 'connections', '116.1', 'interval max'), ('open handles', 'handles', '116.1', 'interval max'),
    ('latch time', 'us', '116.1', 'sum'),
    ('Db2 requests', 'requests', '116.1', 'sum'), ('Db2 time', 'us', '116.1', 'sum'), ('Db2 bytes', 'bytes', '116.1', 'sum')
),
judged AS (
  SELECT unnest(rule_ids) AS rule_id, work_choice, work_measure, work_whole_period
  FROM (VALUES
    (['BP001', 'BP002', 'BP003', 'BP004', 'BP005', 'BP006', 'BP007', 'BP014', 'PS007'], 1, 'pages put', false),
    (['BP009', 'BP010', 'BP011'], 1, 'pages read', false),
    (['PS001', 'PS002', 'PS003', 'PS004', 'PS005', 'PS006', 'PS008'], 1, 'pages held', false),
    (['PS001', 'PS002', 'PS003', 'PS004', 'PS005', 'PS006', 'PS008'], 2, 'pages kept', false),
    (['LG001', 'LG002', 'LG003', 'LG010', 'LG013', 'LG018', 'LG020', 'LG028'], 1, 'log bytes', false),
    (['LG004', 'LG005', 'LG006', 'LG007'], 1, 'log waits', false),
    (['LG015', 'LG016', 'LG017'], 1, 'backout time', false),
    (['SM001'], 1, 'SMDS waits', false),
    (['SM002', 'SM003', 'SM004', 'SM006', 'SM007', 'SM008'], 1, 'SMDS pages', false),
    (['CH001', 'CH002', 'CH003', 'CH004'], 1, 'adapter time', false),
    (['CH001', 'CH002', 'CH003', 'CH004'], 2, 'channel calls', false),
    (['CH005', 'CH006'], 1, 'channel bytes', false),
    (['CH007'], 1, 'channels', false),
    (['CH008', 'CH009'], 1, 'TLS starts', false),
    (['CH010'], 1, 'DNS time', false),
    (['CH011'], 1, 'compressed bytes', false),
    (['CH012', 'CH013'], 1, 'conversations', false),
    (['CF001', 'CF007'], 1, 'bytes kept', false),
    (['CF003'], 1, 'CF redrives', false),
    (['CF004'], 1, 'CF lists read', true),
    (['CF005', 'CF006'], 1, 'CF time', false),
    (['CF011'], 1, 'CF time', true),
    (['CF012'], 1, 'CF opens', true),
    (['ST001', 'ST002', 'ST003', 'ST004', 'ST005', 'ST006'], 1, 'connections', false),
    (['ST007'], 1, 'open handles', true),
    (['BP020'], 1, 'pages kept', true),
    (['CF014'], 1, 'bytes kept', true),
    (['CH017'], 1, 'channels', true),
    (['LG035'], 1, 'log bytes', true),
    (['SM009'], 1, 'SMDS pages', true),
    (['LK001', 'LK002'], 1, 'latch time', true),
    (['DB001'], 1, 'Db2 requests', false),
    (['DB005', 'DB006'], 1, 'Db2 time', false),
    (['DB007'], 1, 'Db2 bytes', false),
    -- CSQ_ADMIN is filled by the queue managers themselves, and no record names the task of a deadlock or of a server that ended.
    (['CF002', 'CF008', 'DB002', 'DB003', 'DB004'], 1, NULL, false)
  ) AS v(rule_ids, work_choice, work_measure, work_whole_period)
)
SELECT j.rule_id, j.work_choice, j.work_measure, m.work_unit, m.work_class, m.work_over, j.work_whole_period
FROM judged AS j
LEFT JOIN measure AS m ON m.work_measure = j.work_measure
