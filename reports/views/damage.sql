/*---
id      = "damage"
title   = "Damaged spots"
grain   = "one row per damaged spot"
needs   = ["decoded.damage"]

[columns]
source_id = {}
record_id = {}
damage_offset = { unit = "bytes", kind = "key", doc = "Offset of the damaged spot in the decompressed input." }
damage_bytes = { unit = "bytes", kind = "counter", doc = "Length of the damaged spot." }
damage_reason = { unit = "text", kind = "code", doc = "What is wrong, from a closed list of codes." }
---*/
SELECT source_id, record_id, damage_offset, damage_bytes, damage_reason
FROM decoded.damage
