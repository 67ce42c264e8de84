/*---
id          = "DQ011"
name        = "counters-wrapped"
title       = "A 32-bit counter is negative"
severity    = "warning"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["quality_negative.lowest_counter"]
prints      = ["quality_negative.counter_group", "quality_negative.read_unsigned"]
judge       = "any interval"
worst       = "lowest"
measure     = "lowest value of a counter"
when        = "observed < counter_min"
look        = ["DISPLAY SYSTEM"]
do          = ["SET SYSTEM STATIME({statime})"]
lowers      = ["STATIME"]

[size.statime]
formula   = "CASE WHEN read_unsigned THEN '15' END"
cost      = "Shorter intervals if it is 15 already. Make it permanent in CSQ6SYSP."
otherwise = ""

[threshold.counter_min]
value = 0
unit  = "number"
kind  = "judgement"
why   = "a counter of events is negative only if it exceeded 2,147,483,647, or if its record is damaged"

[source]
cite = "record layouts: signed 32-bit counters"

[advice]
summary = "A counter of the {counter_group} is {observed:.0f}{reading_text}."
remedy  = "{what_to_do}."
report  = "overview/data_quality"
---*/
SELECT
  lpar, qmgr, interval_start_utc, record_id,
  counter_group             AS subject,
  counter_group,
  lowest_counter            AS observed,
  CASE
    WHEN read_unsigned
      THEN ': it exceeded 2,147,483,647 in one interval. Reports and rules read it unsigned, which is exact unless it passed '
        || '4,294,967,295 as well and began again at 0: no record shows that'
    ELSE ', and the interval cannot hold more than 2,147,483,647: the record seems damaged, and rates of the counter are wrong'
  END                       AS reading_text,
  CASE
    WHEN read_unsigned THEN 'Shorten the statistics interval'
    ELSE 'Check how the dump was copied, and read it again'
  END                       AS what_to_do,
  read_unsigned
FROM quality_negative
