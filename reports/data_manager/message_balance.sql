/*---
id       = "data_manager/message_balance"
title    = "Message manager compared with data manager"
question = "Are gets scanning (selectors, missing index), and where do the extra puts come from?"
needs    = ["message_balance"]
rules    = ["MM001"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
wsc      = [3]
drill_down = ["data_manager/activity", "message_manager/calls"]
note     = "The assessments use fixed limits for display only; findings come from rules. Gets through callbacks (client channels, MQCB) are counted by the data manager, but not by the message manager: a ratio of 3 to 8 is normal there."

[columns]
dm_gets = { label = "DM gets", screen = 1 }
dm_puts = { label = "DM puts", screen = 1 }
message_counts = { label = "message counts" }
object_creates = { screen = 0 }
object_deletes = { screen = 0 }
object_puts = { screen = 0 }
object_gets = { label = "object gets" }
object_locates = { label = "locates" }
controls = { label = "MQCTLs", screen = 2 }
callbacks = { label = "MQCBs", screen = 2 }
get_reading = { unit = "text", label = "gets", screen = 1, doc = "What the gets look like, for display only." }
put_reading = { unit = "text", label = "puts", screen = 1, doc = "What the puts look like, for display only." }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, mm_gets, dm_gets, get_difference, mm_mqputs, mm_put1s, mm_puts,
  dm_puts, put_difference, message_counts, object_creates, object_deletes, object_puts, object_gets, object_locates,
  dm_gets_per_mm_get, controls, callbacks,
  CASE
    WHEN dm_gets IS NULL OR mm_gets IS NULL THEN NULL
    WHEN dm_gets > 1.2 * mm_gets AND controls + callbacks > 0 THEN 'consumers by callback'
    WHEN dm_gets > 1.2 * mm_gets AND mm_gets > 100 THEN 'scanning, or earlier callbacks'
    WHEN dm_gets > 1.2 * mm_gets THEN 'internal gets'
    WHEN dm_gets < 0.5 * mm_gets THEN 'gets on empty queues'
    ELSE 'balanced'
  END AS get_reading,
  CASE
    WHEN put_difference > 0.05 * mm_puts THEN 'puts to waiting getters'
    WHEN put_difference < -0.05 * mm_puts THEN 'publications, events or triggers'
    WHEN put_difference IS NOT NULL THEN 'balanced'
  END AS put_reading
FROM message_balance
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
