/*---
id          = "EN001"
name        = "weak-cipher-negotiated"
title       = "A channel runs with a NULL, export, RC4, DES or 3DES cipher"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "channel_name"]
needs       = ["channel_cipher.instances_weak"]
prints      = ["channel_cipher.channel_type", "channel_cipher.weak_cipher", "channel_cipher.weak_cipher_kind", "channel_cipher.weak_connection", "channel_cipher.channel_instances"]
judge       = "any interval"
worst       = "highest"
measure     = "instances with a weak cipher"
when        = "observed > 0"
text        = "{value} instance[s] with a weak cipher"
unit        = "count"
mq_since    = "8.0.0"
look        = ["DISPLAY CHANNEL({channel_name}) CHLTYPE SSLCIPH", "DISPLAY CHSTATUS({channel_name}) CONNAME SECPROT SSLCIPH"]
do          = ["ALTER CHANNEL({channel_name}) CHLTYPE({channel_type}) SSLCIPH(ANY_TLS12_OR_HIGHER)", "Change the partner at the same time, and restart the channel: with different ciphers it does not start."]
sets        = ["SSLCIPH"]

[source]
cite = "MP16, 'TLS 1.3 cipher support' (aliases that allow SSL 3) and 'Deprecated CipherSpecs'; V92, 'TLS 1.3 support'; the list of codes is ours"
kind = "judgement"

[advice]
summary = "{instances_weak} of {channel_instances} instance[s] of channel {channel_name} used a weak cipher: X'{weak_cipher}' ({weak_cipher_kind}), for example with {weak_connection}. Such ciphers protect the data poorly or not at all."
remedy  = "The alias ANY can select such ciphers. Restrict the others with AllowedCipherSpecs in the TransportSecurity stanza of CSQMINI."
report  = "encryption/state"
---*/
SELECT
  lpar, qmgr, channel_name, interval_start_utc, interval_seconds, record_id,
  'channel ' || channel_name AS subject,
  instances_weak             AS observed,
  channel_type, instances_weak, channel_instances, weak_cipher, weak_cipher_kind, weak_connection
FROM channel_cipher
