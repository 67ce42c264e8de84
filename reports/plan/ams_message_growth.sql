/*---
id       = "plan/ams_message_growth"
title    = "Size of protected messages"
question = "How much larger would the messages of this queue get with an AMS policy?"
subject  = "queue"
needs    = ["queue_statistics"]
profiles = ["ams_growth"]
holds    = "Advanced Message Security of MQ 8.0, messages of 2 KB; confidentiality was not measured."
source   = "MP1J, 'Does defining a policy on a queue affect the size of the message on that queue?'"
result   = "added"
note     = "For a signature and an encryption that IBM did not measure together, the signature and 280 bytes are taken. SHA256 with AES256 is the policy to be used today."

[parameter.message_bytes]
unit     = "bytes"
measured = "mean size of the messages put, over the intervals with puts"
doc      = "Size of the messages."
remedy   = "collect queue statistics (MQ 9.3), or set message_bytes=2048B"

[parameter.longest]
unit     = "bytes"
measured = "longest message put"
doc      = "Size of the longest message."
optional = true
remedy   = "collect queue statistics (MQ 9.3), or set longest=100kB"

[parameter.shared]
unit     = "flag"
measured = "whether the queue is shared"
doc      = "Whether the queue is shared."
optional = true

[parameter.signature]
unit    = "text"
doc     = "Signature algorithm of the policy."
default = "SHA256"
choices = "ams_growth.signature"
source  = "MP1J, 'Does defining a policy on a queue affect the size of the message on that queue?'"

[parameter.encryption]
unit    = "text"
doc     = "Encryption algorithm of the policy; AES256 as AES128."
default = "AES128"
choices = "ams_growth.encryption"
source  = "MP1J, 'Does defining a policy on a queue affect the size of the message on that queue?'"

[parameter.recipients]
unit    = "count"
doc     = "Recipients of the policy."
default = 1
source  = "MP1J, 'Does the number of recipients affect the cost?'"

[parameter.encryption_bytes]
unit    = "bytes"
doc     = "Bytes of an encryption in addition to the signature, where IBM measured no such pair."
default = 280
source  = "MP1J, 'Does defining a policy on a queue affect the size of the message on that queue?'"

[parameter.recipient_bytes]
unit    = "bytes"
doc     = "Bytes of each further recipient."
default = 220.5
others  = [220]
source  = "MP1J, 'Does defining a policy on a queue affect the size of the message on that queue?': 441 for two"

[parameter.structure_limit]
unit    = "bytes"
doc     = "Longest message that a shared queue keeps in the structure."
default = 64512
source  = "MP16, 'Shared message data set encryption': 63 KiB; longer ones go to SMDS"

[step.added]
unit    = "bytes"
label   = "bytes added"
formula = "of the table for signature and encryption, + recipients beyond the first * bytes of each"

[step.protected_bytes]
unit    = "bytes"
label   = "protected message"
formula = "message + bytes added"

[step.growth]
unit    = "percent"
label   = "growth"
formula = "100 * bytes added / message"

[step.protected_longest]
unit    = "bytes"
label   = "longest protected message"
formula = "longest message + bytes added"

[answer.unprotected]
text = "A policy without signature and encryption adds nothing."

[answer.crosses]
text = "Messages grow by {added:,.0f} bytes, {growth:,.0f} % of {message_bytes:,.0f}, and the longest of {longest:,.0f} then no longer fits into the structure ({structure_limit:,.0f} bytes): it goes to SMDS."
do   = ["Look at the size of the shared message data set and its buffers before you define the policy."]

[answer.grows]
text = "Messages grow by {added:,.0f} bytes, {growth:,.0f} % of {message_bytes:,.0f}: page sets, logs and channels get that much more<<; the longest is then {protected_longest:,.0f} bytes, and MAXMSGL must allow it>>."
---*/
SELECT
  lpar, qmgr, queue AS subject,
  avg(message_bytes_average) FILTER (messages_put > 0) AS message_bytes,
  max(message_bytes_high) FILTER (messages_put > 0)    AS longest,
  bool_or(shared_queue)                                AS shared
FROM queue_statistics
GROUP BY lpar, qmgr, queue
HAVING sum(messages_put) > 0;

WITH paired AS (
  SELECT
    i.*,
    CASE
      WHEN i.recipients > 1 THEN (i.recipients - 1) * i.recipient_bytes
      WHEN i.recipients <= 1 THEN 0
    END
    + CASE WHEN b.added_bytes IS NOT NULL THEN b.added_bytes ELSE s.added_bytes + i.encryption_bytes END AS added
  FROM plan_input AS i
  LEFT JOIN ams_growth AS b ON b.signature = i.signature AND b.encryption = i.encryption
  LEFT JOIN ams_growth AS s ON s.signature = i.signature AND s.encryption = 'NONE'
)
SELECT
  lpar, qmgr, subject, added,
  message_bytes + added                  AS protected_bytes,
  pct(added, message_bytes)              AS growth,
  longest + added                        AS protected_longest,
  CASE
    WHEN message_bytes + added IS NULL THEN NULL
    WHEN added = 0 THEN 'unprotected'
    WHEN shared AND longest <= structure_limit AND longest + added > structure_limit THEN 'crosses'
    ELSE 'grows'
  END                                    AS answer
FROM paired;
