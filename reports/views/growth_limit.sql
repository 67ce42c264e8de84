/*---
id      = "growth_limit"
title   = "Objects that can be enlarged, up to a largest size"
grain   = "one row per kind of object and command that enlarges it"
needs   = []
note    = "Helper of the views that judge whether an object can grow. No rule and no plan shows a command that enlarges an object which `largest_sign` reports as at its largest: there it states what helps instead."

[columns]
object_kind = { unit = "text", kind = "key", doc = "Kind of the object.", label = "object" }
enlarging_command = { unit = "text", kind = "key", doc = "The command that enlarges it, with * for its values.", label = "command" }
largest_value = { unit = "number", doc = "The largest size, in the unit of `size_unit`; null where another setting limits it, which `growth_source` names.", over = "same" }
size_unit = { unit = "text", doc = "Unit of the largest size." }
largest_sign = { unit = "text", doc = "The sign in the data: the column of a rule, or the parameter of a plan, that decides whether the command is shown; for a structure, what to compare." }
growth_source = { unit = "text", doc = "Source of the largest size." }
---*/
SELECT object_kind, enlarging_command, largest_value::DOUBLE AS largest_value, size_unit, largest_sign, growth_source
FROM (
  VALUES
    -- Of 16,777,216 pages in 64 GiB, the last 1,038 are no room for an extent.
    ('page set', 'ALTER PSID(*) EXPAND(*)', 16776178, 'pages', 'at_largest', 'MP16, ''Size of page sets for a given number of messages'' (64 GB)'),
    ('shared message data set', 'ALTER SMDS(*) CFSTRUCT(*) DSEXPAND(*)', 16777216, 'mib', 'at_largest', 'MP16, ''Backup CFSTRUCT limit'' (16 TB)'),
    ('buffers of a shared message data set', 'ALTER SMDS(*) CFSTRUCT(*) DSBUFS(*)', 9999, 'buffers', 'smds_buffers', 'IBM documentation, MQSC reference, ALTER SMDS on z/OS'),
    ('current channels', 'ALTER QMGR MAXCHL(*)', 9999, 'count', 'channels_at_most', 'IBM documentation, MQSC reference, ALTER QMGR'),
    ('active channels', 'ALTER QMGR ACTCHL(*)', 9999, 'count', 'channels_at_most', 'IBM documentation, MQSC reference, ALTER QMGR'),
    ('TCP/IP channels', 'ALTER QMGR TCPCHL(*)', 9999, 'count', 'channels_at_most', 'IBM documentation, MQSC reference, ALTER QMGR'),
    ('buffer pool', 'ALTER BUFFPOOL(*) BUFFERS(*) LOCATION(ABOVE)', NULL, 'mib', '_left', 'MEMLIMIT of the queue manager: view storage_region'),
    ('structure', 'SETXCF START,ALTER,STRNAME=*,SIZE=*', NULL, 'mib', 'POLICY SIZE', 'SIZE of the CFRM policy, which the records do not have')
) AS objects (object_kind, enlarging_command, largest_value, size_unit, largest_sign, growth_source)
