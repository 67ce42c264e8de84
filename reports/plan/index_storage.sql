/*---
id       = "plan/index_storage"
title    = "Storage of queue indexes"
question = "How much 64-bit storage do the indexes of private queues take?"
subject  = "qmgr"
needs    = ["storage_use"]
holds    = "MQ 7.0.1 and later, private queues."
source   = "MP16, 'Indexed queue considerations' and 'Use of indexed queues'"
result   = "index_mib"
note     = "Queues whose index no accounting record shows are not counted."

[parameter.messages]
unit     = "count"
measured = "last depth of private indexed queues"
doc      = "Messages on private indexed queues."
remedy   = "collect queue statistics (STATQ, class 5) and accounting class 3, or set messages=1000000"

[parameter.queues]
unit     = "count"
measured = "private queues with an index in the last interval"
doc      = "Private indexed queues."
remedy   = "count the lines of DISPLAY QLOCAL(*) WHERE(INDXTYPE NE NONE), and set queues=10"

[parameter.message_bytes]
unit    = "bytes"
doc     = "Storage for each message."
default = 136
source  = "MP16, 'Indexed queue considerations'"

[parameter.queue_kib]
unit    = "kib"
doc     = "Storage for each queue."
default = 47
source  = "MP16, 'Use of indexed queues'"

[step.index_mib]
unit    = "mib"
label   = "storage of the indexes"
formula = "messages * bytes for each + queues * KiB for each"

[step.messages_gib]
unit    = "gib"
label   = "the part of the messages"
formula = "messages * bytes for each"

[answer.idle]
text = "There is no private indexed queue."

[answer.takes]
text = "The indexes of {queues:.0f} private queue[s] with {messages:,.0f} message[s] take at least {index_mib:,.1f} MiB above the bar."
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  max(quantity) FILTER (item_number = 14) AS messages,
  max(quantity) FILTER (item_number = 15) AS queues
FROM storage_use
WHERE item_number IN (14, 15)
GROUP BY lpar, qmgr;

SELECT
  lpar, qmgr, subject, messages * message_bytes / 1048576 + queues * queue_kib / 1024 AS index_mib, messages * message_bytes / 1073741824 AS messages_gib,
  CASE
    WHEN messages * message_bytes + queues * queue_kib IS NULL THEN NULL
    WHEN queues = 0 THEN 'idle'
    ELSE 'takes'
  END AS answer
FROM plan_input;
