/*---
id       = "plan/qmgr_31bit_storage"
title    = "31-bit storage of the queue manager"
question = "How much 31-bit storage do connections and handles take, and how many more fit?"
subject  = "qmgr"
needs    = ["storage_use", "storage_region"]
holds    = "MQ 9.0 and later."
source   = "V92, 'How much storage does a connection use?'; MP16, 'Object handles', 'Shared queue', 'Using BACKUP CFSTRUCT command' and 'Storage Usage'"
result   = "total_mib"
note     = "An estimate of what grows with connections: local connections are not counted in SMF, and more than 32 open objects or large units of work take more. IBM counts 1000 KB as 1 MB for handles; here 1024."

[parameter.connections]
unit     = "count"
measured = "channels but clients that share in the last interval"
doc      = "Connections of the usual kind."
remedy   = "collect channel initiator statistics and channel accounting (class 4), or set connections=500"

[parameter.single]
unit     = "count"
measured = "clients with one conversation in the last interval"
doc      = "Clients with SHARECNV(1)."
remedy   = "collect channel accounting (class 4), or set single=200"

[parameter.shared]
unit     = "count"
measured = "conversations of shared channels in the last interval"
doc      = "Clients that share a channel."
remedy   = "collect channel accounting (class 4), or set shared=0"

[parameter.single_on_shared_queues]
unit    = "count"
doc     = "Clients with SHARECNV(1) among them that use shared queues."
default = 0
source  = "V92, 'How much storage does a connection use?'"

[parameter.handles]
unit     = "count"
measured = "open handles of all queues in the last interval"
doc      = "Open handles."
optional = true
remedy   = "collect queue statistics (STATQ, class 5), or set handles=20000"

[parameter.accounted]
unit     = "count"
measured = "connections if class 3 is on"
doc      = "Tasks with accounting class 3."
optional = true

[parameter.group_members]
unit     = "count"
measured = "1 with a queue-sharing group, else 0"
doc      = "1 if the queue manager is in a queue-sharing group."
optional = true
most     = 1

[parameter.structures]
unit     = "count"
measured = "application structures in the last interval"
doc      = "Application structures."
optional = true

[parameter.backs_up]
unit    = "flag"
doc     = "Whether the queue manager runs BACKUP CFSTRUCT."
default = false
source  = "MP16, 'Using BACKUP CFSTRUCT command'"

[parameter.free]
unit     = "mib"
measured = "least available 31-bit storage in any interval"
doc      = "31-bit storage that is free."
optional = true
remedy   = "collect statistics class 1, or set free=900MiB"

[parameter.cushion]
unit    = "mib"
doc     = "Storage that must stay free."
default = 100
source  = "our assumption; MP16, 'Virtual storage usage'"

[parameter.connection_kib]
unit    = "kib"
doc     = "Storage of a connection."
default = 15
source  = "V92, 'How much storage does a connection use?'"

[parameter.single_kib]
unit    = "kib"
doc     = "Storage of a client with SHARECNV(1)."
default = 24
source  = "V92, 'How much storage does a connection use?'"

[parameter.shared_kib]
unit    = "kib"
doc     = "Storage of a client of a shared channel."
default = 16.3
source  = "V92, 'How much storage does a connection use?': 163 KB for a channel with 10"

[parameter.single_shared_queue_kib]
unit    = "kib"
doc     = "Storage of a client with SHARECNV(1) that uses shared queues."
default = 29.8
source  = "V92, 'How much storage does a connection use?'"

[parameter.handle_kib]
unit    = "kib"
doc     = "Storage of a handle."
default = 4
source  = "MP16, 'Object handles'"

[parameter.accounting_kib]
unit    = "kib"
doc     = "Storage of a task with accounting class 3."
default = 8
others  = [4]
source  = "MP16, 'Storage Usage'"

[step.connections_mib]
unit    = "mib"
label   = "connections"
formula = "connections of each kind * storage of one"

[step.shared_queue_extra_kib]
unit    = "kib"
label   = "more for shared queues"
formula = "client with SHARECNV(1) on shared queues - without"

[step.handles_mib]
unit    = "mib"
label   = "handles"
formula = "handles * storage of one"

[step.accounting_mib]
unit    = "mib"
label   = "accounting"
formula = "tasks with class 3 * storage of one"

[step.group_mib]
unit    = "mib"
label   = "queue-sharing group"
formula = "27 MiB + 800 KiB * structures"

[step.backup_mib]
unit    = "mib"
label   = "BACKUP CFSTRUCT"
formula = "65 MiB"

[step.total_mib]
unit    = "mib"
label   = "31-bit storage"
formula = "the sum of what is known"

[step.more_connections]
unit    = "count"
label   = "further connections that fit"
formula = "(free - cushion) / storage of a connection with two handles"

[answer.short]
text = "Connections, handles and the queue-sharing group take about {total_mib:,.1f} MiB of 31-bit storage, and only {free:,.0f} MiB are free, less than the {cushion:,.0f} MiB that must stay: no further connection fits."
do   = ["Move buffer pools above the bar, and look for connections that are not needed."]

[answer.fits]
text = "Connections, handles and the queue-sharing group take about {total_mib:,.1f} MiB of 31-bit storage<<, {connections_mib:,.1f} of them the connections>>. {free:,.0f} MiB are free, which is room for about {more_connections} further connections with two handles each."

[answer.takes]
text = "Connections, handles and the queue-sharing group take about {total_mib:,.1f} MiB of 31-bit storage."
---*/
WITH region AS (
  SELECT lpar, qmgr, min(available_31_mib) AS free, at_peak(interval_start_local, -available_31_mib, interval_start_utc) AS free_at FROM storage_region GROUP BY lpar, qmgr
)
SELECT
  u.lpar, u.qmgr, NULL AS subject,
  max(u.quantity) FILTER (u.item_number = 7) AS connections,
  max(u.quantity) FILTER (u.item_number = 8) AS single,
  max(u.quantity) FILTER (u.item_number = 9) AS shared,
  max(u.quantity) FILTER (u.item_number = 6) AS handles,
  max(u.quantity) FILTER (u.item_number = 13) AS accounted,
  max(u.quantity) FILTER (u.item_number = 11) AS group_members,
  max(u.quantity) FILTER (u.item_number = 12) AS structures,
  max(r.free) AS free, max(r.free_at) AS free_at
