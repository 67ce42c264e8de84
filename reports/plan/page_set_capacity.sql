/*---
id       = "plan/page_set_capacity"
title    = "Messages that fit in a page set"
question = "How many messages can this page set hold?"
subject  = "page_set"
needs    = ["page_set", "queue_statistics", "queue_use"]
profiles = ["short_messages"]
covers   = ["pages_per_message"]
holds    = "MQ 7.0.1 and later; page sets of the data from MQ 9.0 on."
source   = "MP16, 'Size of page sets for a given number of messages'"
result   = "messages_total"
note     = "Exact for messages of one size; with the average of different sizes it is an estimate. IBM counts 1,000,000 pages for 4 GB and 16,000,000 for 64 GB; here the pages are exact."

[parameter.message_bytes]
unit     = "bytes"
measured = "average of all puts to queues of the page set"
doc      = "Bytes of a message with all headers but the MQMD."
remedy   = "collect queue statistics (STATQ, class 5) or accounting class 3, or set message_bytes=2KiB"

[parameter.total_pages]
unit     = "pages"
measured = "pages in the last interval"
doc      = "Pages of the page set."
remedy   = "collect statistics class 2 with MQ 9.0 or later, or set total_pages=100000"
least    = 1

[parameter.unused_pages]
unit     = "pages"
measured = "unused pages at the end of the last interval"
doc      = "Pages that are not in use."
optional = true
remedy   = "collect statistics class 2 with MQ 9.0 or later, or set unused_pages=50000"

[parameter.short_together]
unit    = "flag"
doc     = "Whether short messages share a page (MAXSHORTMSGS 0)."
default = false
source  = "MP16, 'Size of page sets for a given number of messages'"

[parameter.largest_size]
unit    = "gib"
fact    = "page_set_max_gb"
doc     = "Largest size of the data set."
default = 64
source  = "MP16, 'Size of page sets for a given number of messages': 64 GB"
least   = 1

[step.pages_per_message]
unit    = "pages"
label   = "pages for each message"
formula = "1 up to 3,635 bytes, and 1 for each 4,048 bytes more"

[step.messages_per_page]
unit    = "count"
label   = "messages on a page"
formula = "1; with MAXSHORTMSGS 0 up to 8 by the size"

[step.smallest_message]
unit    = "bytes"
label   = "smallest message that takes so many pages"
formula = "3,635 + 4,048 * (pages - 2) + 1, or 0"

[step.largest_message]
unit    = "bytes"
label   = "largest message that takes so many pages"
formula = "3,635 + 4,048 * (pages - 1)"

[step.messages_total]
unit    = "count"
label   = "messages that fit"
formula = "pages * messages on a page / pages for each message, rounded down"

[step.messages_room]
unit    = "count"
label   = "messages that fit in addition"
formula = "unused pages in the same way"

[step.largest_pages]
unit    = "pages"
label   = "pages of the largest size"
formula = "262,144 for each GiB"

[step.messages_largest]
unit    = "count"
label   = "messages that fit in the largest size"
formula = "those pages in the same way"

[answer.full]
text = "The page set is full. Its {total_pages:,.0f} pages hold {messages_total} message[s] of {message_bytes:,.0f} bytes; in the largest size there would be room for {messages_largest}."

[answer.holds]
text = "The page set has room for {messages_total} message[s] of {message_bytes:,.0f} bytes, which take {pages_per_message:.0f} page[s] each<<, {messages_room} more than it has now>>. In the largest size there would be room for {messages_largest}."
---*/
WITH
counted AS (
  SELECT lpar, qmgr, page_set_id, sum(messages_put) AS messages, sum(put_bytes) AS bytes
  FROM queue_statistics
  WHERE page_set_id IS NOT NULL AND NOT coalesce(shared_queue, false)
  GROUP BY lpar, qmgr, page_set_id
),
accounted AS (
  SELECT lpar, qmgr, page_set_id, sum(valid_puts) AS messages, sum(put_bytes) AS bytes
  FROM queue_use
  WHERE page_set_id IS NOT NULL AND NOT coalesce(is_shared, false)
  GROUP BY lpar, qmgr, page_set_id
),
sized AS (
  SELECT lpar, qmgr, page_set_id, bytes / nullif(messages, 0) AS message_bytes FROM counted
  UNION ALL
  SELECT a.lpar, a.qmgr, a.page_set_id, a.bytes / nullif(a.messages, 0)
  FROM accounted AS a
  ANTI JOIN counted AS c ON c.lpar = a.lpar AND c.qmgr = a.qmgr AND c.page_set_id = a.page_set_id
)
SELECT
  p.lpar, p.qmgr, p.page_set_id AS subject,
  max(s.message_bytes)                          AS message_bytes,
  arg_max(p.total_pages, p.interval_start_utc)  AS total_pages,
  arg_max(p.unused_pages, p.interval_start_utc) AS unused_pages
FROM page_set AS p
LEFT JOIN sized AS s ON s.lpar = p.lpar AND s.qmgr = p.qmgr AND s.page_set_id = p.page_set_id
WHERE p.status = 'Available'
GROUP BY p.lpar, p.qmgr, p.page_set_id;

WITH packed AS (
  SELECT
    i.*,
    pages_per_message(i.message_bytes)                                            AS pages_per_message,
    CASE WHEN i.short_together AND s.per_page IS NOT NULL THEN s.per_page ELSE 1 END AS messages_per_page,
    i.largest_size * 262144                                                       AS largest_pages
  FROM plan_input AS i
  LEFT JOIN short_messages AS s ON i.message_bytes >= s.bytes_from AND i.message_bytes < s.bytes_to + 1
)
SELECT
  lpar, qmgr, subject, pages_per_message, messages_per_page,
  CASE WHEN pages_per_message = 1 THEN 0 ELSE 3635 + 4048 * (pages_per_message - 2) + 1 END AS smallest_message,
  3635 + 4048 * (pages_per_message - 1)                                     AS largest_message,
  floor(total_pages * messages_per_page / pages_per_message)::BIGINT        AS messages_total,
  floor(unused_pages * messages_per_page / pages_per_message)::BIGINT       AS messages_room,
  largest_pages,
  floor(largest_pages * messages_per_page / pages_per_message)::BIGINT      AS messages_largest,
  CASE
    WHEN pages_per_message IS NULL OR total_pages IS NULL OR largest_pages IS NULL THEN NULL
    WHEN unused_pages = 0 THEN 'full'
    ELSE 'holds'
  END                                                                       AS answer
FROM packed;
