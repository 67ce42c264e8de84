/*---
id      = "queue_index"
title   = "Gets by id, with a selector or past other messages, by queue and application"
grain   = "one row per lpar, qmgr, queue and application with such gets"
needs   = ["queue_application_total", "accounting_missed", "site_queue"]
classes = ["116.1"]
note    = "Jobs of MQ that read a queue of their own by design are not included, such as AMS and its policies. Accounting counts selectors only in the interval of the open."

[columns]
gets = { from = "queue_application_total", label = "gets", screen = 1 }
skipped_per_get = { unit = "ratio", doc = "Messages skipped per get.", ratio = { numerator = "messages_skipped", denominator = "gets" }, label = "skipped/get", screen = 1 }
average_get_cpu_us = { unit = "us", doc = "Mean CPU time of a get.", ratio = { numerator = "average_get_cpu_us * gets", denominator = "gets" }, label = "avg get CPU µs", screen = 1 }
cpu_per_skip_us = { unit = "us", doc = "CPU time of gets per message skipped.", ratio = { numerator = "cpu_per_skip_us * messages_skipped", denominator = "messages_skipped" }, label = "CPU µs/skip", format = ".3f" }
max_gets_per_s_one_task = { unit = "per_s", doc = "Gets per second that one task could do with this CPU time per get.", over = "min", label = "max gets/s one task", screen = 2 }
readlist_per_move = { unit = "ratio", doc = "List reads of the coupling facility per message moved by gets.", ratio = { numerator = "readlist_requests", denominator = "move_requests" }, label = "list reads/move", screen = 3 }
expected_get_cpu_us = { unit = "us", doc = "CPU time of a get that finds its message at once: our own assumption.", over = "same", label = "expected CPU µs" }
scan_cpu_s = { unit = "s", doc = "CPU time of gets above the expected time.", over = "add", label = "scan CPU s", format = ".3f", screen = 1 }
advice_text = { unit = "text", doc = "All that makes the gets expensive: selector scans (an index helps only a selector on the message or correlation id alone: select by correlation id on a queue with INDXTYPE(CORRELID)), define INDXTYPE (for the id that the application matches on), define INDXTYPE (shared queue), group id as get-next (add the sequence number or ask for logical order), skips without an id (most gets are for any message: browsing, or expired or uncommitted messages), empty pages (APARs PI63036 and PI68957); null if nothing.", label = "advice", screen = 1 }
counted_puts = { over_time = "same", across = "add", whole = ["lpar", "qmgr"] }
accounted_puts = { over_time = "same", across = "add", whole = ["lpar", "qmgr"] }
put_coverage_pct = { doc = "Puts in accounting as a share of those in statistics, for the whole queue manager.", ratio = { numerator = "accounted_puts", denominator = "counted_puts", scale = 100 }, whole = ["lpar", "qmgr"] }
---*/
WITH part AS (
  SELECT
    q.*,
    messages_skipped / nullif(gets, 0)          AS skipped_per_get,
    get_cpu_us / nullif(gets, 0)                AS average_get_cpu_us,
    get_cpu_us / nullif(messages_skipped, 0)    AS cpu_per_skip_us,
    1e6 * nullif(gets, 0) / nullif(get_cpu_us, 0) AS max_gets_per_s_one_task,
    readlist_requests / nullif(move_requests, 0) AS readlist_per_move,
    10::DOUBLE                                  AS expected_get_cpu_us
  FROM queue_application_total AS q
  LEFT JOIN site_queue AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr AND s.queue = q.base_name
  WHERE (specific_gets > 0 OR messages_skipped > 0 OR selector_opens > 0 OR pages_skipped > gets) AND NOT coalesce(q.application GLOB s.own_reader, false)
)
SELECT
  q.lpar, q.qmgr, q.qsg, q.base_name, q.application, q.connection_type_name, q.is_shared, q.queue_disposition, q.index_type, q.gets, q.valid_gets,
  q.get_errors, q.get_bytes, q.specific_gets, q.any_gets, q.browses, q.messages_skipped, q.pages_skipped, q.skipped_per_get, q.average_get_cpu_us,
  q.cpu_per_skip_us, q.max_gets_per_s_one_task, q.selector_opens, q.selector_length, q.readlist_requests, q.move_requests, q.readlist_per_move, q.depth_high, q.expected_get_cpu_us,
  greatest(0, q.get_cpu_us - q.expected_get_cpu_us * q.gets) / 1e6 AS scan_cpu_s,
  nullif(concat_ws(
    '; ',
    CASE WHEN q.selector_opens > 0 AND (q.is_shared OR q.messages_skipped > 0) THEN 'selector scans' END,
    CASE WHEN q.specific_gets > 0 AND q.index_type = 'None' AND NOT q.is_shared AND q.skipped_per_get > 1 AND NOT coalesce(q.selector_opens > 0, false)
      THEN 'define INDXTYPE' END,
    CASE WHEN q.specific_gets > 0 AND q.index_type = 'None' AND q.is_shared AND NOT coalesce(q.selector_opens > 0, false)
      THEN 'define INDXTYPE (shared queue)' END,
    CASE WHEN q.index_type = 'GroupId' AND q.any_gets > 0 THEN 'group id as get-next' END,
    CASE WHEN q.skipped_per_get > 1 AND q.any_gets >= q.specific_gets AND NOT coalesce(q.selector_opens > 0, false) THEN 'skips without an id' END,
    CASE WHEN q.pages_skipped > q.gets THEN 'empty pages' END
  ), '') AS advice_text,
  c.counted_puts,
  c.accounted_puts,
  c.put_coverage_pct
FROM part AS q
LEFT JOIN accounting_missed AS c ON c.lpar = q.lpar AND c.qmgr = q.qmgr
