/*---
id       = "message_manager/calls"
title    = "Message manager calls"
question = "How many MQI calls of each kind were made, and at what rate?"
needs    = ["message_manager"]
rules    = ["MM002"]
grain    = ["lpar", "qmgr", "interval_start_utc"]
dd       = ["MSGM", "MSGMCSV"]
wsc      = [18]
drill_down = ["data_manager/message_balance"]
note     = "Counts requests, successful or not: gets include those that found no message. Gets through callbacks are not included. The calls are in the order of MP1B."

[columns]
opens = { label = "opens", screen = 1 }
closes = { label = "closes", screen = 1 }
gets = { label = "gets", screen = 1 }
puts = { label = "puts", screen = 1 }
put1s = { label = "put1s", screen = 1 }
inquires = { label = "inquires", screen = 2 }
inquire_likes = { label = "inquire-likes" }
sets = { label = "sets", screen = 3 }
end_of_waits = { label = "ends of wait" }
handle_closes = { label = "handle closes", screen = 3 }
subscribes = { label = "subscribes", screen = 3 }
subscription_requests = { label = "subscription requests" }
callbacks = { label = "callbacks", screen = 2 }
controls = { label = "controls", screen = 2 }
statuses = { label = "statuses" }
publications = { label = "publications", screen = 2 }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, interval_end_utc, opens, closes, gets, puts, put1s, inquires, inquire_likes, sets,
  end_of_waits, handle_closes, subscribes, subscription_requests, callbacks, controls, statuses, publications, total_puts,
  mqi_calls, puts_per_s, gets_per_s, mqi_calls_per_s, put1_pct, opens_per_put
FROM message_manager
ORDER BY lpar, qmgr, interval_start_utc, interval_end_utc
