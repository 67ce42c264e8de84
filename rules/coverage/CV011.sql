/*---
id          = "CV011"
name        = "smf-lost-data-records-present"
title       = "The dump contains SMF type 7 records"
severity    = "critical"
weight      = "collection"
grain       = ["lpar_name"]
over        = "lpar"
needs       = ["coverage_system.lost_data_records"]
prints      = ["coverage_system.first_lost_local", "coverage_system.last_lost_local"]
judge       = "whole period"
worst       = "highest"
measure     = "record[s] of lost data"
when        = "observed > 0"
unit        = "count"
look        = ["D SMF", "D SMF,O"]

[source]
cite = "z/OS: SMF writes type 7 when it lost data; MP16, 'IBM MQ and zEnterprise Data Compression (zEDC) with SMF'"
kind = "judgement"

[advice]
summary = "SMF on {lpar_name} reports lost data in {observed} record[s], from {first_lost_local} to {last_lost_local}: totals of the period are too low."
remedy  = "Record to log streams instead of data sets (in IBM's measurement, twice the rate without loss, and 3.8 times more with compression), enlarge the SMF buffers, and run class 3 accounting for short periods only."
report  = "overview/data_quality"
---*/
SELECT
  'SMF of ' || lpar         AS subject,
  lpar                      AS lpar_name,
  lost_data_records         AS observed,
  first_lost_local, last_lost_local
FROM coverage_system
