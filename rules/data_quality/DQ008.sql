/*---
id          = "DQ008"
name        = "counter-identities-broken"
title       = "Totals that must agree do not"
severity    = "warning"
grain       = ["lpar", "qmgr"]
needs       = ["quality_identity.identity_error"]
prints      = ["quality_identity.identity", "quality_identity.identity_tolerance"]
judge       = "any interval"
worst       = "highest"
measure     = "difference of the totals"
when        = "observed > threshold"
text        = "totals differ by {value}"
guards      = []
silenced_by = []
mq_since    = "base"
default_on  = true

[threshold.writes_max]
value = 2
unit  = "count"
why   = "log writes may be on their way when the record is cut"

[source]
cite = "MP16, DISPLAY USAGE and the log sample; real data"
kind = "documented"

[advice]
summary = "The {identity} do not add up: they differ by {observed:.0f} (limit {threshold:.0f})."
remedy  = "A wrong layout or a damaged section shows here first: do not trust the section, and report the file."
report  = "overview/data_quality"
---*/
SELECT
  lpar, qmgr, interval_start_utc, record_id,
  identity                                AS subject,
  identity,
  identity_error                          AS observed,
  coalesce(identity_tolerance, $writes_max) AS threshold,
  identity_error > coalesce(identity_tolerance, $writes_max) AS breach
FROM quality_identity
ORDER BY lpar, qmgr, identity, interval_start_utc
