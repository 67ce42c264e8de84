/*---
id          = "DQ008"
name        = "counter-identities-broken"
title       = "Totals that must be equal differ"
severity    = "warning"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["quality_identity.identity_error"]
prints      = ["quality_identity.identity", "quality_identity.identity_tolerance"]
judge       = "any interval"
worst       = "highest"
measure     = "difference of the totals"
when        = "observed > threshold"
text        = "totals differ by {value}"
look        = ["mqstat report --report overview/data_quality --qmgr {qmgr}"]

[threshold.writes_max]
value = 2
unit  = "count"
kind  = "judgement"
why   = "log writes may be in progress when the record is written"

[source]
cite = "MP16, 'Why WebSphere MQ for z/OS changed how it manages small messages in V7.0.1' (DISPLAY USAGE) and 'MQ Statistics' (sample log report); real data"
kind = "judgement"

[advice]
summary = "The totals of the {identity} differ by {observed:.0f} (limit {threshold:.0f})."
remedy  = "The usual cause is a wrong layout or a damaged section: do not rely on the section, and report the file."
report  = "overview/data_quality"
---*/
SELECT
  lpar, qmgr, interval_start_utc, record_id,
  identity                                AS subject,
  identity,
  identity_error                          AS observed,
  coalesce(identity_tolerance, $writes_max) AS threshold
FROM quality_identity
