/*---
id          = "DQ017"
name        = "counter-impossible"
title       = "A counter is higher than MQ can count"
severity    = "warning"
weight      = "collection"
grain       = ["lpar", "qmgr", "counter_group"]
needs       = ["quality_rate.highest_per_s"]
prints      = ["quality_rate.highest_counter"]
judge       = "whole period"
worst       = "highest"
measure     = "highest rate of a counter"
when        = "observed > per_s_max"
look        = ["mqstat report --report overview/data_quality --qmgr {qmgr}"]

[threshold.per_s_max]
value = 1000000
unit  = "per_s"
kind  = "judgement"
margin_pct = 0
why   = "no queue manager counts a million calls, log writes or page requests a second; damaged bytes do"

[source]
cite = "Our own rule: a figure that cannot be true is named"

[advice]
summary = "A counter of {counter_group} is {highest_counter:,.0f} in one record, {observed:,.0f} a second (limit {per_s_max:,.0f}): its bytes are damaged, and sums with it are wrong."
remedy  = "Transfer the dump again in binary mode, and compare the record with mqstat trace. If the record is as MQ wrote it, report the field."
report  = "overview/data_quality"
---*/
SELECT
  lpar, qmgr, counter_group, record_id,
  counter_group || ' counters' AS subject,
  highest_per_s                AS observed,
  highest_counter
FROM quality_rate
