/*---
id       = "overview/coverage"
title    = "Collection coverage"
question = "Which record classes are missing, since when, and which reports and rules lack data because of it?"
needs    = ["collection", "report_class"]
rules    = ["CV001", "CV003", "CV004", "CV005", "CV006", "CV007", "CV009", "CV010", "CV013"]
grain    = ["lpar", "qmgr", "record_class"]
unmarked = "A row is a record class; its rules judge the queue manager."
shows    = "coverage_state IN ('not collected', 'collected in part', 'not in this release')"
drill_down = ["overview/gaps"]
note     = "The sources disagree on which trace class writes 115.5, 115.6, 115.7 and 115.201: start classes 1, 2 and 3 together, and 4 and 5 explicitly."

[columns]
qsg = { screen = 3 }
record_class = { from = "collection", label = "class", screen = 1 }
members_collecting = { unit = "count", label = "members collecting", doc = "Queue managers of the group that have the class.", over_time = "same", across = "add", whole = ["qsg", "record_class"] }
members_in_qsg = { unit = "count", label = "members in qsg", doc = "Queue managers of the group in the data.", over_time = "same", across = "add", whole = ["qsg"] }
blind_reports = { unit = "count", label = "reports without data", screen = 2, doc = "Reports that need this class but do not have it.", over = "add" }
---*/
WITH
need AS (
  SELECT record_class, count(*) AS reports
  FROM report_class
  GROUP BY record_class
),
member AS (
  SELECT qsg, count(DISTINCT qmgr) AS members_in_qsg
  FROM collection
  WHERE qsg IS NOT NULL
  GROUP BY qsg
),
collecting AS (
  SELECT qsg, record_class, count(DISTINCT qmgr) FILTER (present) AS members_collecting
  FROM collection
  WHERE qsg IS NOT NULL
  GROUP BY qsg, record_class
)
SELECT
  c.lpar, c.qmgr, c.qsg, c.record_class, c.present, c.records, c.intervals_expected, c.intervals_present, c.presence_pct,
  c.first_written_local, c.last_written_local, c.expected_since, c.applicable, c.coverage_state,
  g.members_collecting, m.members_in_qsg,
  CASE WHEN c.present AND c.coverage_state NOT IN ('collected in part', 'dropped by retention', 'dropped in part') THEN 0 ELSE coalesce(n.reports, 0) END AS blind_reports,
  c.command_to_collect
FROM collection AS c
LEFT JOIN need AS n ON n.record_class = c.record_class
LEFT JOIN member AS m ON m.qsg = c.qsg
LEFT JOIN collecting AS g ON g.qsg = c.qsg AND g.record_class = c.record_class
ORDER BY coverage_state IN ('collected', 'collected (event driven)', 'not decoded'), coverage_state, lpar, qmgr, record_class
