/*---
id       = "channel_cipher"
title    = "TLS of channels by interval"
grain    = "one row per lpar, qmgr, accounting interval and channel"
needs    = ["channel", "site_input"]
classes  = ["116.10"]
mq_since = "8.0.0"
note     = "A cipher is weak if it has no encryption, an export key, RC2, RC4, DES or 3DES. CBC ciphers of old protocol versions cannot be distinguished by the code. AT-TLS encrypts below MQ and is not shown."

[columns]
channel_instances = { unit = "count", doc = "Instances of the channel.", over_time = "max", across = "add" }
instances_without_tls = { unit = "count", doc = "Instances without TLS.", over_time = "max", across = "add" }
instances_to_protect = { unit = "count", doc = "Instances without TLS whose channel, connection name and address the site file does not exempt (tls_exempt).", over_time = "max", across = "add" }
plain_connection = { unit = "text", doc = "Connection name of one of them." }
instances_weak = { unit = "count", doc = "Instances with a weak cipher.", over_time = "max", across = "add" }
weak_cipher = { unit = "text", doc = "CipherSpec of one of them as four hexadecimal digits." }
weak_cipher_kind = { unit = "text", doc = "Why this cipher is weak." }
weak_connection = { unit = "text", doc = "Connection name of one of them." }
chacha_bytes = { unit = "bytes", doc = "Bytes sent and received by instances with the cipher TLS_CHACHA20_POLY1305_SHA256.", over = "add" }
---*/
WITH instance AS (
  SELECT
    q.*,
    NOT q.uses_tls
      AND NOT coalesce(len(list_filter(s.tls_exempt, lambda pattern: coalesce(q.channel_name GLOB replace(pattern, '[', '[[]'), false)
        OR coalesce(q.connection_name GLOB replace(pattern, '[', '[[]'), false)
        OR coalesce(split_part(q.connection_name, '(', 1) GLOB replace(pattern, '[', '[[]'), false))) > 0, false) AS to_protect,
    q.cipher_weakness AS weakness
  FROM channel AS q
  LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
)
SELECT
  lpar, qmgr, max(qsg) AS qsg, max(mq_version) AS mq_version, min(source_id) AS source_id,
  coalesce(min(record_id) FILTER (weakness IS NOT NULL OR to_protect), min(record_id)) AS record_id,
  interval_start_utc,
  max(interval_end_utc)                                                AS interval_end_utc,
  max(interval_seconds)                                                AS interval_seconds,
  channel_name,
  max(channel_type)                                                    AS channel_type,
  count(*)                                                             AS channel_instances,
  count(*) FILTER (NOT uses_tls)                                       AS instances_without_tls,
  count(*) FILTER (to_protect)                                         AS instances_to_protect,
  min(connection_name) FILTER (to_protect)                             AS plain_connection,
  count(*) FILTER (weakness IS NOT NULL)                               AS instances_weak,
  min(cipher_hex) FILTER (weakness IS NOT NULL)                        AS weak_cipher,
  arg_min(weakness, cipher_hex) FILTER (weakness IS NOT NULL)          AS weak_cipher_kind,
  arg_min(connection_name, (cipher_hex, connection_name)) FILTER (weakness IS NOT NULL) AS weak_connection,
  coalesce(sum(bytes_sent + bytes_received) FILTER (cipher_hex = '1303'), 0)::BIGINT AS chacha_bytes
FROM instance
WHERE uses_tls IS NOT NULL AND channel_name IS NOT NULL
GROUP BY lpar, qmgr, interval_start_utc, channel_name
