/*---
id      = "work_measure"
title   = "Kinds of work by which applications, queues and channels are ranked for a finding"
grain   = "one row per measure"
needs   = []
note    = "The keys culprits and victims of a rule name measures; the first one with work decides. What a queue kept is the most that it held between the first and the last interval in breach, minus what it held a day before or at the start of the data: a queue that is always deep kept nothing."

[columns]
work_measure = { unit = "text", doc = "Kind of work, such as pages kept." }
work_figure = { unit = "text", doc = "Figure of view interval_work from which it is made." }
work_unit = { unit = "text", doc = "Unit of the measure.", label = "unit", screen = 2 }
work_class = { unit = "text", doc = "Record class that the measure comes from." }
work_over = { unit = "text", doc = "How the figures of intervals are put together: sum, interval max (the most in one interval), max (the highest value) or rise (the highest value minus the first)." }
work_of_group = { unit = "flag", doc = "The work of all members of the queue-sharing group counts." }
---*/
SELECT work_measure, work_figure, work_unit, work_class, work_over, work_figure IN ('bytes held', 'bytes put minus got') AS work_of_group
FROM (
  VALUES
    ('pages kept', 'pages held', 'pages', '115.216', 'rise'), ('pages held', 'pages held', 'pages', '115.216', 'interval max'),
    ('bytes kept', 'bytes held', 'bytes', '115.216', 'rise'), ('bytes held', 'bytes held', 'bytes', '115.216', 'interval max'),
    ('pages put minus got', 'pages put minus got', 'pages', '116.1', 'sum'), ('bytes put minus got', 'bytes put minus got', 'bytes', '116.1', 'sum'),
    ('pages put', 'pages put', 'pages', '116.1', 'sum'), ('pages read', 'pages read', 'pages', '116.1', 'sum'),
    ('messages put', 'messages put', 'messages', '116.1', 'sum'), ('messages put minus got', 'messages put minus got', 'messages', '116.1', 'sum'),
    ('gets without a message', 'gets without a message', 'gets', '116.1', 'sum'), ('opens', 'opens', 'opens', '116.1', 'sum'),
    ('log bytes', 'log bytes', 'bytes', '116.1', 'sum'), ('log writes', 'log writes', 'writes', '116.1', 'sum'), ('log waits', 'log waits', 'us', '116.1', 'sum'),
    ('backout time', 'backout time', 'us', '116.1', 'sum'),
    ('SMDS pages', 'SMDS pages', 'pages', '116.1', 'sum'), ('SMDS waits', 'SMDS waits', 'us', '116.1', 'sum'),
    ('adapter time', 'adapter time', 'us', '116.1', 'sum'),
    ('channel calls', 'channel calls', 'messages and calls', '116.10', 'sum'), ('channel time', 'channel time', 'us', '116.10', 'sum'),
    ('compressed bytes', 'compressed bytes', 'bytes', '116.10', 'sum'),
    ('channels', 'channels', 'channels', '116.10', 'interval max'), ('conversations', 'conversations', 'conversations', '116.10', 'interval max'),
    ('TLS starts', 'TLS starts', 'starts', '116.10', 'sum'), ('DNS time', 'DNS time', 'not documented', '116.10', 'max'),
    ('CF time', 'CF time', 'us', '116.1', 'sum'), ('CF lists read', 'CF lists read', 'requests', '116.1', 'sum'),
    ('CF redrives', 'CF redrives', 'redrives', '116.1', 'sum'), ('CF opens', 'CF opens', 'opens', '116.1', 'sum'),
    ('connections', 'connections', 'connections', '116.1', 'interval max'), ('open handles', 'open handles', 'handles', '116.1', 'interval max'),
    ('latch time', 'latch time', 'us', '116.1', 'sum'),
    ('Db2 requests', 'Db2 requests', 'requests', '116.1', 'sum'), ('Db2 time', 'Db2 time', 'us', '116.1', 'sum'), ('Db2 bytes', 'Db2 bytes', 'bytes', '116.1', 'sum')
) AS v (work_measure, work_figure, work_unit, work_class, work_over)
