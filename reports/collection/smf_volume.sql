/*---
id       = "collection/smf_volume"
title    = "SMF record volume"
question = "How much SMF data does MQ write, and which class causes it?"
needs    = ["record_volume", "record_count"]
rules    = ["CV013"]
unmarked = "A row is a class of records in an hour; CV013 judges the queue manager over the whole period."
grain    = ["lpar", "qmgr", "hour_start_utc", "hour_local", "smf_type", "subtype"]
drill_down = ["collection/cost"]
note     = "GiB per day assume that the hour repeats all day: use them for planning only. An hour of which less than ten minutes are covered gives no estimate."

[columns]
subtype = { label = "subtype", screen = 1 }
bytes = { screen = 2 }
covered_seconds = { unit = "s", label = "covered s", screen = 3, format = ",.0f", doc = "Part of the hour between the first and the last record of the queue manager.", over_time = "add", across = "max" }
records_per_s = { unit = "per_s", label = "records/s", screen = 1, doc = "Records per second of the covered part of the hour.", across = "add", ratio = { numerator = "records", denominator = "covered_seconds" } }
mib_per_h = { unit = "mib", label = "MiB", screen = 1, doc = "Data of the class in the hour.", over_time = "ratio", across = "add", ratio = { numerator = "bytes / 1048576", denominator = "1" } }
queue_blocks_per_task = { unit = "ratio", label = "queues/task", screen = 2, doc = "Queue blocks per task record; 116.1 only.", ratio = { numerator = "queue_blocks", denominator = "records" } }
continuation_pct = { unit = "percent", label = "continued %", screen = 2, doc = "Continuation records 116.2 per hundred task records 116.1 of the hour; 116.1 and 116.2 only.", ratio = { numerator = "continuation_pct * records", denominator = "records" } }
gib_per_day = { unit = "gib", label = "GiB/day", screen = 1, format = ",.2f", doc = "Data of a day if every hour were like the covered part of this one; null with less than 600 covered seconds.", across = "add", ratio = { numerator = "CASE WHEN covered_seconds >= 600 THEN 86400 * bytes / 1073741824 END", denominator = "covered_seconds" } }
---*/
WITH span AS (
  SELECT
    lpar, qmgr,
    min(first_written_local - to_minutes(coalesce(gmt_offset_minutes, 0)::BIGINT)) AS first_utc,
    max(last_written_local - to_minutes(coalesce(gmt_offset_minutes, 0)::BIGINT))  AS last_utc
  FROM record_count
  GROUP BY lpar, qmgr
),
covered AS (
  SELECT
    v.*,
    epoch_us(
      least(coalesce(v.hour_start_utc, v.hour_local) + INTERVAL 1 HOUR, s.last_utc) - greatest(coalesce(v.hour_start_utc, v.hour_local), s.first_utc)
    ) / 1e6 AS covered_seconds,
    sum(v.records) FILTER (v.smf_type = 116 AND v.subtype = 1) OVER same_hour AS task_records,
    sum(v.records) FILTER (v.smf_type = 116 AND v.subtype = 2) OVER same_hour AS continuation_records
  FROM record_volume AS v
  JOIN span AS s ON s.lpar = v.lpar AND s.qmgr = v.qmgr
  WINDOW same_hour AS (PARTITION BY v.lpar, v.qmgr, v.hour_start_utc, v.hour_local)
)
SELECT
  lpar, qmgr, hour_start_utc, hour_local, smf_type, subtype, records, bytes, mean_record_bytes, max_record_bytes, spanned_records, queue_blocks,
  covered_seconds,
  per_s(records, covered_seconds)      AS records_per_s,
  bytes / 1048576                      AS mib_per_h,
  queue_blocks / nullif(records, 0)    AS queue_blocks_per_task,
  CASE WHEN smf_type = 116 AND subtype IN (1, 2)
    THEN pct(coalesce(continuation_records, 0), task_records)
  END                                  AS continuation_pct,
  CASE WHEN covered_seconds >= 600
    THEN 86400 * bytes / covered_seconds / 1073741824
  END                                  AS gib_per_day
FROM covered
ORDER BY lpar, qmgr, hour_start_utc, hour_local, smf_type, subtype
