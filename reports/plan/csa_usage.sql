/*---
id       = "plan/csa_usage"
title    = "Common storage of connections"
question = "How much CSA and ECSA do the queue manager and its connections take?"
subject  = "qmgr"
needs    = ["storage_use"]
holds    = "MQ 7.1 to 9.3."
source   = "MP16, 'Initial CSA (and ECSA) usage', 'CSA usage per connection' and 'Shared queue'"
result   = "total_mib"
note     = "Local connections of batch, CICS and IMS are not counted in SMF; add them. What is in use is in RMF."

[parameter.plain]
unit     = "count"
measured = "channels of these kinds in the last interval"
doc      = "Local connections, MCA channels and clients with SHARECNV(0)."
remedy   = "collect channel initiator statistics and channel accounting (class 4), or set plain=500"

[parameter.single]
unit     = "count"
measured = "clients with one conversation in the last interval"
doc      = "Clients with SHARECNV(1)."
remedy   = "collect channel accounting (class 4), or set single=200"

[parameter.few]
unit     = "count"
measured = "conversations of these channels in the last interval"
doc      = "Clients that share a channel with up to 9."
remedy   = "collect channel accounting (class 4), or set few=0"

[parameter.many]
unit     = "count"
measured = "conversations of these channels in the last interval"
doc      = "Clients that share a channel with 10 or more."
remedy   = "collect channel accounting (class 4), or set many=0"

[parameter.queue_managers]
unit    = "count"
doc     = "Queue managers of the LPAR."
default = 1
source  = "MP16, 'Initial CSA (and ECSA) usage'"
least   = 1

[parameter.structures]
unit     = "count"
measured = "application structures in the last interval"
doc      = "Application structures of the queue manager."
optional = true

[parameter.plain_kib]
unit    = "kib"
doc     = "CSA of a plain connection."
default = 2.47
source  = "MP16, 'CSA usage per connection'"

[parameter.single_kib]
unit    = "kib"
doc     = "CSA of a client with SHARECNV(1)."
default = 4.9
source  = "MP16, 'CSA usage per connection'"

[parameter.few_kib]
unit    = "kib"
doc     = "CSA of a client that shares a channel with up to 9."
default = 3
source  = "MP16, 'CSA usage per connection'"

[parameter.many_kib]
unit    = "kib"
doc     = "CSA of a client that shares a channel with 10 or more."
default = 2.7
source  = "MP16, 'CSA usage per connection'"

[parameter.base]
unit    = "mib"
doc     = "CSA of a queue manager without connections."
default = 6
source  = "MP16, 'Initial CSA (and ECSA) usage'"

[step.connections_mib]
unit    = "mib"
label   = "connections"
formula = "connections of each kind * CSA of one"

[step.structures_mib]
unit    = "mib"
label   = "structures"
formula = "(2 KB of ESQA + 4 KB of ECSA) * structures"

[step.total_mib]
unit    = "mib"
label   = "CSA and ECSA"
formula = "base * queue managers + connections"

[answer.takes]
text = "The queue manager and its connections take about {total_mib:,.1f} MiB of CSA and ECSA: {connections_mib:,.1f} MiB for connections<<, and {structures_mib:,.2f} MiB more of ESQA and ECSA for structures>>."
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  max(quantity) FILTER (item_number = 2) AS plain,
  max(quantity) FILTER (item_number = 3) AS single,
  max(quantity) FILTER (item_number = 4) AS few,
  max(quantity) FILTER (item_number = 5) AS many,
  max(quantity) FILTER (item_number = 12) AS structures
FROM storage_use
GROUP BY lpar, qmgr;

WITH summed AS (
  SELECT *, (plain * plain_kib + single * single_kib + few * few_kib + many * many_kib) / 1024 AS connections_mib
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, connections_mib, nullif(structures, 0) * 6 / 1024 AS structures_mib, base * queue_managers + connections_mib AS total_mib,
  CASE WHEN base * queue_managers + connections_mib IS NOT NULL THEN 'takes' END AS answer
FROM summed;
