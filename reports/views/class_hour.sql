/*---
id      = "class_hour"
title   = "Hours of the days before in which a record class was written"
grain   = "one row per lpar, qmgr, record class, day and hour of the day"
needs   = ["decoded.class_hour"]
note    = "The rows of view measured_class_hour for the seven days of data before a day; empty unless a day is compared with the days before it."

[columns]
record_class = { unit = "text", doc = "SMF type and subtype: 115.1." }
day_number = { unit = "id", doc = "Days from 2000-01-01 to the local day." }
hour_of_day = { unit = "id", doc = "Local hour of the day, 0 to 23." }
is_there = { unit = "flag", doc = "The class was there in the hour." }
---*/
SELECT lpar, qmgr, record_class, day_number, hour_of_day, is_there
FROM decoded.class_hour
