/*---
id       = "smds/space"
title    = "Shared message data set space"
question = "How full are the shared message data sets, and did space requests fail?"
needs    = ["smds"]
rules    = ["SM002", "SM003", "SM004"]
grain    = ["lpar", "qmgr", "interval_start_utc", "cf_structure"]
dd       = ["SMDS", "SMDSACSV", "SMDSSCSV"]
wsc      = [11]
drill_down = ["smds/buffers", "smds/io"]
mq_since = "7.1.0"
note     = "A block has the size of DSBLOCK. A data set with DSEXPAND(YES) becomes full before each expansion. SMDSACSV and SMDSSCSV are assumed to mean allocation and space (unconfirmed)."

[columns]
smds_blocks = { label = "blocks" }
smds_map_blocks = { label = "map blocks" }
smds_data_blocks = { label = "data blocks", screen = 2 }
smds_used_blocks = { label = "used blocks" }
smds_free_blocks = { label = "free blocks" }
smds_messages = { label = "messages", screen = 2 }
smds_messages_high = { label = "most messages", screen = 3 }
smds_used_blocks_high = { label = "most used" }
smds_free_blocks_low = { label = "fewest free blocks", screen = 2 }
smds_allocate_requests = { label = "allocations", screen = 1 }
smds_release_requests = { label = "releases", screen = 3 }
smds_reallocate_requests = { label = "reallocations" }
smds_cleanup_requests = { label = "clean-ups" }
smds_pages_allocated = { label = "pages allocated" }
smds_pages_freed = { label = "pages freed" }
smds_pages_reallocated = { label = "pages reallocated" }
smds_pages_cleaned = { label = "pages cleaned" }
smds_failed_allocates = { label = "failed", screen = 1 }
high_allocated_cis = { label = "high allocated CI" }
high_used_cis = { label = "high used CI" }
ci_bytes = { label = "CI bytes" }
ca_bytes = { label = "CA bytes" }
smds_encrypted = { label = "encrypted", screen = 3 }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, mq_version, cf_structure, structure_number, smds_blocks,
  smds_map_blocks, smds_data_blocks, smds_used_blocks, smds_free_blocks, smds_used_pct, smds_messages,
  smds_messages_high, smds_used_blocks_high, smds_used_high_pct, smds_free_blocks_low, smds_allocate_requests,
  smds_release_requests, smds_reallocate_requests, smds_cleanup_requests, smds_pages_allocated, smds_pages_freed,
  smds_pages_reallocated, smds_pages_cleaned, smds_failed_allocates, high_allocated_cis, high_used_cis, ci_bytes,
  ca_bytes, smds_allocated_mib, smds_high_used_mib, smds_percent_of_16_tib, smds_encrypted
FROM smds
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc, cf_structure
