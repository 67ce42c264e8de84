/*---
id       = "encryption_period"
title    = "Encryption of the data sets of a queue manager over the period"
grain    = "one row per lpar and qmgr"
needs    = ["encryption_evidence"]
classes  = ["115.201", "115.2", "115.1"]
mq_since = "9.1.4"
note     = "Page sets and shared message data sets count in their latest state; of active logs all that were switched in the period count, because each switch shows one of them."

[columns]
page_sets = { unit = "count", doc = "Page sets.", over = "add" }
page_sets_encrypted = { unit = "count", doc = "Page sets that are encrypted.", over = "add" }
smds_data_sets = { unit = "count", doc = "Shared message data sets.", over = "add" }
smds_data_sets_encrypted = { unit = "count", doc = "Shared message data sets that are encrypted.", over = "add" }
new_logs = { unit = "count", doc = "New log data sets of both copies that were started.", over = "add" }
new_logs_encrypted = { unit = "count", doc = "New logs that are encrypted data sets.", over = "add" }
data_sets_encrypted = { unit = "count", doc = "Page sets, shared message data sets and new logs that are encrypted.", over = "add" }
data_sets_plain = { unit = "count", doc = "Page sets, shared message data sets and new logs that are not encrypted.", over = "add" }
plain_names = { unit = "text", doc = "Names of up to five of those that are not encrypted." }
---*/
WITH
item AS (
  SELECT
    lpar, qmgr, item_kind, item_name, any_value(item_label) AS item_label, 1 AS data_sets,
    CASE WHEN arg_max(encrypted_count = evidence_count, (interval_start_utc, record_id)) THEN 1 ELSE 0 END AS encrypted
  FROM encryption_evidence
  WHERE item_kind IN ('page set', 'shared message data set') AND encrypted_count IS NOT NULL
  GROUP BY lpar, qmgr, item_kind, item_name
  UNION ALL
  SELECT lpar, qmgr, 'active log', any_value(item_name), any_value(item_label), sum(evidence_count)::BIGINT, sum(encrypted_count)::BIGINT
  FROM encryption_evidence
  WHERE item_kind = 'active log' AND encrypted_count IS NOT NULL
  GROUP BY lpar, qmgr
),
ranked AS (
  SELECT *, row_number() OVER (PARTITION BY lpar, qmgr, encrypted < data_sets ORDER BY item_kind, item_name) AS place
  FROM item
)
SELECT
  lpar, qmgr,
  coalesce(sum(data_sets) FILTER (item_kind = 'page set'), 0)::BIGINT                 AS page_sets,
  coalesce(sum(encrypted) FILTER (item_kind = 'page set'), 0)::BIGINT                 AS page_sets_encrypted,
  coalesce(sum(data_sets) FILTER (item_kind = 'shared message data set'), 0)::BIGINT  AS smds_data_sets,
  coalesce(sum(encrypted) FILTER (item_kind = 'shared message data set'), 0)::BIGINT  AS smds_data_sets_encrypted,
  coalesce(sum(data_sets) FILTER (item_kind = 'active log'), 0)::BIGINT               AS new_logs,
  coalesce(sum(encrypted) FILTER (item_kind = 'active log'), 0)::BIGINT               AS new_logs_encrypted,
  sum(encrypted)::BIGINT                                                              AS data_sets_encrypted,
  sum(data_sets - encrypted)::BIGINT                                                  AS data_sets_plain,
  string_agg(item_label, ', ' ORDER BY item_kind, item_name) FILTER (encrypted < data_sets AND place <= 5) AS plain_names
FROM ranked
GROUP BY lpar, qmgr
