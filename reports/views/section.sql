/*---
id      = "section"
title   = "Sections of records"
grain   = "one row per lpar, qmgr, mq_version, record class, triplet and section length"
needs   = ["decoded.section", "queue_sharing_group"]

[columns]
internal_section = { unit = "flag", doc = "Only used by IBM: triplets 4 and 5 of 115.1, and all of 115.240." }
first_written_local = { doc = "Time of the first record with such sections." }
last_written_local = { doc = "Time of the last record with such sections." }
---*/
SELECT
  s.lpar, s.qmgr, g.qsg, s.mq_version, s.record_class, s.triplet, s.section_bytes, s.structure,
  sum(s.sections)::BIGINT    AS sections,
  max(s.section_bytes_known) AS section_bytes_known,
  sum(s.tail_bytes)::BIGINT  AS tail_bytes,
  s.record_class = '115.240' OR (s.record_class = '115.1' AND s.triplet IN (4, 5)) AS internal_section,
  min(s.first_written_local) AS first_written_local,
  max(s.last_written_local)  AS last_written_local
FROM decoded.section AS s
LEFT JOIN queue_sharing_group AS g ON g.lpar = s.lpar AND g.qmgr = s.qmgr
GROUP BY s.lpar, s.qmgr, g.qsg, s.mq_version, s.record_class, s.triplet, s.section_bytes, s.structure
