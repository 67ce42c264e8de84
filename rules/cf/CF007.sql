/*---
id          = "CF007"
name        = "cf-structure-percent-full"
title       = "Peak entries or elements near the structure's capacity"
severity    = "warning"
weight      = "outage"
grain       = ["lpar", "qmgr", "cf_structure"]
needs       = ["site_input.cf_entries_by_structure", "site_input.cf_elements_by_structure", "cf_structure.capacity_used_pct"]
prints      = ["cf_structure.qsg", "cf_structure.entries_high", "cf_structure.elements_high", "cf_structure.cf_entries", "cf_structure.cf_elements"]
judge       = "any interval"
worst       = "highest"
culprits    = ["bytes kept", "bytes held", "bytes put minus got"]
caused_by   = ["QU005", "QU006", "QU004", "QU022"]
measure     = "entries or elements in use"
when        = "observed > capacity_used_pct_max"
silenced_by = ["CF001"]
default_on  = false                       # on as soon as the site file gives the capacity
look        = ["DISPLAY CFSTATUS({cf_structure}) TYPE(SUMMARY)", "D XCF,STR,STRNAME={qsg}{cf_structure}"]
do          = ["If D XCF shows an ACTUAL SIZE below POLICY SIZE: SETXCF START,ALTER,STRNAME={qsg}{cf_structure},SIZE=n, n in KB, up to that. Otherwise raise SIZE in the CFRM policy, activate it and rebuild the structure."]
raises      = ["SIZE of the structure"]
plans       = ["cf_elements", "cf_offload_capacity", "cf_structure_capacity", "cf_structure_size"]

[threshold.capacity_used_pct_max]
value = 80.0
unit  = "percent"
kind  = "documented"
why   = "at this point, messages above 4 KB are offloaded at CFLEVEL(5), and it is the default FULLTHRESHOLD"
cite  = "MP16, 'Sizing structures at CFLEVEL(5)'"

[source]
cite = "MP16, 'Sizing structures at CFLEVEL(5)' and 'Use of system initiated alter processing'; Z17, 'CFCC level 26 and MQ for z/OS structures'; a monitor ships an alert above 85 %"

[advice]
summary = "Structure {cf_structure} was {observed:.1f} % full (limit {capacity_used_pct_max} %): at most {entries_high} of {cf_entries} entr[ies|y] and {elements_high} of {cf_elements} element[s] were in use. At 100 % of either, puts fail with reason code 2192."
remedy  = "Enlarge the structure, let the system alter it (ALLOWAUTOALT(YES)), and check whether its shared message data set has space. The system changes the capacity when it alters the ratio: refresh cf_entries and cf_elements in the site file. From CFCC level 25 on, a structure needs 8 MB more for the same number of messages."
report  = "cf/structures"
---*/
SELECT
  c.lpar, c.qmgr, c.cf_structure, c.interval_start_utc, c.interval_seconds, c.record_id, c.qsg,
  'structure ' || c.cf_structure AS subject,
  c.capacity_used_pct            AS observed,
  c.entries_high, c.elements_high, c.cf_entries, c.cf_elements
FROM cf_structure AS c
JOIN site_input AS s ON s.lpar = c.lpar AND s.qmgr = c.qmgr
WHERE c.group_member AND NOT c.admin_structure
  AND s.cf_entries_by_structure[c.cf_structure] > 0 AND s.cf_elements_by_structure[c.cf_structure] > 0
