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
valid_puts = { label = "puts", screen = 1 }
valid_destructive_gets = { label = "gets", screen = 1 }
---*/
SELECT
  lpar, qmgr, base_name, queue_class, application, connection_type_name, channel_name, operator_id, direction, valid_puts, valid_destructive_gets,
  browses, put_mib, get_mib, persistent_put_pct, open_names, partner_name, first_used_utc, last_used_utc, is_transmission
FROM queue_map
ORDER BY lpar, qmgr, base_name, direction, valid_puts DESC, application, connection_type_name
