/*---
id      = "quality_unknown"
title   = "Contents that mqstat does not know"
grain   = "one row per lpar, qmgr and kind of unknown content, and one of the queue manager as a whole"
needs   = ["section", "record_count"]

[columns]
unknown_content = { unit = "text", doc = "Unknown content: a record class, a section, the end of a section, or an MQ level; null in the row of the queue manager." }
unknown_items = { unit = "count", doc = "Number of such records or sections.", over = "add" }
unknown_bytes = { unit = "bytes", doc = "Bytes that were not decoded; null if only the level is unknown, or nothing is.", over = "add" }
section_bytes = { doc = "Length of one such section; null for records." }
---*/
SELECT lpar, qmgr, NULL AS unknown_content, 0 AS unknown_items, NULL AS unknown_bytes, NULL AS section_bytes, NULL AS section_bytes_known
FROM record_count
WHERE lpar IS NOT NULL AND qmgr IS NOT NULL
GROUP BY lpar, qmgr
UNION ALL
SELECT lpar, qmgr, 'records ' || record_class, sum(records)::BIGINT, sum(bytes)::BIGINT, NULL, NULL
FROM record_count
WHERE record_class NOT IN
  ('115.1', '115.2', '115.5', '115.6', '115.7', '115.201', '115.215', '115.216', '115.231', '115.240', '116.0', '116.1', '116.2', '116.10')
GROUP BY lpar, qmgr, record_class
UNION ALL
SELECT lpar, qmgr, 'records of MQ level ' || mq_version, sum(records)::BIGINT, NULL, NULL, NULL
FROM record_count
WHERE mq_level > 100000
GROUP BY lpar, qmgr, mq_version
UNION ALL
SELECT
  lpar, qmgr, 'section ' || triplet || ' of ' || record_class,
  sum(sections)::BIGINT, sum(sections * section_bytes)::BIGINT, max(section_bytes), NULL
FROM section
WHERE structure IS NULL AND NOT internal_section AND section_bytes > 0
GROUP BY lpar, qmgr, record_class, triplet
UNION ALL
SELECT
  lpar, qmgr, 'end of ' || structure || ' in ' || record_class,
  sum(sections)::BIGINT, sum(tail_bytes)::BIGINT, max(section_bytes), max(section_bytes_known)
FROM section
WHERE tail_bytes > 0
GROUP BY lpar, qmgr, record_class, structure
