/*---
id      = "damage"
title   = "Damaged spans"
grain   = "one row per damaged span"
needs   = ["decoded.damage"]

[columns]
source_id = {}
record_id = {}
damage_offset = { unit = "bytes", kind = "key", doc = "Offset of the damaged span in the decompressed input." }
damage_bytes = { unit = "bytes", kind = "counter", doc = "Length of the damaged span." }
damage_reason = { unit = "text", kind = "code", doc = "Kind of damage, from a fixed list of codes." }
---*/
SELECT source_id, record_id, damage_offset, damage_bytes, damage_reason
FROM decoded.damage
