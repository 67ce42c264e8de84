/*---
id          = "EN005"
name        = "encryption-required-but-missing"
title       = "Unencrypted data set although the site requires encryption"
severity    = "critical"
weight      = "outage"
grain       = ["lpar", "qmgr", "item_label"]
needs       = ["site_input.dse_required", "encryption_evidence.encrypted_pct"]
prints      = ["encryption_evidence.evidence_count", "encryption_evidence.encrypted_count"]
judge       = "any interval"
worst       = "lowest"
breach_when = "plain and required"
unit        = "percent"
mq_since    = "9.1.4"
default_on  = false                       # on as soon as the site file gives dse_required
look        = ["mqstat report --report encryption/state --qmgr {qmgr}"]
plans       = ["dse_log_cost", "dse_pageset_cost", "dse_smds_cost"]

[clause.plain]
when    = "observed < 100"
measure = "encrypted share of the data set"

[clause.required]
when    = "dse_required is true"
measure = "encryption required"
text    = "the site file requires encryption"
clear   = "the site file does not require encryption"

[source]
cite = "V92, 'Data set encryption with the MQ queue manager'; MP16, 'Data set encryption with the MQ queue manager' (table of data set types); the requirement is the site's"
kind = "judgement"

[advice]
summary = "Of {item_label}, {observed:.0f} % is encrypted, but the site file requires data set encryption (dse_required)."
remedy  = "Give the data set a key label (data class or RACF profile) and copy it; MQ 9.2 or later is needed. New logs count with both copies: 50 % means that one of them is not encrypted. BSDS and archive logs are not visible in SMF: check them with LISTCAT."
report  = "encryption/state"
---*/
SELECT
  e.lpar, e.qmgr, e.item_label, e.interval_start_utc, e.interval_seconds, e.record_id,
  e.item_label      AS subject,
  e.encrypted_pct   AS observed,
  e.evidence_count, e.encrypted_count, s.dse_required
FROM encryption_evidence AS e
JOIN site_input AS s ON s.lpar = e.lpar AND s.qmgr = e.qmgr
