/*---
id          = "EN004"
name        = "data-set-encryption-mixed"
title       = "Some page sets, SMDS or new logs are encrypted and some are not"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr"]
needs       = ["encryption_period.data_sets_plain", "encryption_period.data_sets_encrypted"]
prints      = ["encryption_period.page_sets", "encryption_period.page_sets_encrypted", "encryption_period.smds_data_sets", "encryption_period.smds_data_sets_encrypted", "encryption_period.new_logs", "encryption_period.new_logs_encrypted", "encryption_period.plain_names", "site_input.dse_required"]
judge       = "whole period"
worst       = "highest"
measure     = "data sets that are not encrypted"
when        = "observed > 0"
text        = "{value} data set[s] not encrypted"
min_activity = "data_sets_encrypted > 0"    # where none is encrypted, none is missing
unit        = "count"
mq_since    = "9.1.4"
look        = ["mqstat report --report encryption/state --qmgr {qmgr}"]

[source]
cite = "V92, 'Data set encryption with the MQ queue manager' (usually all data sets are encrypted, or none); MP16, 'Data set encryption with the MQ queue manager' (table of data set types)"
kind = "documented"

[advice]
summary = "Encrypted: {page_sets_encrypted} of {page_sets} page set[s], {smds_data_sets_encrypted} of {smds_data_sets} shared message data set[s] and {new_logs_encrypted} of {new_logs} new log[s] of both copies. Not encrypted: {plain_names}."
remedy  = "Give the missing data sets a key label (data class or RACF profile) and copy them; MQ 9.2 or later is needed. If a migration is in progress or the difference is intended, switch this rule off in the site file. BSDS and archive logs are not visible in SMF."
report  = "encryption/state"
---*/
SELECT
  p.lpar, p.qmgr,
  'data sets'         AS subject,
  p.data_sets_plain   AS observed,
  p.data_sets_encrypted, p.page_sets, p.page_sets_encrypted, p.smds_data_sets, p.smds_data_sets_encrypted, p.new_logs, p.new_logs_encrypted,
  p.plain_names
FROM encryption_period AS p
LEFT JOIN site_input AS s ON s.lpar = p.lpar AND s.qmgr = p.qmgr
-- Where the site requires encryption, EN005 reports each data set.
WHERE s.dse_required IS DISTINCT FROM true
