/*---
id          = "EN002"
name        = "channel-without-tls"
title       = "A channel to another host runs without TLS"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "channel_name"]
needs       = ["site_input.tls_required", "channel_cipher.instances_to_protect"]
prints      = ["channel_cipher.plain_connection", "channel_cipher.channel_instances"]
judge       = "any interval"
worst       = "highest"
breach_when = "plain and required"
unit        = "count"
mq_since    = "8.0.0"
default_on  = false                       # on as soon as the site file gives tls_required
look        = ["DISPLAY CHANNEL({channel_name}) CHLTYPE SSLCIPH", "DISPLAY CHSTATUS({channel_name}) CONNAME SECPROT SSLCIPH"]

[clause.plain]
when    = "observed > 0"
measure = "instances without TLS"
text    = "{value} instance[s] without TLS"

[clause.required]
when    = "tls_required is true"
measure = "TLS required"
text    = "the site file requires TLS"
clear   = "the site file does not require TLS"

[source]
cite = "V92, 'What is AMS Interception on z/OS and when would I use it?' (AMS does not replace TLS); MP16, 'Using AT-TLS to encrypt data flowing over IBM MQ channels'; the requirement is the site's"
kind = "judgement"

[advice]
summary = "{instances_to_protect} of {channel_instances} instance[s] of channel {channel_name} ran without TLS, for example with {plain_connection}, but the site file requires TLS (tls_required)."
remedy  = "Set SSLCIPH on both sides of the channel. AT-TLS encrypts below MQ and is not visible here: list its channels, and partners of the same LPAR or HiperSockets, in tls_exempt of the site file (channel, connection name or address)."
report  = "encryption/state"
---*/
SELECT
  c.lpar, c.qmgr, c.channel_name, c.interval_start_utc, c.interval_seconds, c.record_id,
  'channel ' || c.channel_name AS subject,
  c.instances_to_protect       AS observed,
  c.instances_to_protect, c.channel_instances, c.plain_connection, s.tls_required
FROM channel_cipher AS c
JOIN site_input AS s ON s.lpar = c.lpar AND s.qmgr = c.qmgr