FROM storage_use AS u
LEFT JOIN region AS r ON r.lpar = u.lpar AND r.qmgr = u.qmgr
GROUP BY u.lpar, u.qmgr;

WITH summed AS (
  SELECT
    *,
    (connections * connection_kib + (single - single_on_shared_queues) * single_kib + single_on_shared_queues * single_shared_queue_kib + shared * shared_kib) / 1024 AS connections_mib,
    handles * handle_kib / 1024                        AS handles_mib,
    accounted * accounting_kib / 1024                  AS accounting_mib,
    27 * group_members + structures * 800 / 1024       AS group_mib,
    CASE WHEN backs_up THEN 65 ELSE 0 END              AS backup_mib
  FROM plan_input
),
counted AS (
  SELECT
    *,
    CASE WHEN connections_mib IS NOT NULL THEN list_sum([connections_mib, handles_mib, accounting_mib, group_mib, backup_mib]) END AS total_mib,
    floor(CASE WHEN free < cushion THEN 0 ELSE free - cushion END * 1024 / nullif(connection_kib + 2 * handle_kib, 0))::BIGINT AS more_connections
  FROM summed
)
SELECT
  lpar, qmgr, subject, connections_mib, single_shared_queue_kib - single_kib AS shared_queue_extra_kib, handles_mib, accounting_mib, group_mib, backup_mib, total_mib, more_connections,
  CASE
    WHEN total_mib IS NULL THEN NULL
    WHEN free < cushion THEN 'short'
    WHEN more_connections IS NOT NULL THEN 'fits'
    ELSE 'takes'
  END AS answer
FROM counted;
