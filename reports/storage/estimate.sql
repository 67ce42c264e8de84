/*---
id       = "storage/estimate"
title    = "Virtual storage estimate"
question = "Where should the storage go by the published per-object figures, and does that fit what is measured?"
needs    = ["storage_estimate"]
rules    = []
grain    = ["lpar", "qmgr", "address_space", "item"]
drill_down = ["storage/region", "channel_initiator/summary"]
note     = "Planning figures of IBM's test systems, multiplied by what the last intervals count. Storage that no item covers, such as code, pools of the storage manager and the cluster cache, is missing in the estimate: explained % below 100 is normal. Connections are channels only, because SMF does not count local connections. Client channels have the figures for messages of 1 KiB. Common storage is not measured."

[columns]
lpar = { screen = 1 }
qmgr = { screen = 1 }
address_space = { label = "address space", screen = 1 }
item = { screen = 1 }
quantity = { label = "quantity", screen = 1 }
kib_each = { label = "KiB each", screen = 2, format = ",.2f" }
estimated_mib = { label = "est. MiB", screen = 1, format = ",.1f" }
estimate_state = { label = "state", screen = 1 }
storage_area = { label = "area", screen = 1 }
estimated_total_mib = { label = "est. total MiB", screen = 2, format = ",.1f" }
items_missing = { label = "missing", screen = 3 }
measured_mib = { label = "measured MiB", screen = 1, format = ",.1f" }
explained_pct = { label = "explained %", screen = 1, format = ",.1f" }
quantity_at_utc = { label = "counted at" }
measured_at_utc = { label = "measured at" }
figure_source = { label = "source", screen = 3 }
---*/
SELECT
  lpar, qmgr, address_space, item, quantity, kib_each, estimated_mib, estimate_state, storage_area, estimated_total_mib, items_missing,
  measured_mib, explained_pct, quantity_at_utc, measured_at_utc, figure_source
FROM storage_estimate
ORDER BY lpar, qmgr, address_space, estimated_mib DESC NULLS LAST, item
