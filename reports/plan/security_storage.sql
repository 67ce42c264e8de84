/*---
id       = "plan/security_storage"
title    = "Storage of the security cache"
question = "How much 64-bit storage do user IDs take, and how long?"
subject  = "qmgr"
needs    = ["queue_use"]
holds    = "MQ 7.0.1 and later."
source   = "MP16, 'Queue manager security' and 'Storage for security information'"
result   = "total_mib"
note     = "User IDs without accounting records are not counted, so it is a lower bound."

[parameter.users]
unit     = "count"
measured = "different user IDs in the accounting records"
doc      = "User IDs that use the queue manager."
remedy   = "collect accounting class 3, or set users=5000"

[parameter.queues]
unit    = "count"
doc     = "Queues that each user ID uses."
default = 1
source  = "MP16, 'Queue manager security'"
least   = 1

[parameter.timeout]
unit    = "min"
doc     = "Minutes after which an unused user ID may be discarded (TIMEOUT)."
default = 54
source  = "MP16, 'Queue manager security'"

[parameter.interval]
unit    = "min"
doc     = "Minutes between two looks for them (INTERVAL)."
default = 12
source  = "MP16, 'Queue manager security'"
least   = 1

[parameter.user_kib]
unit    = "kib"
doc     = "Storage of a user ID with one queue."
default = 8.8
source  = "MP16, 'Storage for security information'"

[parameter.queue_bytes]
unit    = "bytes"
doc     = "Storage of each further queue."
default = 405
source  = "MP16, 'Storage for security information'"

[parameter.real_kib]
unit    = "kib"
doc     = "Part of it in real storage."
default = 4.66
source  = "MP16, 'Storage for security information'"

[step.kib_per_user]
unit    = "kib"
label   = "storage of a user ID"
formula = "8.8 KiB + 405 bytes * (queues - 1)"

[step.extra_kib]
unit    = "kib"
label   = "the part of further queues"
formula = "405 bytes * (queues - 1)"

[step.total_mib]
unit    = "mib"
label   = "storage of all user IDs"
formula = "user IDs * storage of each"

[step.real_mib]
unit    = "mib"
label   = "real storage at least"
formula = "user IDs * 4.66 KiB"

[step.discarded_after]
unit    = "min"
label   = "discarded after"
formula = "TIMEOUT in whole intervals"

[step.kept_too_long]
unit    = "min"
label   = "kept longer than TIMEOUT"
formula = "discarded after - TIMEOUT"

[answer.takes]
text = "For {users:,.0f} user ID[s] with {queues:,.0f} queue[s] each the cache takes {total_mib:,.1f} MiB above the bar, at least {real_mib:,.1f} MiB of it in real storage. An unused one is discarded after {discarded_after:,.0f} minutes or up to one interval later; the storage is freed only when the queue manager ends."
---*/
SELECT lpar, qmgr, NULL AS subject, count(DISTINCT operator_id) AS users
FROM queue_use
WHERE operator_id IS NOT NULL
GROUP BY lpar, qmgr;

WITH sized AS (
  SELECT *, queue_bytes * (queues - 1) / 1024 AS extra_kib, ceil(timeout / nullif("interval", 0)) * "interval" AS discarded_after
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, user_kib + extra_kib AS kib_per_user, extra_kib, users * (user_kib + extra_kib) / 1024 AS total_mib, users * real_kib / 1024 AS real_mib,
  discarded_after, discarded_after - timeout AS kept_too_long,
  CASE WHEN users * (user_kib + extra_kib + discarded_after) IS NOT NULL THEN 'takes' END AS answer
FROM sized;
