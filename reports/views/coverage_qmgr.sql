/*---
id      = "coverage_qmgr"
title   = "Record classes collected for each queue manager"
grain   = "one row per lpar and qmgr"
needs   = ["collection", "qmgr", "coverage_connection", "decoded.qcct", "site_input"]
note    = "Counts of classes that the level of the queue manager does not write are null, and so are values that the data cannot support."

[columns]
records = { doc = "Records of the queue manager." }
basic_classes_missing = { unit = "count", doc = "Classes of basic statistics without a record: 115.1, 115.2 and, from 8.0.0, 115.215.", over = "add" }
basic_classes_missing_names = { unit = "text", doc = "The classes of basic statistics without a record." }
basic_classes_there = { unit = "count", doc = "Classes of basic statistics with a record.", over = "add" }
storage_classes_missing = { unit = "count", classes = ["115.1"], doc = "Classes of storage and, from 9.0.0, page set statistics without a record although there are basic statistics: 115.7 and 115.201. Before 8.0.0, 115.7 is not expected: no source shows it there.", over = "add" }
storage_classes_missing_names = { unit = "text", classes = ["115.1"], doc = "The classes of storage and page set statistics without a record." }
storage_trace_started = { unit = "flag", classes = ["115.1"], doc = "Of these, at most 115.7 is missing, and 115.5 or 115.6, which the same trace writes, is there." }
records_115_216 = { unit = "count", classes = ["115.216"], doc = "Records 115.216; null before 9.3.0.", over = "max" }
records_115_231 = { unit = "count", classes = ["115.231"], doc = "Records 115.231; null before 8.0.0.", over = "max" }
records_116_1 = { unit = "count", doc = "Records 116.1.", over = "max" }
records_116_10 = { unit = "count", classes = ["116.10"], doc = "Records 116.10; null before 8.0.0.", over = "max" }
channel_work = { unit = "count", classes = ["116.0", "116.1", "116.10", "115.231"], doc = "Channel accounting records, and tasks of the channel initiator in accounting; null if there is neither accounting nor class 4 statistics.", over = "add" }
active_channels_high = { unit = "count", classes = ["115.231"], doc = "Highest number of channels that were active in an interval.", over = "max" }
no_class3_declared = { unit = "flag", doc = "The site file declares that class 3 accounting is off on purpose." }
---*/
WITH
class AS (
  SELECT
    lpar, qmgr,
    sum(records)::BIGINT                                                          AS records,
    count(*) FILTER (missing AND record_class IN ('115.1', '115.2', '115.215'))   AS basic_classes_missing,
    string_agg(record_class, ', ' ORDER BY class_order) FILTER (missing AND record_class IN ('115.1', '115.2', '115.215')) AS basic_classes_missing_names,
    count(*) FILTER (present AND record_class IN ('115.1', '115.2', '115.215'))   AS basic_classes_there,
    count(*) FILTER (missing AND record_class IN ('115.7', '115.201'))            AS storage_classes_missing,
    string_agg(record_class, ', ' ORDER BY class_order) FILTER (missing AND record_class IN ('115.7', '115.201')) AS storage_classes_missing_names,
    bool_or(present AND record_class IN ('115.5', '115.6')) AND NOT coalesce(bool_or(missing AND record_class = '115.201'), false) AS storage_trace_started,
    max(records) FILTER (record_class = '115.1')                                  AS records_115_1,
    max(records) FILTER (record_class = '115.216' AND (applicable OR present))    AS records_115_216,
    max(records) FILTER (record_class = '115.231' AND (applicable OR present))    AS records_115_231,
    max(records) FILTER (record_class = '116.1')                                  AS records_116_1,
    max(records) FILTER (record_class = '116.10' AND (applicable OR present))     AS records_116_10
  FROM (
    SELECT
      c.*, c.applicable AND NOT c.present AND NOT (c.record_class = '115.7' AND q.highest_mq_level < 80000) AS missing,
      CAST(split_part(c.record_class, '.', 2) AS INTEGER) AS class_order
    FROM collection AS c
    JOIN qmgr AS q ON q.lpar = c.lpar AND q.qmgr = c.qmgr
  )
  GROUP BY lpar, qmgr
),
chinit AS (
  SELECT lpar, qmgr, max(active_channels) AS active_channels_high
  FROM decoded.qcct
  GROUP BY lpar, qmgr
)
SELECT
  q.lpar, q.qmgr, q.qsg, q.mq_versions, c.records, c.basic_classes_missing, c.basic_classes_missing_names, c.basic_classes_there,
  CASE WHEN c.records_115_1 > 0 THEN c.storage_classes_missing END       AS storage_classes_missing,
  CASE WHEN c.records_115_1 > 0 THEN c.storage_classes_missing_names END AS storage_classes_missing_names,
  CASE WHEN c.records_115_1 > 0 THEN c.storage_trace_started END         AS storage_trace_started,
  c.records_115_216, c.records_115_231, c.records_116_1, c.records_116_10,
  CASE WHEN n.connections_accounted > 0 OR c.records_116_10 > 0 OR c.records_115_231 > 0
    THEN coalesce(n.channel_connections, 0) + coalesce(c.records_116_10, 0) END AS channel_work,
  i.active_channels_high,
  coalesce(s.no_class3, false) AS no_class3_declared
FROM qmgr AS q
JOIN class AS c ON c.lpar = q.lpar AND c.qmgr = q.qmgr
LEFT JOIN coverage_connection AS n ON n.lpar = q.lpar AND n.qmgr = q.qmgr
LEFT JOIN chinit AS i ON i.lpar = q.lpar AND i.qmgr = q.qmgr
LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
