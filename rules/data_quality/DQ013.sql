/*---
id          = "DQ013"
name        = "mq-level-changed"
title       = "The queue manager changed its MQ level within the period"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
needs       = ["quality_level.mq_levels"]
prints      = ["quality_level.first_mq_version", "quality_level.last_mq_version", "quality_level.level_changed_local", "known_error.sign"]
judge       = "whole period"
worst       = "highest"
measure     = "MQ level[s]"
when        = "observed > levels_max"
look        = ["mqstat report --report overview/versions --qmgr {qmgr}"]

[threshold.levels_max]
value = 1
unit  = "count"
kind  = "judgement"
why   = "a queue manager that is not migrated has one level"

[source]
cite = "V92, 'Regression' (tolerance of the measurements); record layouts by level"

[advice]
summary = "The queue manager ran at {observed:.0f} MQ level[s] (limit {levels_max}): first {first_mq_version}, then {last_mq_version} from {level_changed_local} on."
remedy  = "Compare within one level: the meaning of fields changes (the count of checkpoints at 9.0, new sections at 9.3, 9.4 and 10.0). By IBM's own measure, differences below 6 % between levels are noise{known}."
report  = "overview/versions"
---*/
SELECT
  q.lpar, q.qmgr,
  'MQ level'                AS subject,
  mq_levels                 AS observed,
  first_mq_version, last_mq_version, level_changed_local,
  CASE WHEN e.sign > 0
    THEN '. Queue statistics (115.216) ended with the old level: check STATQ, which a migration sets to OFF without the fix of APAR PH67349'
    ELSE ''
  END                       AS known
FROM quality_level AS q
LEFT JOIN known_error AS e ON e.lpar = q.lpar AND e.qmgr = q.qmgr AND e.apar = 'PH67349'
