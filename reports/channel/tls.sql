/*---
id         = "channel/tls"
title      = "TLS on channels"
question   = "Which channels are protected, with which cipher, how often do they start, and what does that cost?"
needs      = ["channel", "site_input"]
rules      = ["EN001", "EN002", "EN003"]
grain      = ["lpar", "qmgr", "channel_name", "cipher_hex"]
unmarked   = "A row is a channel with one cipher over the period; the rules judge intervals of all ciphers of a channel."
drill_down = ["channel_initiator/ssl_tasks"]
site_input = ["ams_queues"]
mq_since   = "8.0.0"
note       = "The cipher is the negotiated one. SSLCIPH, SSLRKEYC and AT-TLS are not in SMF: a channel without TLS here may be protected by AT-TLS. CPU times and rates are IBM's figures for z16 with 4000 channels in SYSTEM.CHANNEL.SYNCQ and a Crypto Express coprocessor."

[columns]
channel_type_name = { screen = 2 }
instances = { unit = "count", label = "instances", screen = 1, doc = "Instances by connection name and start time.", over = "add" }
starts = { unit = "count", label = "starts", screen = 1, doc = "Instances that started in an interval of the data.", over = "add" }
stops = { unit = "count", label = "stops", screen = 3, doc = "Instances that ended in the data.", over = "add" }
bytes_moved = { unit = "bytes", label = "bytes", doc = "Bytes sent and received.", over = "add" }
mib_moved = { unit = "mib", label = "MiB", screen = 1, doc = "Bytes sent and received, in MiB.", over = "add" }
start_cpu_ms_each = { unit = "ms", label = "start ms", format = ".2f", screen = 3, doc = "CPU time of one start with this cipher on z16; null for a cipher that IBM did not measure.", over = "same" }
start_cpu_s = { unit = "s", label = "starts CPU s", screen = 2, doc = "CPU time of all starts, estimated.", over = "add" }
stop_cpu_ms_each = { unit = "ms", label = "stop ms", format = ".2f", doc = "CPU time of one stop on z16.", over = "same" }
stop_cpu_s = { unit = "s", label = "stops CPU s", screen = 3, doc = "CPU time of all stops, estimated.", over = "add" }
partner_names = { unit = "text", label = "partners", doc = "Partners, in alphabetical order." }
certificate_issuers = { unit = "text", label = "issuers", doc = "Issuers of the partners' certificates, in alphabetical order." }
software_cipher = { unit = "flag", label = "in software", screen = 2, doc = "The cipher has no hardware support: CHACHA20." }
is_weak_cipher = { unit = "flag", label = "weak", screen = 1, doc = "The cipher has no encryption, an export key, RC4, DES or 3DES." }
unprotected_with_ams = { unit = "flag", label = "AMS without TLS", screen = 3, doc = "No TLS, and the site file lists queues with AMS policies." }
restart_all_s = { unit = "s", label = "restart s", screen = 3, doc = "Time to start the channel once for each connection name, at IBM's rate for the cipher on z16.", over = "max" }
---*/
WITH
cost (cipher_hex, start_cpu_ms_each, starts_per_s) AS (
  -- MP16, TLS channel start costs; without TLS the row for 4000 channels of channel start/stop rates and costs.
  VALUES
    ('0000', 0.38, 428.0), ('1303', 0.89, 168.6), ('1302', 0.81, 177.2), ('1301', 0.81, 177.1), ('009D', 0.73, 179.4), ('C030', 1.47, 108.5),
    ('003D', 0.72, 187.3), ('C024', 1.46, 101.2), ('C028', 1.47, 109.7), ('009C', 0.73, 184.3), ('C02F', 1.48, 108.8), ('003C', 0.72, 177.1),
    ('C023', 1.47, 102.3), ('C027', 1.46, 109.6), ('003B', 0.72, 177.4)
),
total AS (
  SELECT
    lpar, qmgr, channel_name, cipher_hex,
    max(channel_type_name)                                          AS channel_type_name,
    bool_or(uses_tls)                                               AS uses_tls,
    max(cipher_name)                                                AS cipher_name,
    bool_or(tls13)                                                  AS tls13,
    max(cipher_weakness)                                            AS cipher_weakness,
    count(DISTINCT (connection_name, channel_start_utc))            AS instances,
    count(DISTINCT connection_name)                                 AS connections,
    count(DISTINCT (connection_name, channel_start_utc)) FILTER (started_in_interval) AS starts,
    count(DISTINCT (connection_name, channel_start_utc)) FILTER (ended_in_interval)   AS stops,
    sum(bytes_sent + bytes_received)::BIGINT                        AS bytes_moved,
    array_to_string(list_sort(list_distinct(list(partner_name))), ', ')          AS partner_names,
    array_to_string(list_sort(list_distinct(list(certificate_issuer_cn))), ', ') AS certificate_issuers
  FROM channel
  WHERE channel_name IS NOT NULL
  GROUP BY lpar, qmgr, channel_name, cipher_hex
)
SELECT
  t.lpar, t.qmgr, t.channel_name, t.channel_type_name, t.uses_tls, t.cipher_hex, t.cipher_name, t.tls13, t.instances, t.starts, t.stops,
  t.bytes_moved,
  t.bytes_moved / 1048576                                     AS mib_moved,
  c.start_cpu_ms_each::DOUBLE AS start_cpu_ms_each,
  t.starts * c.start_cpu_ms_each / 1000                       AS start_cpu_s,
  CASE WHEN t.uses_tls THEN 0.44 ELSE 0.34 END::DOUBLE        AS stop_cpu_ms_each,
  t.stops * CASE WHEN t.uses_tls THEN 0.44 ELSE 0.34 END / 1000 AS stop_cpu_s,
  nullif(t.partner_names, '')                                 AS partner_names,
  nullif(t.certificate_issuers, '')                           AS certificate_issuers,
  t.cipher_hex = '1303'                                       AS software_cipher,
  t.cipher_weakness IS NOT NULL                               AS is_weak_cipher,
  NOT t.uses_tls AND coalesce(len(s.ams_queues), 0) > 0       AS unprotected_with_ams,
  t.connections / c.starts_per_s                              AS restart_all_s
FROM total AS t
LEFT JOIN cost AS c ON c.cipher_hex = t.cipher_hex
LEFT JOIN site_input AS s ON s.lpar = t.lpar AND s.qmgr = t.qmgr
ORDER BY is_weak_cipher DESC, uses_tls, bytes_moved DESC, lpar, qmgr, channel_name, cipher_hex
