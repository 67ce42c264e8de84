/*---
id       = "storage/estimate"
title    = "Virtual storage estimate"
question = "Where should the storage go by the published per-object figures, and does that fit what is measured?"
needs    = ["storage_estimate"]
rules    = []
grain    = ["lpar", "qmgr", "address_space", "item"]
drill_down = ["storage/region", "channel_initiator/summary"]
note     = "Planning figures of IBM's test systems, multiplied by what the last intervals count. Storage that no item covers, such as code, pools of the storage manager and the cluster cache, is missing in the estimate: explained % below 100 is normal. Connections are channels only, because SMF does not count local connections. Client channels have the figures for messages of 1 KiB. Common storage is not measured."
---*/
SELECT
  lpar, qmgr, address_space, item, quantity, kib_each, estimated_mib, estimate_state, storage_area, estimated_total_mib, items_missing,
  measured_mib, explained_pct, quantity_at_utc, measured_at_utc, figure_source
FROM storage_estimate
ORDER BY lpar, qmgr, address_space, estimated_mib DESC NULLS LAST, item
