/*---
id          = "BP013"
name        = "buffer-pools-fill-31-bit-region"
title       = "Pools below the bar use much of the 31-bit region"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr"]
needs       = ["buffer_pool_region.below_bar_region_pct"]
prints      = ["buffer_pool_region.below_bar_mib", "buffer_pool_region.below_bar_pool_list"]
judge       = "whole period"
worst       = "highest"
measure     = "share of the 31-bit region"
when        = "observed > region_31_pct_max"
look        = ["DISPLAY USAGE TYPE(PAGESET)"]
do          = ["ALTER BUFFPOOL({first_pool}) LOCATION(ABOVE)"]
sets        = ["LOCATION"]

[size.first_pool]
when      = "below_bar_mib < coalesce(above_bar_left_mib, below_bar_mib + 1)"
formula   = "regexp_extract(below_bar_pool_list, '[0-9]+')"
cost      = "The same command is for each of pools {below_bar_pool_list}. Together they take {below_bar_mib:,.0f} MiB above the bar.<< At least {above_bar_left_mib:,.0f} MiB were left there.>> Change CSQINP1 too."
otherwise = "Pools {below_bar_pool_list} take {below_bar_mib:,.0f} MiB above the bar, but only {above_bar_left_mib:,.0f} MiB were left: raise MEMLIMIT in the JCL of the queue manager first."
unknown   = "The records do not show how much storage these pools take above the bar."

[threshold.region_31_pct_max]
value = 70.0
unit  = "percent"
kind  = "documented"
why   = "the product documentation allows about 70 % for buffer pools; connections, handles and units of work need the rest"

[source]
cite = "IBM documentation, 'Buffers and buffer pools'"

[advice]
summary = "Buffer pools below the bar use {below_bar_mib:.0f} MiB, {observed:.1f} % of the 31-bit region (limit {region_31_pct_max} %), which connections, handles and units of work need."
remedy  = "Move them above the bar; the MEMLIMIT of the queue manager's address space must be large enough."
report  = "buffer_pool/map"
---*/
SELECT
  lpar, qmgr, below_bar_at_utc AS interval_start_utc, record_id,
  'buffer pools'            AS subject,
  below_bar_region_pct      AS observed,
  below_bar_mib, below_bar_pool_list
FROM buffer_pool_region
