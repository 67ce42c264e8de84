/*---
id       = "plan/dse_pageset_cost"
title    = "CPU time of an encrypted page set"
question = "What would encrypting this page set cost?"
subject  = "page_set"
needs    = ["page_set"]
holds    = "MQ 9.2 and later; measured on z14 and z15 with the cryptographic coprocessor."
source   = "MP16, 'Page set encryption'"
result   = "cpu_seconds"
note     = "Messages that are got from the buffer pool before a checkpoint cost nothing: a larger pool lowers this figure. MQ's records do not show the cost."

[parameter.hours]
unit     = "h"
measured = "length of the intervals with data of the page set"
doc      = "Time in which the pages were counted."
remedy   = "collect statistics class 1, or set hours=24h"

[parameter.pages_read]
unit     = "pages"
measured = "pages read from the page set"
doc      = "Pages read in that time."
remedy   = "collect statistics class 1, or set pages_read=100000"

[parameter.pages_immediate]
unit     = "pages"
measured = "pages of immediate writes"
doc      = "Pages written immediately in that time."
remedy   = "collect statistics class 1, or set pages_immediate=0"

[parameter.pages_deferred]
unit     = "pages"
measured = "pages of deferred writes, at checkpoints and otherwise"
doc      = "Pages written later in that time."
remedy   = "collect statistics class 1, or set pages_deferred=1000000"

[parameter.encrypted]
unit     = "flag"
measured = "whether the page set is an encrypted data set"
doc      = "Whether the page set is encrypted already."
optional = true

[parameter.read_cost]
unit    = "us"
doc     = "CPU time to decrypt a page that is read."
default = 0.7
source  = "MP16, 'Page set encryption'"

[parameter.immediate_cost]
unit    = "us"
doc     = "CPU time to encrypt a page that is written immediately."
default = 0.7
source  = "MP16, 'Page set encryption'"

[parameter.deferred_cost]
unit    = "us"
doc     = "CPU time to encrypt a page that is written later."
default = 2.6
source  = "MP16, 'Page set encryption': 41.6 µs for an I/O of 16 pages"

[step.read_us]
unit    = "us"
label   = "reads"
formula = "pages read * cost of a page read"

[step.immediate_us]
unit    = "us"
label   = "immediate writes"
formula = "pages of immediate writes * cost of such a page"

[step.deferred_seconds]
unit    = "s"
label   = "deferred writes"
formula = "pages of deferred writes * cost of such a page"

[step.cpu_seconds]
unit    = "s"
label   = "all"
formula = "reads + immediate writes + deferred writes"

[step.cpu_per_hour]
unit    = "s"
label   = "CPU per hour"
formula = "all / time"

[step.cpu_percent]
unit    = "percent"
label   = "share of one processor"
formula = "100 * CPU per hour / 3600"

[answer.idle]
text = "The page set was neither read nor written, so encryption costs nothing."

[answer.already]
text = "The page set is encrypted: that took about {cpu_seconds:,.3f} CPU seconds in {hours:,.1f} hours, {cpu_percent:,.3f} % of one processor, {deferred_seconds:,.3f} s of it in deferred writes."

[answer.cost]
text = "Encryption would have cost about {cpu_seconds:,.3f} CPU seconds in {hours:,.1f} hours, {cpu_percent:,.3f} % of one processor: {deferred_seconds:,.3f} s in deferred writes, {immediate_us:,.0f} µs in immediate writes and {read_us:,.0f} µs in reads."
---*/
SELECT
  lpar, qmgr, page_set_id AS subject,
  sum(interval_seconds) / 3600              AS hours,
  sum(read_pages)                           AS pages_read,
  sum(immediate_write_pages)                AS pages_immediate,
  sum(deferred_write_pages)                 AS pages_deferred,
  arg_max(encrypted, interval_start_utc)    AS encrypted
FROM page_set
GROUP BY lpar, qmgr, page_set_id;

WITH priced AS (
  SELECT
    *,
    pages_read * read_cost                  AS read_us,
    pages_immediate * immediate_cost        AS immediate_us,
    pages_deferred * deferred_cost / 1e6    AS deferred_seconds
  FROM plan_input
),
whole AS (
  SELECT *, (read_us + immediate_us) / 1e6 + deferred_seconds AS cpu_seconds
  FROM priced
)
SELECT
  lpar, qmgr, subject, read_us, immediate_us, deferred_seconds, cpu_seconds,
  cpu_seconds / nullif(hours, 0)            AS cpu_per_hour,
  pct(cpu_seconds, 3600 * hours)            AS cpu_percent,
  CASE
    WHEN cpu_seconds IS NULL OR cpu_percent IS NULL THEN NULL
    WHEN cpu_seconds = 0 THEN 'idle'
    WHEN encrypted THEN 'already'
    ELSE 'cost'
  END                                       AS answer
FROM whole;
