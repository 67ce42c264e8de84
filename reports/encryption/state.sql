/*---
id       = "encryption/state"
title    = "What is encrypted"
question = "Which page sets, logs, shared message data sets and channels are encrypted, and what is mixed?"
needs    = ["encryption_item"]
rules    = ["EN004", "EN005"]
grain    = ["lpar", "qmgr", "item_kind", "item_name"]
unmarked = "A row is the latest state of an item; its rules judge the evidence of intervals or a whole queue manager."
drill_down = ["encryption/cost"]
note     = "The state is that of the latest evidence. Active logs are known only if a log was switched in the period. Column not_visible lists what SMF 115 and 116 do not show."

[columns]
mq_version = { screen = 3 }
---*/
SELECT
  lpar, qmgr, item_kind, item_name, item_label, encrypted_now, evidence_utc, evidence_count, encrypted_count, changed_in_period, mq_version,
  supported, mixed, not_visible
FROM encryption_item
ORDER BY mixed DESC, lpar, qmgr, item_kind, item_name
