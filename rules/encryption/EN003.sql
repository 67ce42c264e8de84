/*---
id          = "EN003"
name        = "software-cipher-on-busy-channel"
title       = "A channel encrypts much data with CHACHA20, which has no hardware support"
severity    = "warning"
weight      = "waste"
grain       = ["lpar", "qmgr", "channel_name"]
needs       = ["channel_cipher_period.chacha_gib_per_day"]
prints      = ["channel_cipher_period.chacha_gib", "channel_cipher_period.period_days"]
judge       = "whole period"
worst       = "highest"
measure     = "data encrypted in software per day"
when        = "observed > gib_per_day_max"
mq_since    = "9.2.0"
look        = ["DISPLAY CHANNEL({channel_name}) CHLTYPE SSLCIPH", "DISPLAY CHSTATUS({channel_name}) CONNAME SECPROT SSLCIPH"]
do          = ["ALTER QMGR SSLRKEYC(0)", "Do so only if no channel uses TLS 1.2, which needs it to renew keys; TLS 1.3 renews its keys itself."]
lowers      = ["SSLRKEYC"]

[threshold.gib_per_day_max]
value = 1.0
unit  = "gib"
kind  = "judgement"
why   = "less data costs little with any cipher"

[source]
cite = "MP16, 'Cost of Encryption / Decryption of data using TLS ciphers' and 'Can I influence which ciphers are chosen?'; V92, 'Secret key (re-)negotiation costs', 'Cost of Encryption / Decryption of data using TLS ciphers' and 'Can I influence which ciphers are chosen?'"

[advice]
summary = "Channel {channel_name} moved {chacha_gib:.2f} GiB in {period_days:.1f} days ({observed:.2f} GiB per day, limit {gib_per_day_max} GiB) with TLS_CHACHA20_POLY1305_SHA256, which CPACF does not support: it is encrypted in software."
remedy  = "Code AllowedCipherSpecs=TLS_AES_256_GCM_SHA384,TLS_AES_128_GCM_SHA256 in the TransportSecurity stanza of CSQMINI: the TLS 1.3 aliases select CHACHA20 first, because it ranks as the most secure cipher."
report  = "encryption/state"
---*/
SELECT
  lpar, qmgr, channel_name,
  'channel ' || channel_name AS subject,
  chacha_gib_per_day         AS observed,
  chacha_gib, period_days
FROM channel_cipher_period
