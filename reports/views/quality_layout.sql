/*---
id      = "quality_layout"
title   = "Columns beyond the end of short sections"
grain   = "one row per structure and published section length"
needs   = ["decoded.layout_size"]
note    = "Derived from the layouts."

[columns]
structure = { unit = "text", kind = "text", doc = "Name of the structure." }
section_bytes = { unit = "bytes", kind = "key", doc = "Length of one section, from the triplet." }
columns_absent = { unit = "count", doc = "Columns of the structure whose field lies beyond a section of this length; reserved fields are not counted.", over = "same", label = "columns absent", screen = 1 }
---*/
SELECT structure, section_bytes, columns_absent
FROM decoded.layout_size
