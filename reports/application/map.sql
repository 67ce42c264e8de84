/*---
id         = "application/map"
title      = "Queue, application and channel map"
question   = "Who puts where, who gets from there, and through which channel?"
needs      = ["queue_map"]
rules      = []
grain      = ["lpar", "qmgr", "base_name", "direction", "application", "connection_type_name"]
drill_down = ["queue/all"]
site_input = ["xmit_queues"]
note       = "An alias or remote open shows its open name; the base queue is the node. mqstat map writes the busiest part as Graphviz or Mermaid text."

[columns]
lpar = { screen = 2 }
qmgr = { screen = 1 }
base_name = { label = "queue", screen = 1 }
queue_class = { label = "class", screen = 2 }
application = { label = "application", screen = 1 }
connection_type_name = { label = "connection", screen = 3 }
channel_name = { label = "channel", screen = 3 }
operator_id = { label = "user", screen = 3 }
direction = { label = "direction", screen = 1 }
valid_puts = { label = "puts", screen = 1 }
valid_destructive_gets = { label = "gets", screen = 1 }
browses = { label = "browses", screen = 2 }
put_mib = { label = "put MiB", screen = 3 }
get_mib = { label = "get MiB", screen = 3 }
persistent_put_pct = { label = "persistent %", screen = 2 }
open_names = { label = "opened as", screen = 2 }
partner_name = { label = "partner", screen = 3 }
first_used_utc = { label = "first used" }
last_used_utc = { label = "last used" }
is_transmission = { label = "transmission" }
---*/
SELECT
  lpar, qmgr, base_name, queue_class, application, connection_type_name, channel_name, operator_id, direction, valid_puts, valid_destructive_gets,
  browses, put_mib, get_mib, persistent_put_pct, open_names, partner_name, first_used_utc, last_used_utc, is_transmission
FROM queue_map
ORDER BY lpar, qmgr, base_name, direction, valid_puts DESC, application, connection_type_name
