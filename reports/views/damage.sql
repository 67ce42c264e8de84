/*---
id      = "damage"
title   = "Damaged spans"
grain   = "one row per damaged span; equal ones that follow one another are one row"
needs   = ["decoded.damage"]
---*/
SELECT source_id, record_id, damage_offset, damage_bytes, spans, damage_reason
FROM decoded.damage
