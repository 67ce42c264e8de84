/*---
id          = "CV014"
name        = "numbered-records-lost"
title       = "Records that the queue manager wrote are not in the data"
severity    = "warning"
weight      = "collection"
grain       = ["lpar", "qmgr"]
over        = "all"
needs       = ["sequence_loss.lost_records"]
prints      = ["sequence_loss.lost_text", "sequence_loss.lost_apart", "sequence_loss.first_loss_local", "sequence_loss.last_loss_local", "sequence_loss.loss_damaged_spans", "sequence_loss.loss_smf_records"]
silenced_by = ["CV002"]                   # where whole intervals were lost and nothing else
judge       = "whole period"
worst       = "highest"
measure     = "lost record[s]"
when        = "observed > 0"
unit        = "count"
look        = ["mqstat report --report overview/completeness --qmgr {qmgr}", "D SMF"]

[source]
cite = "Real data: QWHSISEQ counts the records of each kind, and QWHSWSEQ all of them, without a gap"
kind = "judgement"

[advice]
summary = "{observed} record[s] [were|was] lost between {first_loss_local} and {last_loss_local}, as their numbers are missing: {lost_text}{cause_text}."
remedy  = "Totals of this time are too low, and high values may be missing. Check that all dumps of the time were read, that none was selected or truncated (IFASMFDP, IFASMFDL, transfer), and the system log for messages about lost SMF data."
report  = "overview/completeness"
---*/
SELECT
  lpar, qmgr,
  CASE WHEN lost_records > 0 AND lost_apart = 0 THEN 'statistics intervals' ELSE 'numbered records' END AS subject,
  lost_records              AS observed,
  first_loss_local, last_loss_local, lost_text,
  loss_record_id            AS record_id,
  CASE
    WHEN loss_smf_records > 0 THEN '; SMF recorded a loss of data at this time'
    WHEN loss_damaged_spans > 0 THEN '; the input is damaged there'
    ELSE ''
  END                       AS cause_text
FROM sequence_loss
