/*---
id       = "plan/page_set_sizing"
title    = "Page set size for an outage"
question = "How large must the page set be to keep all messages while their consumer is stopped?"
subject  = "page_set"
needs    = ["page_set", "queue_statistics", "queue_use"]
holds    = "MQ 9.0 and later (page set statistics); put rates from queue statistics (9.3.3 and later), or else from accounting class 3."
source   = "MP16, 'Size of page sets for a given number of messages' and 'Application structures' (the same method for structures)"
result   = "pages_needed"
note     = "All queues of the page set together, and nothing is got during the outage. Puts of tasks without accounting are missing if there are no queue statistics. Each expansion delays puts by some milliseconds, so a size with which the page set need not expand is the aim."

[coverage]
least = 0.25
unit  = "h"
why   = "the busiest hour of a shorter time is not reliable"

[parameter.put_pages]
unit     = "per_h"
measured = "pages that the messages put in the busiest hour take"
doc      = "Pages of 4 KiB that the puts to all queues of the page set take per hour."
remedy   = "collect queue statistics (STATQ, class 5) or accounting class 3, or set put_pages=36000/h"

[parameter.used_pages]
unit     = "pages"
measured = "pages in use at the end of the last interval"
doc      = "Pages in use when the outage begins."
remedy   = "collect statistics class 2 with MQ 9.0 or later, or set used_pages=5000"

[parameter.total_pages]
unit     = "pages"
measured = "pages in the last interval"
doc      = "Pages of the page set now."
optional = true
remedy   = "collect statistics class 2 with MQ 9.0 or later, or set total_pages=100000"

[parameter.may_expand]
unit     = "flag"
measured = "expansion method in the last interval"
doc      = "Whether the page set may expand."
optional = true

[parameter.outage]
unit    = "h"
doc     = "Hours without a consumer that the page set must survive."
default = 8
source  = "our assumption: a night; MP16, 'Application structures', asks for the longest outage that must be survived"

[parameter.growth]
unit    = "ratio"
doc     = "Factor for more messages than in the data."
default = 1
source  = "our assumption: the same load; MP16, 'Application structures': the average put rate"

[parameter.filled]
unit    = "percent"
doc     = "Share of the pages that may be in use before the page set expands."
default = 90
source  = "MP16, 'Size of page sets for a given number of messages': expansion starts above 90 %"
most    = 100

[step.outage_pages]
unit    = "pages"
label   = "pages put in the outage"
formula = "pages per hour * hours * factor"

[step.pages_needed]
unit    = "pages"
label   = "pages needed"
formula = "(pages in use + pages put in the outage) / share that may be in use, rounded up"

[step.gib_needed]
unit    = "gib"
label   = "size needed"
formula = "pages needed * 4 KiB"

[step.hours_to_expansion]
unit    = "h"
label   = "the present size lasts until it expands"
formula = "(share that may be in use * pages - pages in use) / (pages per hour * factor)"

[step.hours_to_full]
unit    = "h"
label   = "the present size lasts until it is full"
formula = "(pages - pages in use) / (pages per hour * factor)"

[answer.too_large]
text = "{pages_needed} pages ({gib_needed:,.1f} GiB) would be needed for {outage:,.1f} hours, but a page set has at most 64 GiB: spread the queues over several page sets, or plan for a shorter outage<<; the present size is full after {hours_to_full:,.1f} hours>>."
do   = ["Move queues to storage classes with other page sets."]

[answer.idle]
text = "No message was put to a queue of this page set in the data, so an outage of its consumer does not fill it."

[answer.needed]
text = "{pages_needed} pages ({gib_needed:,.1f} GiB) hold the messages of {outage:,.1f} hours without a consumer."

[answer.enough]
text = "The page set survives {outage:,.1f} hours without a consumer: {pages_needed} pages are needed, it has {total_pages:,.0f}. It would begin to expand after {hours_to_expansion:,.1f} hours."

[answer.expands]
text = "The page set has {total_pages:,.0f} pages and would expand after {hours_to_expansion:,.1f} hours without a consumer; {pages_needed} pages ({gib_needed:,.1f} GiB) are needed for {outage:,.1f} hours. It survives only if the volumes have room."
do   = ["Allocate the page set with {pages_needed} pages, or make sure that its volumes have room for {gib_needed:,.1f} GiB."]

[answer.full]
text = "The page set has {total_pages:,.0f} pages, may not expand, and would be full after {hours_to_full:,.1f} hours without a consumer; {pages_needed} pages ({gib_needed:,.1f} GiB) are needed for {outage:,.1f} hours."
do   = ["ALTER PSID({subject}) EXPAND(SYSTEM)", "Allocate the page set with {pages_needed} pages."]
---*/
WITH
counted AS (
  SELECT
    lpar, qmgr, page_set_id, date_trunc('hour', interval_start_utc) AS hour_utc, min(interval_start_local) AS at_local, interval_start_utc,
    max(interval_seconds)                                          AS seconds,
    sum(CASE WHEN messages_put > 0 THEN messages_put * pages_per_message(put_bytes / messages_put) ELSE 0 END) AS pages
  FROM queue_statistics
  WHERE page_set_id IS NOT NULL AND NOT coalesce(shared_queue, false)
  GROUP BY lpar, qmgr, page_set_id, interval_start_utc
),
counted_hour AS (
  SELECT lpar, qmgr, page_set_id, min(at_local) AS at_local, per_s(sum(pages), sum(seconds)) * 3600 AS pages_per_h
  FROM counted
  GROUP BY lpar, qmgr, page_set_id, hour_utc
),
-- Accounting records overlap: an hour of them has at most 3600 seconds.
accounted_span AS (
  SELECT
    lpar, qmgr, date_trunc('hour', interval_end_utc) AS hour_utc, min(interval_start_local) AS at_local,
    least(3600, epoch(max(interval_end_utc)) - epoch(min(interval_start_utc))) AS seconds
  FROM queue_use
  GROUP BY lpar, qmgr, date_trunc('hour', interval_end_utc)
),
accounted AS (
  SELECT
    lpar, qmgr, page_set_id, date_trunc('hour', interval_end_utc) AS hour_utc,
    sum(CASE WHEN valid_puts > 0 THEN valid_puts * pages_per_message(put_bytes / valid_puts) ELSE 0 END) AS pages
  FROM queue_use
  WHERE page_set_id IS NOT NULL AND NOT coalesce(is_shared, false)
  GROUP BY lpar, qmgr, page_set_id, date_trunc('hour', interval_end_utc)
),
accounted_hour AS (
  SELECT a.lpar, a.qmgr, a.page_set_id, s.at_local, per_s(a.pages, s.seconds) * 3600 AS pages_per_h
  FROM accounted AS a
  JOIN accounted_span AS s ON s.lpar = a.lpar AND s.qmgr = a.qmgr AND s.hour_utc = a.hour_utc
  WHERE s.seconds >= 10
),
busiest AS (
  SELECT lpar, qmgr, page_set_id, max(pages_per_h) AS put_pages, at_peak(at_local, pages_per_h, at_local) AS put_pages_at
  FROM (
    SELECT * FROM counted_hour
    UNION ALL
    SELECT a.* FROM accounted_hour AS a ANTI JOIN counted_hour AS c ON c.lpar = a.lpar AND c.qmgr = a.qmgr
  )
  GROUP BY lpar, qmgr, page_set_id
),
-- Where puts are recorded for some page set of the queue manager, a page set without any was idle.
recorded AS (
  SELECT DISTINCT lpar, qmgr FROM busiest
)
SELECT
  p.lpar, p.qmgr, p.page_set_id AS subject,
  sum(p.interval_seconds) / 3600                                   AS covered,
  CASE WHEN r.lpar IS NOT NULL THEN coalesce(max(b.put_pages), 0) END AS put_pages,
  max(b.put_pages_at)                                              AS put_pages_at,
  arg_max(p.used_pages, p.interval_start_utc)                      AS used_pages,
  arg_max(p.total_pages, p.interval_start_utc)                     AS total_pages,
  arg_max(p.expansion_allowed, p.interval_start_utc)               AS may_expand
