/*---
id      = "coverage_system"
title   = "Data losses reported by SMF"
grain   = "one row per lpar whose dump can show it"
needs   = ["other_record"]
note    = "A dump with only MQ records and those of the dump program was filtered and cannot contain type 7, so it has no row."

[columns]
other_types = { unit = "count", doc = "SMF types other than 115 and 116 and those of the dump program (2 and 3).", over = "max" }
lost_data_records = { unit = "count", doc = "Records of type 7, in which SMF reports lost data.", over = "add" }
first_lost_local = { unit = "ts_local", kind = "clock", doc = "Time of the first record of type 7." }
last_lost_local = { unit = "ts_local", kind = "clock", doc = "Time of the last record of type 7." }
---*/
SELECT
  lpar,
  count(DISTINCT smf_type)                                         AS other_types,
  coalesce(sum(records) FILTER (smf_type = 7), 0)::BIGINT          AS lost_data_records,
  min(first_written_local) FILTER (smf_type = 7)                   AS first_lost_local,
  max(last_written_local) FILTER (smf_type = 7)                    AS last_lost_local
FROM other_record
WHERE smf_type NOT IN (2, 3)
GROUP BY lpar
