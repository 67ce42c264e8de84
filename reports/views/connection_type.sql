/*---
id      = "connection_type"
title   = "Types of connecting systems"
grain   = "one row per type (QWHCATYP, WTIDATYP)"
needs   = []
note    = "End backouts: a CICS task resets its connection at the end with a call that counts as a backout (MP16, 'Accounting Trace Costs'); records of channel tasks that ended have one commit and one backout more than their work, or two backouts."

[columns]
connection_type_code = { unit = "id", kind = "code", doc = "Code of connection type as recorded." }
connection_type_name = { unit = "text", doc = "Connection type as text." }
end_backouts = { unit = "count", doc = "Most backout calls with which a task of this type ends that have nothing to undo; null for types whose end undoes what they did not commit.", over = "same" }
---*/
SELECT connection_type_code::BIGINT AS connection_type_code, connection_type_name, end_backouts::BIGINT AS end_backouts
FROM (
  VALUES
    (1, 'CICS', 1), (2, 'TSO or batch', NULL), (3, 'IMS control', NULL), (4, 'IMS MPP/BMP', NULL), (5, 'command server', NULL),
    (6, 'channel initiator', 2), (7, 'RRS batch', NULL), (8, 'intra-group queuing', NULL)
) AS v (connection_type_code, connection_type_name, end_backouts)
