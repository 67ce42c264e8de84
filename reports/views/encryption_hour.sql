/*---
id       = "encryption_hour"
title    = "CPU time of data set encryption by hour, estimated"
grain    = "one row per lpar, qmgr and hour"
needs    = ["page_set", "log", "smds", "site_input"]
classes  = ["115.201", "115.1", "115.2"]
note     = "IBM's figures for z15, within about 20 %. An interval counts for the hour in which it starts. Costs are those of encrypting all data sets; total_cpu_now_s has those that are encrypted."

[columns]
hour_start_utc = { unit = "ts_utc", kind = "clock", doc = "Start of the hour in GMT.", label = "hour", screen = 1 }
hour_local = { unit = "ts_local", kind = "clock", doc = "Start of the local hour.", label = "local hour" }
page_set_cpu_s = { unit = "s", doc = "CPU time if all page sets were encrypted: 0.7 µs per page read or written immediately, 2.6 µs per page of a deferred write.", over = "add", label = "page sets s", format = ",.3f", screen = 1 }
page_set_cpu_encrypted_s = { unit = "s", doc = "CPU time of the page sets that are encrypted.", over = "add", label = "encrypted page sets s", format = ",.3f", screen = 2 }
log_mib = { unit = "mib", doc = "New log data.", over = "add", label = "log MiB", format = ",.1f", screen = 2 }
offloaded_mib = { unit = "mib", doc = "Log data written to archives.", over = "add", label = "archived MiB", format = ",.1f", screen = 3 }
active_copies = { unit = "count", doc = "Active log copies that were written in the hour, otherwise in the period; 1 if the records do not show them.", over = "max", label = "active copies" }
archive_copies = { doc = "Archive copies written: 0 without an offload in the period, otherwise archive_copies of the site file or 1.", label = "archive copies" }
log_cpu_s = { unit = "s", doc = "CPU time if all logs were encrypted: 180 µs per MiB written to each active copy, and per MiB offloaded 180 µs to read it and 154 µs for each archive copy.", over = "add", label = "logs s", format = ",.3f", screen = 1 }
log_encrypted = { unit = "flag", doc = "The active log switched to last is encrypted; null without a log switch in the period.", label = "logs encrypted", screen = 2 }
smds_pages_4k = { unit = "pages", doc = "Pages of 4 KB written to shared message data sets.", over = "add", label = "SMDS pages", screen = 3 }
smds_cpu_s = { unit = "s", doc = "CPU time if all shared message data sets were encrypted: 0.7 µs per page of 4 KB written or read, 0.8 µs if it is read from the data set of another member.", over = "add", label = "SMDS s", format = ",.3f", screen = 1 }
total_cpu_s = { unit = "s", doc = "CPU time if all data sets were encrypted.", over = "add", label = "all s", format = ",.3f", screen = 1 }
total_cpu_now_s = { unit = "s", doc = "CPU time of the data sets that are encrypted; logs only if log_encrypted is set.", over = "add", label = "now s", format = ",.3f", screen = 1 }
cpus_equivalent = { unit = "ratio", doc = "total_cpu_s as processors: divided by the seconds of statistics in the hour.", across = "add", ratio = { numerator = "cpus_equivalent", denominator = "1" }, label = "processors", format = ".5f", screen = 1 }
---*/
WITH
page_sets AS (
  SELECT
    lpar, qmgr, date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc) AS hour_start_utc,
    any_value(date_trunc('hour', interval_start_local)) AS hour_local,
    sum(read_pages)::BIGINT                             AS read_pages,
    sum(immediate_write_pages)::BIGINT                  AS immediate_write_pages,
    sum(deferred_write_pages)::BIGINT                   AS deferred_write_pages,
    sum(encryption_cpu_us)                              AS encrypted_us
  FROM page_set
  GROUP BY lpar, qmgr, date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc)
),
copies AS (
  SELECT
    lpar, qmgr, max(log_copies) AS active_copies, sum(cis_offloaded) > 0 AS archived,
    arg_max(new_logs_encrypted = new_logs_copy1 + new_logs_copy2, interval_start_utc) FILTER (new_logs_copy1 + new_logs_copy2 > 0) AS log_encrypted
  FROM log
  GROUP BY lpar, qmgr
),
logs AS (
  SELECT
    lpar, qmgr, date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc) AS hour_start_utc,
    any_value(date_trunc('hour', interval_start_local)) AS hour_local,
    sum(log_mib_created)                                AS log_mib,
    pages_mib(sum(cis_offloaded))                       AS offloaded_mib,
    max(log_copies)                                     AS hour_copies,
    sum(interval_seconds)                               AS log_seconds
  FROM log
  GROUP BY lpar, qmgr, date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc)
),
data_sets AS (
  SELECT
    lpar, qmgr, date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc) AS hour_start_utc,
    any_value(date_trunc('hour', interval_start_local)) AS hour_local,
    sum(smds_write_pages::DOUBLE * ci_bytes / 4096)             AS smds_pages_4k,
    sum((0.7 * (smds_write_pages + smds_read_pages) + 0.8 * remote_read_pages) * ci_bytes / 4096) AS smds_us,
    sum((0.7 * (smds_write_pages + smds_read_pages) + 0.8 * remote_read_pages) * ci_bytes / 4096) FILTER (smds_encrypted) AS smds_encrypted_us
  FROM smds
  GROUP BY lpar, qmgr, date_trunc('hour', interval_start_local) - (interval_start_local - interval_start_utc)
),
hour AS (
  SELECT
    coalesce(l.lpar, p.lpar, d.lpar)                                AS lpar,
    coalesce(l.qmgr, p.qmgr, d.qmgr)                                AS qmgr,
    coalesce(l.hour_start_utc, p.hour_start_utc, d.hour_start_utc)  AS hour_start_utc,
    coalesce(l.hour_local, p.hour_local, d.hour_local)              AS hour_local,
    p.read_pages, p.immediate_write_pages, p.deferred_write_pages, p.encrypted_us,
    l.log_mib, l.offloaded_mib, l.hour_copies, l.log_seconds,
    d.smds_pages_4k, d.smds_us, d.smds_encrypted_us
  FROM logs AS l
  FULL JOIN page_sets AS p ON p.lpar = l.lpar AND p.qmgr = l.qmgr AND p.hour_start_utc = l.hour_start_utc
  FULL JOIN data_sets AS d
    ON d.lpar = coalesce(l.lpar, p.lpar) AND d.qmgr = coalesce(l.qmgr, p.qmgr) AND d.hour_start_utc = coalesce(l.hour_start_utc, p.hour_start_utc)
),
counted AS (
  SELECT
    h.*,
    coalesce(h.hour_copies, c.active_copies, 1)                                                          AS active_copies,
    CASE WHEN c.archived THEN coalesce(s.archive_copies, 1) ELSE 0 END                    AS archive_copies,
    c.log_encrypted,
    (0.7::DOUBLE * (h.read_pages + h.immediate_write_pages) + 2.6::DOUBLE * h.deferred_write_pages) / 1e6 AS page_set_cpu_s,
    h.encrypted_us / 1e6                                                                  AS page_set_cpu_encrypted_s,
    (180 * coalesce(h.hour_copies, c.active_copies, 1) * h.log_mib
      + (180 + 154 * CASE WHEN c.archived THEN coalesce(s.archive_copies, 1) ELSE 0 END) * h.offloaded_mib) / 1e6 AS log_cpu_s,
    h.smds_us / 1e6                                                                       AS smds_cpu_s
  FROM hour AS h
  LEFT JOIN copies AS c ON c.lpar = h.lpar AND c.qmgr = h.qmgr
  LEFT JOIN site_input AS s ON s.lpar = h.lpar AND s.qmgr = h.qmgr
)
SELECT
  lpar, qmgr, hour_start_utc, hour_local, read_pages, immediate_write_pages, deferred_write_pages, page_set_cpu_s, page_set_cpu_encrypted_s,
  log_mib, offloaded_mib, active_copies, archive_copies, log_cpu_s, log_encrypted, smds_pages_4k, smds_cpu_s,
  coalesce(page_set_cpu_s, 0) + coalesce(log_cpu_s, 0) + coalesce(smds_cpu_s, 0)            AS total_cpu_s,
  coalesce(page_set_cpu_encrypted_s, 0) + CASE WHEN log_encrypted THEN coalesce(log_cpu_s, 0) ELSE 0 END
    + coalesce(smds_encrypted_us, 0) / 1e6                                                  AS total_cpu_now_s,
  per_s(coalesce(page_set_cpu_s, 0) + coalesce(log_cpu_s, 0) + coalesce(smds_cpu_s, 0), log_seconds) AS cpus_equivalent
FROM counted
