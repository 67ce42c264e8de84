/*---
id         = "queue_map"
title      = "Who puts to and gets from each queue over the period, and through which channel"
grain      = "one row per lpar, qmgr, queue, application and connection type"
needs      = ["queue_application_total", "channel", "site_queue"]
classes    = ["116.1"]
note       = "The edges of the map of queues, applications and channels. Dynamic queues whose names differ in the generated part are one row."

[columns]
queue_class = { unit = "text", doc = "shared, temporary, topic or local.", label = "class", screen = 2 }
channel_name = { from = "queue_application_total" }
direction = { unit = "text", doc = "puts and gets, puts, gets, browses or opens only.", label = "direction", screen = 1 }
put_mib = { unit = "mib", doc = "Message data put.", over = "add", label = "put MiB", screen = 3 }
get_mib = { unit = "mib", doc = "Message data got.", over = "add", label = "get MiB", screen = 3 }
persistent_put_pct = { unit = "percent", doc = "Share of the messages put that were persistent.", ratio = { numerator = "persistent_put_pct * valid_puts", denominator = "valid_puts" }, label = "persistent %", screen = 2 }
is_transmission = { unit = "flag", doc = "A transmission queue, by its name, the site file or the channel that gets from it.", label = "transmission" }
---*/
WITH
partner AS (
  -- A channel is an application under the name that view task_identity gives it.
  SELECT lpar, qmgr, channel_name || coalesce(' from ' || connection_name, '') AS application, max(partner_name) AS partner_name
  FROM channel
  GROUP BY lpar, qmgr, channel_name || coalesce(' from ' || connection_name, '')
)
SELECT
  t.lpar, t.qmgr, t.qsg, t.base_name,
  CASE WHEN t.is_shared THEN 'shared' WHEN t.is_topic THEN 'topic' WHEN t.is_temporary_dynamic THEN 'temporary' ELSE 'local' END AS queue_class,
  t.application, t.connection_type_name, t.channel_name, t.operator_id,
  CASE
    WHEN t.valid_puts > 0 AND t.valid_destructive_gets > 0 THEN 'puts and gets'
    WHEN t.valid_puts > 0 THEN 'puts'
    WHEN t.valid_destructive_gets > 0 THEN 'gets'
    WHEN t.browses > 0 THEN 'browses'
    ELSE 'opens only'
  END AS direction,
  t.valid_puts, t.valid_destructive_gets, t.browses,
  t.put_bytes / 1048576 AS put_mib, t.get_bytes / 1048576 AS get_mib,
  pct(t.persistent_mqputs + t.persistent_mqput1s, t.valid_puts) AS persistent_put_pct,
  t.open_names, p.partner_name, t.first_used_utc, t.last_used_utc,
  t.opened_as, s.sending_channels,
  coalesce(s.queue_kind LIKE '%transmission', false) AS is_transmission
FROM queue_application_total AS t
LEFT JOIN partner AS p ON p.lpar = t.lpar AND p.qmgr = t.qmgr AND p.application = t.application
LEFT JOIN site_queue AS s ON s.lpar = t.lpar AND s.qmgr = t.qmgr AND s.queue = t.base_name
