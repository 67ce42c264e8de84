/*---
id       = "plan/page_set_days_to_full"
title    = "Days until a page set is full"
question = "When will the page set be full?"
subject  = "page_set"
needs    = ["headroom", "page_set_growth"]
holds    = "MQ 9.0 and later (page set statistics)."
source   = "The method is ours: median growth over all pairs of complete days (Theil and Sen). MP16, 'Size of page sets for a given number of messages', for the expansion threshold"
result   = "days_left"
note     = "Counted from the end of the data. A trend does not show seasons, such as the end of a quarter, and a page set that may expand grows before it is full. The range is that of the growth: 90 % of the pairs of days are inside."

[coverage]
least = 14
unit  = "days"
why   = "a trend needs at least two weeks of complete days"

[parameter.used_pages]
unit     = "pages"
measured = "maximum of the last complete day, or the last interval if more"
doc      = "Pages in use at the end of the data."
remedy   = "collect statistics class 2 with MQ 9.0 or later, or set used_pages=5000"

[parameter.total_pages]
unit     = "pages"
measured = "pages in the last interval"
doc      = "Pages of the page set."
remedy   = "collect statistics class 2 with MQ 9.0 or later, or set total_pages=100000"

[parameter.growth]
unit     = "pages"
measured = "median growth of the daily maximum per day"
doc      = "Pages more in use each day."
remedy   = "collect statistics class 2 for 14 complete days, or set growth=500"
least    = -16777216

[parameter.growth_low]
unit     = "pages"
measured = "growth that 95 % of the pairs of days exceed"
doc      = "Low end of the growth per day."
optional = true
least    = -16777216

[parameter.growth_high]
unit     = "pages"
measured = "growth that 5 % of the pairs of days exceed"
doc      = "High end of the growth per day."
optional = true
least    = -16777216

[parameter.largest_pages]
unit     = "pages"
measured = "page_set_max_gb of the site file, or 64 GiB"
doc      = "Pages that the data set can have after expansion."
default  = 16777216
source   = "MP16, 'Size of page sets for a given number of messages': 64 GB"

[parameter.may_expand]
unit     = "flag"
measured = "expansion method in the last interval"
doc      = "Whether the page set may expand."
optional = true

[parameter.filled]
unit    = "percent"
doc     = "Share of the pages that may be in use."
default = 90
source  = "MP16, 'Size of page sets for a given number of messages': expansion starts above 90 %"
most    = 100

[step.days_left]
unit    = "days"
label   = "days left"
formula = "(share that may be in use * pages - pages in use) / growth per day"

[step.days_left_soonest]
unit    = "days"
label   = "days left at the high end of the growth"
formula = "the same with the high growth"

[step.days_left_latest]
unit    = "days"
label   = "days left at the low end of the growth"
formula = "the same with the low growth, if that is growth"

[step.days_to_full]
unit    = "days"
label   = "days until all pages are in use"
formula = "(pages - pages in use) / growth per day"

[step.days_to_largest]
unit    = "days"
label   = "days until the largest size is full"
formula = "(pages of the largest size - pages in use) / growth per day"

[answer.now]
text = "{used_pages:,.0f} of {total_pages:,.0f} pages are in use, {filled:,.0f} % or more already<<; at the median growth of {growth:,.0f} pages a day all are in use in {days_to_full:,.1f} days>>."
do   = ["DISPLAY USAGE PSID({subject}) TYPE(PAGESET)"]

[answer.no_growth]
text = "The page set does not fill: the median growth of its daily maximum is {growth:,.0f} pages. {used_pages:,.0f} of {total_pages:,.0f} pages are in use."

[answer.not_steady]
text = "The growth is not steady: at its median of {growth:,.0f} pages a day {filled:,.0f} % would be in use in {days_left:,.1f} days, but some pairs of days show no growth. {used_pages:,.0f} of {total_pages:,.0f} pages are in use. Give it no date; look again with more days."

[answer.expands]
text = "{filled:,.0f} % of the pages are in use in {days_left:,.1f} days<< (at the earliest {days_left_soonest:,.1f}>><<, at the latest {days_left_latest:,.1f})>>, and then the page set begins to expand. Its largest size is full in {days_to_largest:,.0f} days. {used_pages:,.0f} of {total_pages:,.0f} pages are in use, {growth:,.0f} more each day."
do   = ["DISPLAY USAGE PSID({subject}) TYPE(PAGESET)", "Find the queue that grows; make sure that the volumes have room for the expansion."]

[answer.fills]
text = "{filled:,.0f} % of the pages are in use in {days_left:,.1f} days<< (at the earliest {days_left_soonest:,.1f}>><<, at the latest {days_left_latest:,.1f})>>, and all in {days_to_full:,.1f} days. {used_pages:,.0f} of {total_pages:,.0f} pages are in use, {growth:,.0f} more each day."
do   = ["DISPLAY USAGE PSID({subject}) TYPE(PAGESET)", "Find the queue that grows, and allow the page set to expand or enlarge it before that day."]
---*/
SELECT
  g.lpar, g.qmgr, g.page_set_id AS subject,
  -- A median over fewer days than the view asks for is not a trend.
  h.data_days                   AS covered,
  g.used_pages_high             AS used_pages,
  g.total_pages_now             AS total_pages,
  h.growth_per_day              AS growth,
  h.growth_per_day_low          AS growth_low,
  h.growth_per_day_high         AS growth_high,
  g.largest_pages,
  g.expansion_allowed           AS may_expand
FROM page_set_growth AS g
LEFT JOIN headroom AS h
  ON h.lpar = g.lpar AND h.qmgr = g.qmgr AND h.limit_number = 1 AND h.limit_subject = 'page set ' || g.page_set_id;

WITH room AS (
  SELECT *, filled / 100 * total_pages - used_pages AS pages_to_share
  FROM plan_input
),
left_over AS (
  SELECT *, CASE WHEN pages_to_share < 0 THEN 0 ELSE pages_to_share END AS pages_left
  FROM room
),
dated AS (
  SELECT
    *,
    CASE WHEN growth > 0 THEN pages_left / growth END                    AS days_left,
    CASE WHEN growth_high > 0 THEN pages_left / growth_high END          AS days_left_soonest,
    CASE WHEN growth_low > 0 THEN pages_left / growth_low END            AS days_left_latest,
    CASE WHEN growth > 0 THEN (total_pages - used_pages) / growth END    AS days_to_full,
    CASE WHEN growth > 0 THEN (largest_pages - used_pages) / growth END  AS days_to_largest
  FROM left_over
)
SELECT
  lpar, qmgr, subject, days_left, days_left_soonest, days_left_latest, days_to_full, days_to_largest,
  CASE
    WHEN pages_left IS NULL OR growth IS NULL THEN NULL
    WHEN pages_left = 0 THEN 'now'
    WHEN growth <= 0 THEN 'no_growth'
    WHEN growth_low <= 0 THEN 'not_steady'
    WHEN may_expand THEN 'expands'
    ELSE 'fills'
  END AS answer
FROM dated;
