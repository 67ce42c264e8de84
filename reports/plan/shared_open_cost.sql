/*---
id       = "plan/shared_open_cost"
title    = "First open and last close of a shared queue"
question = "What would a handle save that keeps this shared queue open?"
subject  = "queue"
needs    = ["shared_queue_open"]
holds    = "Accounting class 3 with counts of opens without coupling facility."
source   = "MP16, 'Can I reduce the impact from locking on my shared queues?' and 'Frequent opening of shared queues'"
result   = "saving_s"
note     = "The averages include the cheap opens of the same queue, so the saving is the least. Do not hold a handle for input on a queue with TRIGTYPE(FIRST): it stops the trigger."

[parameter.opens]
unit     = "count"
measured = "opens in the accounting records"
doc      = "Opens of the queue."
remedy   = "collect accounting class 3, or set opens=1000000"

[parameter.cf_opens]
unit     = "count"
measured = "opens that called the coupling facility"
doc      = "Opens that called the coupling facility."
remedy   = "collect accounting class 3 with MQ 9.x, or set cf_opens=900000"

[parameter.open_cpu]
unit     = "us"
measured = "average of all opens"
doc      = "CPU of an open."
remedy   = "collect accounting class 3, or set open_cpu=21us"

[parameter.open_elapsed]
unit     = "us"
measured = "average of all opens"
doc      = "Elapsed time of an open."
optional = true

[parameter.close_cpu]
unit     = "us"
measured = "average of all closes"
doc      = "CPU of a close."
remedy   = "collect accounting class 3, or set close_cpu=10us"

[parameter.held_cpu]
unit    = "us"
doc     = "CPU of an open with its close while another handle is held."
default = 2
others  = [14]
source  = "MP16, 'Can I reduce the impact from locking on my shared queues?': 14 to 15 µs for open and close of a test; MP16, 'Frequent opening of shared queues': about 1 µs for each call without the coupling facility"

[step.cf_open_pct]
unit    = "percent"
label   = "opens that call the coupling facility"
formula = "100 * such opens / opens"

[step.wait_us]
unit    = "us"
label   = "time of an open that is not CPU"
formula = "elapsed time - CPU"

[step.open_close_us]
unit    = "us"
label   = "CPU of an open with its close"
formula = "CPU of the open + CPU of the close"

[step.saving_pct]
unit    = "percent"
label   = "CPU saved of each"
formula = "100 * (open with close - with a held handle) / open with close"

[step.saving_s]
unit    = "s"
label   = "CPU saved"
formula = "opens that call the coupling facility * (open with close - with a held handle)"

[step.wait_saved_s]
unit    = "s"
label   = "waits saved"
formula = "opens that call the coupling facility * time of an open that is not CPU"

[answer.idle]
text = "No open of the queue called the coupling facility, so a held handle saves nothing."

[answer.little]
text = "A handle that is held saves nothing here: an open with its close takes {open_close_us:,.1f} µs of CPU, no more than with a held handle."

[answer.saves]
text = "A handle that keeps the queue open would save {saving_s:,.2f} s of CPU<< and {wait_saved_s:,.2f} s of waits>> in the data: {cf_opens:,.0f} of {opens:,.0f} open[s] called the coupling facility, at {open_close_us:,.1f} µs of CPU with the close."
do   = ["Let one task on each queue manager keep the queue open, unless the queue has TRIGTYPE(FIRST)."]
---*/
SELECT
  lpar, qmgr, base_name AS subject, opens, opens_with_cf AS cf_opens, average_open_cpu_us AS open_cpu, average_open_et_us AS open_elapsed,
  average_close_cpu_us  AS close_cpu
FROM shared_queue_open
WHERE opens > 0;

WITH priced AS (
  SELECT *, open_cpu + close_cpu AS open_close_us, open_elapsed - open_cpu AS wait_us
  FROM plan_input
)
SELECT
  lpar, qmgr, subject, pct(cf_opens, opens) AS cf_open_pct, CASE WHEN wait_us < 0 THEN 0 ELSE wait_us END AS wait_us, open_close_us,
  pct(open_close_us - held_cpu, open_close_us)                          AS saving_pct,
  cf_opens * (open_close_us - held_cpu) / 1e6                           AS saving_s,
  cf_opens * CASE WHEN wait_us < 0 THEN 0 ELSE wait_us END / 1e6        AS wait_saved_s,
  CASE
    WHEN cf_opens IS NULL OR opens IS NULL OR open_close_us IS NULL OR held_cpu IS NULL THEN NULL
    WHEN cf_opens = 0 THEN 'idle'
    WHEN open_close_us <= held_cpu THEN 'little'
    ELSE 'saves'
  END                                                                   AS answer
FROM priced;