FROM page_set AS p
LEFT JOIN recorded AS r ON r.lpar = p.lpar AND r.qmgr = p.qmgr
LEFT JOIN busiest AS b ON b.lpar = p.lpar AND b.qmgr = p.qmgr AND b.page_set_id = p.page_set_id
WHERE p.status = 'Available'
GROUP BY p.lpar, p.qmgr, p.page_set_id, r.lpar;

WITH put AS (
  SELECT *, put_pages * growth AS pages_per_h, put_pages * outage * growth AS outage_pages
  FROM plan_input
),
sized AS (
  SELECT
    *,
    ceil(round((used_pages + outage_pages) / nullif(filled / 100, 0), 6))::BIGINT AS pages_needed,
    greatest(0, filled / 100 * total_pages - used_pages) / nullif(pages_per_h, 0) AS hours_to_expansion,
    (total_pages - used_pages) / nullif(pages_per_h, 0)                           AS hours_to_full
  FROM put
)
SELECT
  lpar, qmgr, subject, outage_pages, pages_needed, pages_needed * 4096 / 1073741824 AS gib_needed,
  CASE WHEN total_pages IS NOT NULL AND used_pages IS NOT NULL THEN hours_to_expansion END AS hours_to_expansion, hours_to_full,
  CASE
    WHEN pages_needed IS NULL THEN NULL
    WHEN put_pages = 0 THEN 'idle'
    WHEN pages_needed > 16777216 THEN 'too_large'
    WHEN total_pages >= pages_needed THEN 'enough'
    WHEN total_pages IS NULL OR may_expand IS NULL THEN 'needed'
    WHEN may_expand THEN 'expands'
    ELSE 'full'
  END AS answer
FROM sized;
