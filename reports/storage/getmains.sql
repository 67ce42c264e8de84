/*---
id       = "storage/getmains"
title    = "Getmained storage by requester"
question = "Which module holds getmained storage and does it grow?"
needs    = ["storage_getmain"]
rules    = []
grain    = ["lpar", "qmgr", "interval_start_utc", "record_id", "section"]
drill_down = ["storage/region"]
note     = "The requesters whose storage grew most are first. Storage without a requester is missing here; storage/region has the total."

[columns]
requester = { label = "requester", screen = 1 }
requester_offset = { label = "offset", screen = 1 }
storage_class = { label = "class", screen = 2 }
getmain_bytes = { label = "bytes", screen = 1 }
getmain_requests = { label = "requests", screen = 1 }
getmain_longest_bytes = { label = "longest", screen = 3 }
getmain_shortest_bytes = { label = "shortest", screen = 3 }
new_getmains = { label = "new", screen = 1 }
---*/
SELECT
  lpar, qmgr, qsg, interval_start_utc, interval_seconds, record_id, section, requester, requester_offset, storage_class, getmain_bytes,
  getmain_requests, average_getmain_bytes, getmain_longest_bytes, getmain_shortest_bytes, new_getmains, growth_bytes
FROM storage_getmain
ORDER BY growth_bytes DESC NULLS LAST, getmain_bytes DESC, lpar, qmgr, interval_start_utc, requester, requester_offset, storage_class, record_id, section
