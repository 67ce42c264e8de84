/*---
id          = "DQ011"
name        = "counters-wrapped"
title       = "A 32-bit counter wrapped"
severity    = "warning"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["quality_negative.lowest_counter"]
prints      = ["quality_negative.counter_group"]
judge       = "any interval"
worst       = "lowest"
measure     = "lowest value of a counter"
when        = "observed < counter_min"
look        = ["DISPLAY SYSTEM"]
do          = ["SET SYSTEM STATIME(15)", "Shorter intervals if it is 15 already. Make it permanent in CSQ6SYSP."]

[threshold.counter_min]
value = 0
unit  = "number"
kind  = "judgement"
why   = "a counter of events is negative only if it exceeded 2,147,483,647"

[source]
cite = "record layouts: signed 32-bit counters"

[advice]
summary = "A counter of the {counter_group} is {observed:.0f}: it exceeded 2,147,483,647 in one interval. {reading_text}. If it passed 4,294,967,295 as well, it began again at 0, and no record shows that."
remedy  = "Shorten the statistics interval."
report  = "overview/data_quality"
---*/
SELECT
  lpar, qmgr, interval_start_utc, record_id,
  counter_group             AS subject,
  counter_group,
  lowest_counter            AS observed,
  CASE WHEN counter_group = 'log manager' THEN 'Its rates are wrong' ELSE 'Reports and rules read it unsigned, which is exact' END AS reading_text
FROM quality_negative
