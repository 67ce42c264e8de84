/*---
id       = "plan/get_skip_cost"
title    = "Cost of skipped messages"
question = "What do scans of this queue cost?"
subject  = "queue"
needs    = ["queue_total"]
holds    = "Private queues, accounting class 3; shared queues have no count of skips."
source   = "MP16, 'Impact of skip on MQGET cost' and 'How do I know if I am using a good message selector?'"
result   = "scan_cpu_s"
note     = "IBM measured 0.2 to 0.49 µs for each skip."

[parameter.gets]
unit     = "count"
measured = "gets in the accounting records"
doc      = "Gets from the queue."
remedy   = "collect accounting class 3, or set gets=541"

[parameter.get_cpu]
unit     = "us"
measured = "average of all gets"
doc      = "CPU of a get."
remedy   = "collect accounting class 3, or set get_cpu=500us"

[parameter.skipped]
unit     = "count"
measured = "messages skipped in the accounting records"
doc      = "Messages skipped."
remedy   = "collect accounting class 3, or set skipped=2500"

[parameter.plain_cpu]
unit    = "us"
doc     = "CPU of a get that skips nothing."
default = 10
others  = [20]
source  = "MP16, 'Impact of skip on MQGET cost': a get of 20 µs"

[parameter.uncommitted]
unit     = "count"
doc      = "Uncommitted messages that a failing get would look at."
optional = true
remedy   = "take UNCOM of DISPLAY QSTATUS, or set uncommitted=100000"

[parameter.probe_cpu]
unit    = "us"
doc     = "CPU to look at an uncommitted message."
default = 1
source  = "MP16, 'Large Units of Work'"

[step.skips_per_get]
unit    = "count"
label   = "messages skipped for each get"
formula = "messages skipped / gets"

[step.us_per_skip]
unit    = "us"
label   = "CPU for each skip"
formula = "CPU of all gets / messages skipped"

[step.max_gets_per_s]
unit    = "per_s"
label   = "gets that one task can do"
formula = "1,000,000 / CPU of a get"

[step.scan_cpu_s]
unit    = "s"
label   = "CPU of the scans"
formula = "gets * (CPU of a get - of one that skips nothing); 0 without skips"

[step.probe_cpu_ms]
unit    = "ms"
label   = "CPU of a get that fails over the uncommitted messages"
formula = "messages * CPU for each"

[answer.no_skips]
text = "No get of this queue skipped a message; a get takes {get_cpu:,.1f} µs of CPU<<, and one that fails over {uncommitted:,.0f} uncommitted messages {probe_cpu_ms:,.1f} ms>>."

[answer.cheap]
text = "Gets skip {skips_per_get:,.1f} message[s] each, but at {get_cpu:,.1f} µs of CPU they cost no more than a get without skips."

[answer.costs]
text = "Gets skip {skips_per_get:,.1f} message[s] each and take {get_cpu:,.1f} µs of CPU: the scans cost {scan_cpu_s:,.2f} s of CPU in the data, and one task can do at most {max_gets_per_s:,.0f} gets a second."
do   = ["Define INDXTYPE for gets by an identifier, and keep fewer messages on queues that are read with selectors."]
---*/
SELECT
  lpar, qmgr, base_name AS subject, gets, get_cpu_us / nullif(gets, 0) AS get_cpu, messages_skipped AS skipped
FROM queue_total
WHERE gets > 0 AND NOT is_shared AND base_name IS NOT NULL
-- Of a queue manager without any skips its busiest queue answers.
QUALIFY messages_skipped > 0 OR row_number() OVER (PARTITION BY lpar, qmgr ORDER BY messages_skipped DESC, gets DESC, base_name) = 1;

SELECT
  lpar, qmgr, subject, skipped / nullif(gets, 0) AS skips_per_get, gets * get_cpu / nullif(skipped, 0) AS us_per_skip, 1e6 / nullif(get_cpu, 0) AS max_gets_per_s,
  CASE WHEN skipped = 0 OR get_cpu <= plain_cpu THEN 0 ELSE gets * (get_cpu - plain_cpu) / 1e6 END AS scan_cpu_s, uncommitted * probe_cpu / 1000 AS probe_cpu_ms,
  CASE
    WHEN skipped / nullif(gets, 0) * get_cpu * plain_cpu IS NULL THEN NULL
    WHEN skipped = 0 THEN 'no_skips'
    WHEN get_cpu <= plain_cpu THEN 'cheap'
    ELSE 'costs'
  END AS answer
FROM plan_input;
