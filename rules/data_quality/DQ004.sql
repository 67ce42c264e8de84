/*---
id          = "DQ004"
name        = "unknown-record-contents"
title       = "Subtypes, structures or bytes that mqstat does not know"
severity    = "info"
grain       = ["lpar", "qmgr"]
needs       = ["quality_unknown.unknown_items"]
prints      = ["quality_unknown.unknown_content", "quality_unknown.unknown_bytes", "quality_unknown.section_bytes", "quality_unknown.section_bytes_known"]
judge       = "whole period"
worst       = "highest"
measure     = "unknown record[s] or section[s]"
when        = "observed > 0"
unit        = "count"
guards      = []
silenced_by = []
mq_since    = "base"
default_on  = true

[source]
cite = "Our own rule: unknown content is counted, never dropped"
kind = "judgement"

[advice]
summary = "This version of mqstat does not know {what}: {observed} in the input, {unknown_bytes} byte[s] together (length {section_bytes}, known length {section_bytes_known})."
remedy  = "A newer MQ level may have counters that no rule uses yet: update mqstat. mqstat raw shows the bytes."
report  = "overview/versions"
---*/
SELECT
  lpar, qmgr,
  coalesce(unknown_content, 'contents of the records') AS subject,
  coalesce(unknown_content, 'nothing')    AS what,
  unknown_items                           AS observed,
  unknown_bytes, section_bytes, section_bytes_known,
  unknown_items > 0                       AS breach
FROM quality_unknown
ORDER BY lpar, qmgr, subject
