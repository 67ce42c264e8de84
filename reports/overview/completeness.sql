/*---
id       = "overview/completeness"
title    = "Completeness"
question = "Is any record missing that a queue manager wrote?"
needs    = ["record_sequence"]
rules    = ["CV014", "DQ018"]
grain    = ["lpar", "qmgr", "run_number", "counted_class"]
unmarked = "A row is a run of one kind of records; its rules judge the queue manager."
drill_down = ["overview/gaps"]
note     = "A queue manager numbers its records by kind (QWHSISEQ) and over all kinds (QWHSWSEQ), from 1 at each start. What it wrote before the first or after the last number is not known. 115.5, 115.6, 115.7, 115.231 and 116.10 have no number: their intervals are compared with those of the others."

[columns]
run_number = { unit = "id", label = "run", screen = 2, doc = "Number of the run of the queue manager: a run begins with its start, or with the data." }
---*/
SELECT
  lpar, qmgr,
  dense_rank() OVER (PARTITION BY lpar, qmgr ORDER BY run) AS run_number,
  counted_class, first_number, last_number, records_seen, missing_numbers, damaged_records, lost_records, repeated_numbers,
  first_written_local, last_written_local, sequence_state
FROM record_sequence
ORDER BY lpar, qmgr, run_number, counted_class
