/*---
id      = "damage"
title   = "Damaged spans"
grain   = "one row per damaged span"
needs   = ["decoded.damage"]
---*/
SELECT source_id, record_id, damage_offset, damage_bytes, damage_reason
FROM decoded.damage
