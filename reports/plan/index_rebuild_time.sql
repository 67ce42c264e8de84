/*---
id       = "plan/index_rebuild_time"
title    = "Indexes at a restart"
question = "How long do indexed queues delay a start?"
subject  = "qmgr"
needs    = ["queue_depth"]
holds    = "Private indexed queues with persistent messages; measured with MQ 9.3 on z16 without zHPF. With QINDXBLD(NOWAIT) the start itself does not wait."
source   = "MP16, 'Private indexed queue rebuild at restart' and 'How long will it take to restart a queue manager with deep indexed local queues?'"
result   = "elapsed_seconds"
note     = "The first page of each message is read, up to ten queues at a time: the deepest queue, or a tenth of all messages, sets the time. Eight short messages share a page only with MAXSHORTMSGS 0. Queues that no task used in the data have an unknown index and are not counted."

[parameter.messages]
unit     = "count"
measured = "last depth of the private queues with an index that was seen in accounting"
doc      = "Messages on all private indexed queues that are persistent."
remedy   = "collect queue statistics and accounting class 3, or set messages=1000000"

[parameter.deepest]
unit     = "count"
measured = "the deepest of them"
doc      = "Messages on the deepest of these queues."
remedy   = "collect queue statistics and accounting class 3, or set deepest=500000"

[parameter.messages_per_page]
unit    = "count"
doc     = "Messages on each page: 8 if they are short and MAXSHORTMSGS is 0, otherwise 1."
default = 8
others  = [1]
source  = "MP16, 'The effect of a single deep indexed queue upon Queue Manager restart'"
least   = 1
most    = 8

[parameter.page_read]
unit    = "us"
fact    = "page_read_us"
doc     = "Time to read one page."
default = 147
others  = [31.25, 140]
source  = "MP16, 'The effect of a single deep indexed queue upon Queue Manager restart': 147 s for a million pages; 250 s for 8 million messages in 'Indexed queue considerations'"

[parameter.parallel]
unit    = "count"
doc     = "Queues whose index is built at the same time."
default = 10
source  = "MP16, 'Private indexed queue rebuild at restart'"
least   = 1

[parameter.zhpf]
unit    = "flag"
doc     = "Whether the DASD uses zHPF."
default = false
source  = "MP16, 'CPU Time to restart Deep Indexed Queues': measured without; with it up to a third less"

[parameter.cpu_cost]
unit    = "us"
doc     = "CPU time for each message."
default = 1.8125
source  = "MP16, 'The effect of a single deep indexed queue upon Queue Manager restart': 14.5 s for 8 million"

[step.us_per_message]
unit    = "us"
label   = "time of a message"
formula = "time of a page read / messages per page, a third less with zHPF"

[step.messages_per_second]
unit    = "per_s"
label   = "messages per second, one queue"
formula = "1,000,000 / time of a message"

[step.elapsed_seconds]
unit    = "s"
label   = "elapsed time"
formula = "the larger of the deepest queue and all messages / queues at the same time, * time of a message"

[step.cpu_seconds]
unit    = "s"
label   = "CPU time"
formula = "messages * CPU time of each"

[step.cpu_percent]
unit    = "percent"
label   = "share of one processor while it lasts"
formula = "100 * CPU time / elapsed time"

[answer.nothing]
text = "No private queue with an index in accounting held persistent messages at the end of the data, so indexes would not delay a start."

[answer.time]
text = "Building the indexes of {messages:,.0f} messages again would take about {elapsed_seconds:,.1f} s and {cpu_seconds:,.1f} s of CPU; the deepest queue has {deepest:,.0f}. The start waits for it unless QINDXBLD is NOWAIT."

[answer.long]
text = "Building the indexes of {messages:,.0f} messages again would take about {elapsed_seconds:,.0f} s ({cpu_seconds:,.1f} s of CPU), and the start waits for it; the deepest queue has {deepest:,.0f}."
do   = ["Set QINDXBLD=NOWAIT in CSQ6SYSP, so that other applications can start, or keep these queues short."]
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  -- Accounting shows the index of the queues that tasks used: without any, nothing is known.
  CASE WHEN count(index_type) > 0 THEN coalesce(sum(restart_index_messages), 0) END AS messages,
  CASE WHEN count(index_type) > 0 THEN coalesce(max(restart_index_messages), 0) END AS deepest
FROM queue_depth
GROUP BY lpar, qmgr;

WITH read AS (
  SELECT *, page_read / nullif(messages_per_page, 0) * if(zhpf, 0.67, 1)            AS us_per_message
  FROM plan_input
),
timed AS (
  SELECT
    *,
    if(deepest > messages / parallel, deepest, messages / parallel) * us_per_message / 1e6 AS elapsed_seconds,
    messages * cpu_cost / 1e6                                                       AS cpu_seconds
  FROM read
)
SELECT
  lpar, qmgr, subject, us_per_message,
  1e6 / nullif(us_per_message, 0)                                                   AS messages_per_second,
  elapsed_seconds, cpu_seconds, pct(cpu_seconds, elapsed_seconds)                   AS cpu_percent,
  CASE
    WHEN elapsed_seconds IS NULL OR cpu_seconds IS NULL OR deepest IS NULL THEN NULL
    WHEN messages = 0 THEN 'nothing'
    WHEN elapsed_seconds > 60 THEN 'long'
    ELSE 'time'
  END                                                                               AS answer
FROM timed;
