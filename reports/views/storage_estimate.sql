/*---
id      = "storage_estimate"
title   = "Storage by published figures"
grain   = "one row per lpar, qmgr, address space and item"
needs   = ["qmgr", "storage_figure", "storage_use", "storage_region", "channel_initiator"]
keep    = true                           # expensive, and read more than once
note    = "The figures depend on the MQ level: the highest level of the queue manager selects them."

[columns]
address_space = { kind = "key", label = "address space", screen = 1 }
item = { kind = "key", screen = 1 }
quantity = { doc = "Objects in the last interval that counts them; null if no record does.", label = "quantity", screen = 1 }
kib_each = { doc = "Published storage of one object; the average buffer size for SMDS buffers.", label = "KiB each", format = ",.2f", screen = 2 }
estimated_mib = { unit = "mib", doc = "Quantity multiplied by the storage of one object.", over_time = "last", across = "add", label = "est. MiB", format = ",.1f", screen = 1 }
estimate_state = { unit = "text", doc = "estimated; at least or at most, if the count or its figure is a bound; not collected; not in this release, whose records do not count it; not in SMF.", label = "state", screen = 1 }
estimated_total_mib = { unit = "mib", doc = "Sum of the estimates of the address space and storage area.", over_time = "last", across = "add", whole = ["lpar", "qmgr", "address_space", "storage_area"], label = "est. total MiB", format = ",.1f", screen = 2 }
items_missing = { unit = "count", doc = "Items of the address space and storage area without an estimate.", over_time = "last", across = "add", whole = ["lpar", "qmgr", "address_space", "storage_area"], label = "missing", screen = 3 }
measured_mib = { unit = "mib", doc = "Storage in use in the last interval that measures it: the region minus what is available, MEMLIMIT minus what is available, or the storage of the channel initiator; null for common storage and without MEMLIMIT.", over_time = "last", across = "add", whole = ["lpar", "qmgr", "address_space", "storage_area"], label = "measured MiB", format = ",.1f", screen = 1 }
explained_pct = { unit = "percent", doc = "Sum of the estimates as a share of the storage in use.", ratio = { numerator = "estimated_total_mib", denominator = "measured_mib", scale = 100 }, whole = ["lpar", "qmgr", "address_space", "storage_area"], label = "explained %", format = ",.1f", screen = 1 }
measured_at_utc = { unit = "ts_utc", doc = "Start of the interval of the measurement.", label = "measured at" }
figure_source = { doc = "Document and section of the figure: MP16 is capacity planning and tuning, V92 the MQ 9.2 performance report.", label = "source", screen = 3 }
---*/
WITH
region AS (
  SELECT lpar, qmgr, max({'at': interval_start_utc, 'record_id': record_id, 'used_31': used_31_bytes, 'used_64': used_64_bytes, 'memlimit_set': memlimit_set}) AS last
  FROM storage_region
  GROUP BY lpar, qmgr
),
chinit AS (
  SELECT lpar, qmgr, max({'at': interval_start_utc, 'record_id': record_id, 'mib_31': chinit_31_mib, 'mib_64': chinit_64_mib}) AS last
  FROM channel_initiator
  GROUP BY lpar, qmgr
),
measured AS (
  SELECT
    lpar, qmgr, last['at'] AS at_utc, 'queue manager' AS address_space, unnest(['31-bit private', '64-bit private']) AS storage_area,
    unnest([last['used_31'], CASE WHEN last['memlimit_set'] THEN last['used_64'] END]) / 1048576 AS mib
  FROM region
  UNION ALL
  SELECT lpar, qmgr, last['at'], 'channel initiator', unnest(['31-bit private', '64-bit private']), unnest([last['mib_31'], last['mib_64']])::DOUBLE
  FROM chinit
),
estimate AS (
  SELECT
    q.lpar, q.qmgr, f.address_space, f.storage_area, f.item, f.figure_source, u.quantity, u.quantity_at_utc,
    coalesce(u.kib_of_one, f.kib_each) AS kib_each,
    u.quantity * coalesce(u.kib_of_one, f.kib_each) / 1024 AS estimated_mib,
    CASE
      WHEN NOT f.counted_by_smf THEN 'not in SMF'
      WHEN u.quantity IS NULL AND q.highest_mq_level < f.counted_since THEN 'not in this release'
      WHEN u.quantity IS NULL THEN 'not collected'
      ELSE coalesce(u.quantity_bound, 'estimated')
    END AS estimate_state
  FROM qmgr AS q
  JOIN storage_figure AS f ON coalesce(q.highest_mq_level, 0) >= f.level_from AND coalesce(q.highest_mq_level, 0) < f.level_below
  LEFT JOIN storage_use AS u ON u.lpar = q.lpar AND u.qmgr = q.qmgr AND u.item_number = f.item_number
  WHERE u.quantity IS NULL OR u.quantity > 0
),
total AS (
  SELECT
    *,
    sum(estimated_mib) OVER (PARTITION BY lpar, qmgr, address_space, storage_area)                        AS estimated_total_mib,
    count(*) FILTER (estimated_mib IS NULL) OVER (PARTITION BY lpar, qmgr, address_space, storage_area)   AS items_missing
  FROM estimate
)
SELECT
  t.lpar, t.qmgr, t.address_space, t.item, t.quantity, t.kib_each, t.estimated_mib, t.estimate_state, t.storage_area,
  t.estimated_total_mib, t.items_missing, m.mib AS measured_mib, pct(t.estimated_total_mib, m.mib) AS explained_pct,
  t.quantity_at_utc, CASE WHEN m.mib IS NOT NULL THEN m.at_utc END AS measured_at_utc, t.figure_source
FROM total AS t
LEFT JOIN measured AS m ON m.lpar = t.lpar AND m.qmgr = t.qmgr AND m.address_space = t.address_space AND m.storage_area = t.storage_area
