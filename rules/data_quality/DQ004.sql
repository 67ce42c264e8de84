/*---
id          = "DQ004"
name        = "unknown-record-contents"
title       = "Subtypes, structures or bytes that mqstat does not know"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["quality_unknown.unknown_items"]
prints      = ["quality_unknown.unknown_content", "quality_unknown.unknown_bytes", "quality_unknown.section_bytes", "quality_unknown.section_bytes_known"]
judge       = "whole period"
worst       = "highest"
measure     = "record[s] or section[s] of unknown kind or level"
when        = "observed > 0"
unit        = "count"
look        = ["mqstat report --report overview/versions --qmgr {qmgr}"]

[source]
cite = "Our own rule: unknown content is counted, never dropped"
kind = "judgement"

[advice]
summary = "This version of mqstat does not know {what}: {extent}."
remedy  = "A newer MQ level may have counters that no rule uses yet: update mqstat. mqstat trace shows the bytes of a record; table raw_bytes has all that were not decoded."
report  = "overview/versions"
---*/
SELECT
  lpar, qmgr,
  coalesce(unknown_content, 'contents of the records') AS subject,
  coalesce(unknown_content, 'nothing')    AS what,
  CASE
    WHEN section_bytes_known IS NOT NULL
      THEN format('{:,} in the input, {:,} bytes long instead of {:,}; {:,} bytes together are not decoded', unknown_items, section_bytes, section_bytes_known, unknown_bytes)
    WHEN section_bytes IS NOT NULL
      THEN format('{:,} in the input, up to {:,} bytes long; {:,} bytes together are not decoded', unknown_items, section_bytes, unknown_bytes)
    WHEN unknown_bytes IS NOT NULL
      THEN format('{:,} in the input; {:,} bytes together are not decoded', unknown_items, unknown_bytes)
    ELSE format('{:,} in the input, decoded as far as the known layouts go', unknown_items)
  END                                     AS extent,
  unknown_items                           AS observed,
  unknown_bytes, section_bytes, section_bytes_known
FROM quality_unknown
