/*---
id         = "overview/versions"
title      = "MQ levels and layout levels"
question   = "Which MQ levels wrote this data, did a level change in the period, and which columns do not exist at that level?"
needs      = ["section", "record_count", "quality_layout"]
rules      = ["DQ004", "DQ013"]
grain      = ["lpar", "qmgr", "mq_version", "structure", "section_bytes"]
unmarked   = "A row is a section length at one level; its rules judge the whole period of a queue manager."
drill_down = ["overview/coverage"]
note       = "Sections that only IBM uses are excluded. Internal release 946 means 10.0; there the extended header contains the level."

[columns]
mq_version = { screen = 1 }
header_release = { label = "header release", screen = 2 }
structure = { from = "section", label = "structure", screen = 1, null = "unknown" }
section_bytes = { label = "bytes", screen = 1 }
section_bytes_known = { label = "known bytes", screen = 1 }
sections = { label = "sections", screen = 1 }
first_seen_local = { unit = "ts_local", kind = "clock", label = "first seen", screen = 1, over = "min", doc = "Time of the first record with such sections." }
last_seen_local = { unit = "ts_local", kind = "clock", label = "last seen", screen = 2, over = "max", doc = "Time of the last record with such sections." }
semantics_note = { unit = "text", label = "what it means", screen = 2, doc = "What this level counts differently from later levels." }
---*/
WITH
level AS (
  SELECT lpar, qmgr, mq_version, max(mq_level) AS mq_level, string_agg(DISTINCT header_release, ', ' ORDER BY header_release) AS header_release
  FROM record_count
  GROUP BY lpar, qmgr, mq_version
),
seen AS (
  SELECT
    lpar, qmgr, mq_version, structure, section_bytes,
    max(section_bytes_known)  AS section_bytes_known,
    sum(sections)::BIGINT     AS sections,
    min(first_written_local)  AS first_seen_local,
    max(last_written_local)   AS last_seen_local
  FROM section
  WHERE NOT internal_section
  GROUP BY lpar, qmgr, mq_version, structure, section_bytes
)
SELECT
  s.lpar, s.qmgr, s.mq_version, v.header_release, s.structure, s.section_bytes, s.section_bytes_known, s.sections,
  s.first_seen_local, s.last_seen_local, a.columns_absent,
  CASE
    WHEN s.structure = 'qjst' AND v.mq_level < 90000 THEN 'checkpoints exclude log switches'
    WHEN s.structure = 'qmst' AND v.mq_level < 90003 THEN 'no persistence counts'
  END AS semantics_note
FROM seen AS s
LEFT JOIN level AS v ON v.lpar = s.lpar AND v.qmgr = s.qmgr AND v.mq_version IS NOT DISTINCT FROM s.mq_version
LEFT JOIN quality_layout AS a ON a.structure = s.structure AND a.section_bytes = s.section_bytes
ORDER BY lpar, qmgr, first_seen_local, structure, section_bytes, mq_version
