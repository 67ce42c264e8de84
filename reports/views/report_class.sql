/*---
id      = "report_class"
title   = "Record classes that reports need"
grain   = "one row per report and record class it needs"
needs   = ["decoded.report_class"]

[columns]
report_id = { unit = "text", kind = "key", doc = "Catalogue id of the report." }
record_class = { unit = "text", kind = "key", doc = "Record class that the report requires." }
---*/
SELECT report_id, record_class
FROM decoded.report_class
