/*---
id          = "CF011"
name        = "cf-requests-mostly-asynchronous"
title       = "Most CF requests of applications run asynchronously"
severity    = "info"
weight      = "delay"
grain       = ["lpar", "qmgr", "cf_structure"]
needs       = ["cf_structure_async.structure_async_pct"]
prints      = ["cf_structure_async.structure_requests", "cf_structure_async.structure_async_us", "cf_structure_async.structure_sync_us"]
judge       = "whole period"
worst       = "highest"
victims     = ["CF time"]
measure     = "share of CF requests that ran asynchronously"
when        = "observed > async_pct_max"
min_activity = "structure_requests >= $requests_min"
look        = ["DISPLAY CFSTATUS({cf_structure}) TYPE(SUMMARY)", "D CF"]
plans       = ["cf_cpu_load"]

[threshold.async_pct_max]
value = 50.0
unit  = "percent"
kind  = "judgement"
why   = "in IBM's test most requests were synchronous even on a coupling facility that was 70 % busy"

[threshold.requests_min]
value = 10000
unit  = "count"
kind  = "judgement"
why   = "a share of fewer requests is not reliable"

[source]
cite = "MP16, 'CF link type and shared queue performance', 'What is the impact of having insufficient CPU in the Coupling Facility?' and the CF statistics of MQGET"

[advice]
summary = "{observed:.1f} % of {structure_requests} CF request[s] for structure {cf_structure} ran asynchronously (limit {async_pct_max} %), {structure_async_us:.0f} µs each on average. z/OS makes requests asynchronous when it considers the coupling facility slow."
remedy  = "Check synchronous and asynchronous requests, coupling facility processors, link types and distance in RMF. Updates of duplexed structures are always asynchronous: name such structures under duplexed_structures in the site file."
report  = "cf/verb_cost"
---*/
SELECT
  lpar, qmgr, cf_structure,
  'structure ' || cf_structure AS subject,
  structure_async_pct          AS observed,
  structure_requests, structure_async_us, structure_sync_us
FROM cf_structure_async
WHERE NOT duplexed
