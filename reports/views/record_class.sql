/*---
id      = "record_class"
title   = "Record classes of MQ and the traces that write them"
grain   = "one row per record class that mqstat knows"
needs   = []
note    = "Every text about the collection of a class takes it from here. Sources: IBM documentation, MQSC reference, START TRACE on z/OS; 'Storage manager data records'; MP16, 'Statistics Trace Costs' and 'Accounting Trace Costs'. No source states which of the statistics classes 2 and 3 writes 115.201."

[columns]
record_class = { unit = "text", doc = "SMF type and subtype: 115.1." }
class_holds = { unit = "text", doc = "Contents of the records of the class." }
expected_since = { unit = "text", doc = "First MQ release that writes the class; null for classes that are never expected.", label = "since", screen = 3 }
since_level = { unit = "number", doc = "That release as a number: 90300 is 9.3.0.", over = "same" }
by_interval = { unit = "flag", doc = "Each statistics interval has records of the class." }
trace = { unit = "text", doc = "Trace that writes the class: STAT or ACCTG; null for records that MQ writes without a trace." }
trace_class = { unit = "text", doc = "Class of the trace, or the classes." }
attribute = { unit = "text", doc = "Attribute of the queue manager, and of its queues or channels, that must be on too; null if none." }
command_to_collect = { unit = "text", doc = "MQ command that starts the collection of the class; null if the class is unknown.", label = "command to collect", screen = 1 }
---*/
SELECT
  *,
  'START TRACE(' || trace || ') CLASS(' || trace_class || ')' || coalesce('; ALTER QMGR ' || attribute || if(attribute = 'STATCHL', '(MEDIUM)', '(ON)'), '') AS command_to_collect
FROM (
  VALUES
    ('115.1', 'log and storage', 'base', 0, true, 'STAT', '1', NULL),
    ('115.2', 'messages, data, topics, coupling facility, SMDS, Db2', 'base', 0, true, 'STAT', '1', NULL),
    ('115.5', 'storage pools', 'base', 0, true, 'STAT', '2,3', NULL),
    ('115.6', 'storage getmains', 'base', 0, true, 'STAT', '2,3', NULL),
    ('115.7', 'storage region', 'base', 0, true, 'STAT', '2,3', NULL),
    ('115.201', 'page sets', '9.0.0', 90000, true, 'STAT', '2,3', NULL),
    ('115.215', 'buffer pools', '8.0.0', 80000, true, 'STAT', '1', NULL),
    ('115.216', 'queues', '9.3.0', 90300, true, 'STAT', '5', 'STATQ'),
    ('115.231', 'channel initiator', '8.0.0', 80000, true, 'STAT', '4', NULL),
    ('115.240', 'internal to MQ', NULL, NULL, false, NULL, NULL, NULL),
    ('116.0', 'class 1 accounting', 'base', 0, false, 'ACCTG', '1', NULL),
    ('116.1', 'class 3 accounting', 'base', 0, false, 'ACCTG', '3', 'ACCTQ'),
    ('116.2', 'class 3 accounting, continued', NULL, NULL, false, 'ACCTG', '3', 'ACCTQ'),
    ('116.10', 'channel accounting', '8.0.0', 80000, true, 'ACCTG', '4', 'STATCHL')
) AS known (record_class, class_holds, expected_since, since_level, by_interval, trace, trace_class, attribute)
