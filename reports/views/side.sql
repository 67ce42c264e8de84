/*---
id      = "side"
title   = "Hours of each side of a comparison"
grain   = "one row per side, lpar, qmgr, LPAR on this side, way to match hours and hour of the week"
needs   = ["decoded.side"]
note    = "Filled by mqstat compare and mqstat report --baseline, otherwise empty. Excludes hours that the other side does not have."

[columns]
from_lpar = { unit = "text", doc = "The LPAR on which the queue manager was on this side: another one before it moved." }
side_name = { unit = "text", doc = "before or after." }
slot_by = { unit = "text", doc = "How hours are matched: week (same hour of the week), day (same hour of the day) or all (not matched)." }
slot = { unit = "id", doc = "The hour that is matched: 0 to 167 from Monday on, 0 to 23, or 0." }
hour_of_week = { unit = "id", doc = "Hour of the week, 0 to 167 from Monday on." }
---*/
SELECT lpar, from_lpar, qmgr, side_name, slot_by, slot, hour_of_week
FROM decoded.side
