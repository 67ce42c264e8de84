/*---
id       = "plan/chinit_dispatchers"
title    = "Dispatcher tasks and the spread of channels"
question = "How are channels spread over the dispatchers, and how many dispatchers and OMVS threads are needed?"
subject  = "qmgr"
needs    = ["channel_initiator"]
covers   = ["chinit_omvs_threads"]
holds    = "MQ 8.0 and later."
source   = "MP16, 'CHIDISPS and MAXCHL' and 'Checking the OMVS Environment'"
result   = "dispatchers_to_set"
note     = "A channel stays with its dispatcher until it stops. As few dispatchers as are not at capacity are best; where AMS intercepts messages, two to four."


[parameter.dispatchers]
unit     = "count"
measured = "dispatcher tasks in the last interval"
fact     = "chidisps"
doc      = "Dispatcher tasks now (CHIDISPS)."
remedy   = "collect statistics class 4, or give DISPLAY CHINIT to mqstat site init, or set dispatchers=5"
least    = 1

[parameter.maxchl]
unit     = "count"
measured = "MAXCHL in the last interval"
fact     = "maxchl"
doc      = "Most channels that the queue manager allows (MAXCHL)."
remedy   = "collect statistics class 4, or give DISPLAY CHINIT to mqstat site init, or set maxchl=200"
least    = 1
most     = 9999

[parameter.channels]
unit     = "count"
measured = "most current channels in an interval"
doc      = "Channels that run."
remedy   = "collect statistics class 4, or set channels=150"

[parameter.busiest]
unit     = "percent"
measured = "busy share of the busiest dispatcher in the busiest interval"
doc      = "Busy share of the busiest dispatcher."
optional = true

[parameter.ssl_tasks]
unit     = "count"
measured = "TLS tasks in the last interval"
fact     = "ssltasks"
doc      = "TLS tasks (SSLTASKS)."
default  = 0
source   = "MP16, 'Checking the OMVS Environment': the example counts no TLS tasks"

[parameter.initiators]
unit    = "count"
doc     = "Channel initiators that run under one z/OS user ID."
default = 1
source  = "MP16, 'Checking the OMVS Environment': the example counts each channel initiator"
least   = 1

[parameter.many_channels]
unit    = "count"
doc     = "Channels above which 20 dispatchers are advised."
default = 1000
source  = "MP16, 'CHIDISPS and MAXCHL'"

[parameter.channels_each]
unit    = "count"
doc     = "Channels for each dispatcher, up to 20 dispatchers."
limit   = "CH007.channels_per_dispatcher_max"
least   = 1

[step.group_size]
unit    = "count"
label   = "channels that start on a dispatcher before the next is used"
formula = "MAXCHL / dispatchers, at most 10"

[step.dispatchers_used]
unit    = "count"
label   = "dispatchers that have channels"
formula = "channels / that group, rounded up, at most all"

[step.channels_each_full]
unit    = "number"
label   = "channels for each dispatcher at MAXCHL"
formula = "MAXCHL / dispatchers"

[step.dispatchers_to_set]
unit    = "count"
label   = "dispatchers to have"
formula = "one for 50 channels, at most 20; 20 above 1,000 channels; never fewer than now"

[step.threads]
unit    = "count"
label   = "OMVS threads"
formula = "channel initiators * (3 + dispatchers + TLS tasks)"

[step.threads_then]
unit    = "count"
label   = "OMVS threads with the dispatchers to have"
formula = "channel initiators * (3 + dispatchers to have + TLS tasks)"

[answer.more]
text = "With {channels:,.0f} channels {dispatchers_to_set} dispatchers are advised; there are {dispatchers:.0f}<<, and the busiest was {busiest:,.0f} % busy>>. MAXPROCUSER and MAXPROCSYS then have to allow {threads_then} threads instead of {threads}."
do   = ["ALTER QMGR CHIDISPS({dispatchers_to_set})", "Restart the channel initiator to use it; that ends all its channels. Check D OMVS,LIMITS before."]

[answer.uneven]
text = "Only {dispatchers_used} of {dispatchers:.0f} dispatchers have channels: {channels:,.0f} channels start in groups of {group_size}<<, and the busiest was {busiest:,.0f} % busy>>. Set MAXCHL near the channels that really run, so that they spread."

[answer.enough]
text = "The {dispatchers:.0f} dispatchers are enough for {channels:,.0f} channels, which are on {dispatchers_used} of them<<; the busiest was {busiest:,.0f} % busy>>. They need {threads} OMVS threads."
---*/
SELECT
  lpar, qmgr, NULL AS subject,
  arg_max(dispatchers, interval_start_utc)                    AS dispatchers,
  arg_max(max_channels, interval_start_utc)                   AS maxchl,
  max(current_channels)                                       AS channels,
  at_peak(interval_start_local, current_channels, interval_start_utc)             AS channels_at,
  max(dispatcher_busiest_pct)                                 AS busiest,
  at_peak(interval_start_local, dispatcher_busiest_pct, interval_start_utc)       AS busiest_at,
  arg_max(ssl_tasks, interval_start_utc)                      AS ssl_tasks
FROM channel_initiator
WHERE judgeable(interval_seconds)
GROUP BY lpar, qmgr;

WITH grouped AS (
  SELECT
    *,
    CASE WHEN maxchl IS NOT NULL AND dispatchers > 0 THEN least(10, greatest(1, floor(maxchl / dispatchers))) END::BIGINT AS group_size,
    CASE WHEN channels IS NOT NULL AND dispatchers IS NOT NULL THEN greatest(dispatchers, CASE WHEN channels > many_channels THEN 20 ELSE least(20, ceil(channels / channels_each)) END) END::BIGINT AS dispatchers_to_set
  FROM plan_input
),
spread AS (
  SELECT *, CASE WHEN channels IS NOT NULL AND group_size > 0 THEN least(dispatchers, ceil(channels / group_size)) END::BIGINT AS dispatchers_used
  FROM grouped
)
SELECT
  lpar, qmgr, subject, group_size, dispatchers_used, maxchl / nullif(dispatchers, 0) AS channels_each_full, dispatchers_to_set,
  (initiators * (3 + dispatchers + ssl_tasks))::BIGINT        AS threads,
  (initiators * (3 + dispatchers_to_set + ssl_tasks))::BIGINT AS threads_then,
  CASE
    WHEN dispatchers_used IS NULL OR dispatchers_to_set IS NULL THEN NULL
    WHEN dispatchers_to_set > dispatchers THEN 'more'
    WHEN dispatchers_used < dispatchers AND busiest > 50 THEN 'uneven'
    ELSE 'enough'
  END                                                         AS answer
FROM spread;
