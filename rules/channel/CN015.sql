/*---
id          = "CN015"
name        = "partner-on-old-mq-level"
title       = "A partner runs an MQ level below the minimum of the site"
severity    = "info"
weight      = "waste"
grain       = ["lpar", "qmgr", "channel_name"]
needs       = ["site_input.min_partner_version", "channel_partner.partner_level"]
prints      = ["channel_partner.partner_name", "channel_partner.partner_vrm"]
judge       = "whole period"
worst       = "highest"
measure     = "partners below the minimum level"
when        = "observed > 0"
text        = "{value} partner[s] below the minimum level"
unit        = "count"
mq_since    = "10.0.0"
default_on  = false                       # on if the site file gives min_partner_version
look        = ["DISPLAY CHSTATUS({channel_name}) CONNAME RPRODUCT RQMNAME RVERSION"]

[source]
cite = "IBM documentation, channel accounting data, QCSTRVER; lifecycle of MQ: levels out of service get no fixes"
kind = "guidance"

[advice]
summary = "{observed:.0f} partner[s] of channel {channel_name} [run|runs] an MQ level below {min_partner_version} (min_partner_version of the site file), for example {old_partner} with {lowest_level} at {old_address}."
remedy  = "Upgrade the queue managers and clients that report channel/partners lists. Clients that are not from IBM report numbers of their own."
report  = "channel/partners"
---*/
SELECT
  p.lpar, p.qmgr, p.channel_name,
  min(p.record_id)                                                        AS record_id,
  'channel ' || p.channel_name                                            AS subject,
  count(DISTINCT (p.partner_name, p.connection_name)) FILTER (p.below_minimum) AS observed,
  max(s.min_partner_version)                                              AS min_partner_version,
  arg_min(coalesce(p.partner_name, 'a partner'), (p.partner_level, p.partner_name, p.connection_name)) AS old_partner,
  arg_min(coalesce(p.connection_name, 'an unknown address'), (p.partner_level, p.partner_name, p.connection_name)) AS old_address,
  arg_min(p.partner_vrm, (p.partner_level, p.partner_name, p.connection_name)) AS lowest_level
FROM channel_partner AS p
JOIN site_input AS s ON s.lpar = p.lpar AND s.qmgr = p.qmgr
WHERE p.partner_level IS NOT NULL
GROUP BY p.lpar, p.qmgr, p.channel_name
