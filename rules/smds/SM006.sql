/*---
id           = "SM006"
name         = "message-needs-several-smds-rounds"
title        = "Messages need more blocks than one request can transfer at once"
severity     = "info"
weight       = "delay"
grain        = ["lpar", "qmgr", "cf_structure"]
needs        = ["smds_period.buffer_bytes", "smds_message_period.buffers_per_message"]
prints       = ["smds_period.overlapped_buffers", "smds_message_period.average_offloaded_bytes"]
judge        = "whole period"
worst        = "highest"
culprits     = ["SMDS pages"]
measure     = "buffers that an average message fills"
when        = "observed > threshold"
text        = "an average message fills {value} buffer[s]"
unit         = "buffers"
min_activity = "offloaded_messages >= $messages_min"
mq_since     = "7.1.0"
look        = ["DISPLAY CFSTRUCT({cf_structure}) ALL"]
plans       = ["smds_dsblock_fit"]

[threshold.messages_min]
value = 100
unit  = "count"
kind  = "judgement"
why   = "the average size of fewer messages may be that of one large one"

[source]
cite = "MP16, 'Level 1 optimisation: Avoid put time I/O waits' and 'DSBLOCK'; Z17, 'Conclusion' (block sizes of shared message data sets)"
kind = "documented"

[advice]
summary = "The {offloaded_messages} large message[s] put to structure {cf_structure} have {average_offloaded_bytes:,.0f} byte[s] on average, which is {observed:.0f} block[s] of {buffer_bytes:,} byte[s]. One request can transfer only {threshold} of them at once (10 blocks or 4 MB); the rest follow one set after the other."
remedy  = "With a larger DSBLOCK, a message is transferred in one set. DSBLOCK can be changed only while the data sets of the structure hold no messages. The default of 256K was best for most message sizes in IBM's tests."
report  = "smds/buffers"
---*/
SELECT
  p.lpar, p.qmgr, p.cf_structure, p.interval_start_utc, p.record_id,
  'structure ' || p.cf_structure AS subject,
  m.buffers_per_message          AS observed,
  p.overlapped_buffers           AS threshold,
  m.offloaded_messages, m.average_offloaded_bytes, p.buffer_bytes
FROM smds_period AS p
JOIN smds_message_period AS m ON m.lpar = p.lpar AND m.qmgr = p.qmgr AND m.cf_structure = p.cf_structure
WHERE p.buffer_bytes > 0
