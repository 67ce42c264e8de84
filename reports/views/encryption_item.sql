/*---
id      = "encryption_item"
title   = "Encryption of data sets and channels, latest state"
grain   = "one row per lpar, qmgr, kind and item"
needs   = ["encryption_evidence", "channel_cipher", "qmgr"]
classes = ["115.201", "115.2", "115.1", "116.10"]

[columns]
item_kind = { doc = "Kind of item: page set, active log, shared message data set or channel group." }
item_name = { doc = "Page set number, both copies of the active log, name of the CF structure, or channel type." }
encrypted_now = { unit = "flag", doc = "All items of the latest evidence are encrypted; for channels, all instances use TLS.", label = "encrypted", screen = 1 }
evidence_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the interval of the latest evidence.", label = "evidence", screen = 1 }
evidence_count = { doc = "Pages of the page set, new logs, blocks of the data set, or channel instances." }
encrypted_count = { doc = "Those of evidence_count that are encrypted." }
changed_in_period = { unit = "flag", doc = "The state changed within the period.", label = "changed", screen = 2 }
supported = { unit = "flag", doc = "The queue manager supports encryption of this kind: data sets from 9.2.0 on, channels always.", label = "supported", screen = 3 }
mixed = { unit = "flag", doc = "Some items of this kind of the queue manager are encrypted and some are not, or a part of one item is.", label = "mixed", screen = 1 }
not_visible = { unit = "text", doc = "Encryption that SMF 115 and 116 do not show for this kind.", label = "not visible", screen = 3 }
---*/
WITH
evidence AS (
  SELECT lpar, qmgr, qsg, record_id, interval_start_utc, mq_version, item_kind, item_name, item_label, evidence_count, encrypted_count
  FROM encryption_evidence
  WHERE encrypted_count IS NOT NULL
  UNION ALL
  SELECT
    lpar, qmgr, max(qsg), min(record_id), interval_start_utc, max(mq_version), 'channel group', channel_type, 'channels of type ' || channel_type,
    sum(channel_instances)::BIGINT, sum(channel_instances - instances_without_tls)::BIGINT
  FROM channel_cipher
  WHERE channel_type IS NOT NULL
  GROUP BY lpar, qmgr, interval_start_utc, channel_type
),
latest AS (
  SELECT
    lpar, qmgr, item_kind, item_name,
    any_value(item_label)                        AS item_label,
    max(qsg)                                     AS qsg,
    max(interval_start_utc)                      AS evidence_utc,
    max({
      'start': interval_start_utc, 'record_id': record_id, 'evidence_count': evidence_count, 'encrypted_count': encrypted_count,
      'mq_version': mq_version
    })                                           AS last,
    count(DISTINCT encrypted_count = evidence_count) > 1 AS changed_in_period
  FROM evidence
  GROUP BY lpar, qmgr, item_kind, item_name
),
state AS (
  SELECT
    *,
    max(last.encrypted_count) OVER kind > 0
      AND max(last.evidence_count - last.encrypted_count) OVER kind > 0 AS mixed
  FROM latest
  WINDOW kind AS (PARTITION BY lpar, qmgr, item_kind)
)
SELECT
  s.lpar, s.qmgr, s.qsg, s.last.record_id                    AS record_id,
  s.item_kind, s.item_name, s.item_label,
  s.last.encrypted_count = s.last.evidence_count             AS encrypted_now,
  s.evidence_utc,
  s.last.evidence_count                                      AS evidence_count,
  s.last.encrypted_count                                     AS encrypted_count,
  s.changed_in_period,
  s.last.mq_version                                          AS mq_version,
  CASE WHEN s.item_kind = 'channel group' THEN true ELSE m.highest_mq_level >= 90200 END AS supported,
  s.mixed,
  CASE s.item_kind
    WHEN 'active log' THEN 'BSDS, archive logs'
    WHEN 'channel group' THEN 'AT-TLS, AMS'
    WHEN 'shared message data set' THEN 'the CF structure, AMS'
    ELSE 'AMS'
  END AS not_visible
FROM state AS s
LEFT JOIN qmgr AS m ON m.lpar = s.lpar AND m.qmgr = s.qmgr
