/*---
id          = "CV015"
name        = "queue-manager-on-two-lpars"
title       = "A queue manager has data of several LPARs"
severity    = "info"
weight      = "collection"
grain       = ["lpar", "qmgr"]
over        = "all"
needs       = ["interval_cut.interval_seconds"]
prints      = ["queue_manager_move.from_lpar", "queue_manager_move.away_seconds"]
judge       = "any interval"
worst       = "highest"
unit        = "count"
measure     = "interval[s] on another LPAR than the one before"
when        = "observed > 0"
look        = ["mqstat report --report overview/gaps --qmgr {qmgr}"]

[source]
cite = "record layouts: the system identifier of the record header is that of the LPAR"
kind = "judgement"

[advice]
summary = "{place_text}, {interval_start_utc}."
remedy  = "If this is a move, check that it was planned. If these are two queue managers, read the dumps of their sysplexes apart, or choose one with --lpar. Reports show the data of each LPAR apart."
report  = "overview/gaps"
---*/
SELECT
  c.lpar, c.qmgr, c.interval_start_utc, c.interval_seconds, c.record_id,
  -- History follows a queue manager that moved; it reads this subject.
  CASE WHEN m.at_once THEN 'LPARs at the same time' ELSE 'LPAR' END AS subject,
  CASE WHEN m.from_lpar IS NULL THEN 0 ELSE 1 END    AS observed,
  CASE
    WHEN m.at_once THEN format('{} and {} have data of {} at the same time: these are two queue managers of one name', m.from_lpar, c.lpar, c.qmgr)
    ELSE format('{} moved from {} to {}', c.qmgr, m.from_lpar, c.lpar)
      || CASE WHEN m.away_seconds > 0 THEN format(', {:,.0f} s without data', m.away_seconds) ELSE ', without a gap in the data' END
  END                                                AS place_text
FROM interval_cut AS c
LEFT JOIN queue_manager_move AS m ON m.lpar = c.lpar AND m.qmgr = c.qmgr AND m.interval_start_utc = c.interval_start_utc
