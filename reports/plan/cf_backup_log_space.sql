/*---
id       = "plan/cf_backup_log_space"
title    = "Log space of BACKUP CFSTRUCT"
question = "How much log data does a backup of this structure write?"
subject  = "structure"
needs    = ["cf_structure_puts", "queue_depth"]
holds    = "Messages of up to 4 KiB measured; longer ones with the overhead of 4 KiB."
source   = "MP16, 'How much log space do I need when backing up a CF structure?'"
result   = "backup_mib"
note     = "Only persistent messages are backed up: if many are not, this is too much. The mean size is that of all persistent messages of the queue manager."

[parameter.messages]
unit     = "count"
measured = "highest depth of the shared queues of the structure, added up"
doc      = "Persistent messages in the structure."
remedy   = "collect queue statistics (MQ 9.3), or set messages=50000"

[parameter.message_bytes]
unit     = "bytes"
measured = "average of all puts to queues of the structure"
doc      = "Size of the messages."
remedy   = "collect queue statistics (STATQ, class 5) or accounting class 3, or set message_bytes=1kB"

[step.overhead]
unit    = "bytes"
label   = "bytes of each message in addition"
formula = "505 to 1 byte, 514 at 1024, 546 at 4096, between them interpolated"

[step.bytes_per_message]
unit    = "bytes"
label   = "bytes of each message"
formula = "message + overhead"

[step.backup_mib]
unit    = "mib"
label   = "log data of the backup"
formula = "messages * bytes of each"

[answer.empty]
text = "The structure held no messages, so a backup writes next to nothing."

[answer.space]
text = "A backup of {messages:,.0f} message[s] of {message_bytes:,.0f} bytes writes about {backup_mib:,.1f} MiB to the log of the queue manager that makes it."
---*/
WITH held AS (
  SELECT lpar, qmgr, cf_structure, sum(depth_high) AS messages
  FROM queue_depth
  WHERE shared_queue AND cf_structure IS NOT NULL
  GROUP BY lpar, qmgr, cf_structure
)
SELECT h.lpar, h.qmgr, h.cf_structure AS subject, h.messages, p.group_message_bytes AS message_bytes
FROM held AS h
LEFT JOIN cf_structure_puts AS p ON p.lpar = h.lpar AND p.qmgr = h.qmgr AND p.cf_structure = h.cf_structure;

WITH sized AS (
  SELECT *, interpolated(message_bytes, [0, 1, 1024, 4096], [505, 505, 514, 546]) AS overhead
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, overhead,
  message_bytes + overhead                          AS bytes_per_message,
  messages * (message_bytes + overhead) / 1048576   AS backup_mib,
  CASE
    WHEN messages * (message_bytes + overhead) IS NULL THEN NULL
    WHEN messages = 0 THEN 'empty'
    ELSE 'space'
  END                                               AS answer
FROM sized;
