/*---
id       = "plan/restart_progress"
title    = "Time left in a restart"
question = "When will the recovery of a restart end?"
subject  = "qmgr"
needs    = []
holds    = "All levels: messages CSQR031I (forward) and CSQR033I (backward) appear about every two minutes."
source   = "MP16, 'CSQR031I' and 'CSQR033I'"
result   = "seconds_left"
note     = "Nothing of this is in SMF: take the addresses from the console. The log range comes from CSQR030I or CSQR032I."

[parameter.first_rba]
unit   = "text"
doc    = "RBA of the earlier progress message, in hexadecimal."
remedy = "take it from CSQR031I or CSQR033I; set first_rba=00003E022000"

[parameter.second_rba]
unit   = "text"
doc    = "RBA of the later progress message, in hexadecimal."
remedy = "take it from CSQR031I or CSQR033I; set second_rba=00002E39A11D"

[parameter.seconds_between]
unit    = "s"
doc     = "Time between both messages."
default = 120
source  = "MP16, 'CSQR031I' and 'CSQR033I': about two minutes"

[parameter.range_from]
unit   = "text"
doc    = "RBA at which the phase started, in hexadecimal."
remedy = "take it from CSQR030I or CSQR032I; set range_from=0000479B33A0"

[parameter.range_to]
unit   = "text"
doc    = "RBA at which the phase ends, in hexadecimal."
remedy = "take it from CSQR030I or CSQR032I; set range_to=000008561B58"

[step.range]
unit    = "mib"
label   = "log range of the phase"
formula = "difference of its RBAs"

[step.rate]
unit    = "mib_per_s"
label   = "read rate"
formula = "difference of the RBAs of both messages / time between them"

[step.bytes_left]
unit    = "bytes"
label   = "left"
formula = "difference of the later RBA and the end"

[step.seconds_left]
unit    = "s"
label   = "time left"
formula = "bytes left / read rate"

[step.share_done]
unit    = "percent"
label   = "done"
formula = "100 * (range - bytes left) / range"

[answer.not_rbas]
text = "These are not RBAs: each is a hexadecimal number of up to 16 digits, as CSQR030I to CSQR033I show it."

[answer.stands]
text = "Both messages have the same RBA: the recovery does not move, or they are the same message."

[answer.left]
text = "The phase ends about {seconds_left:,.0f} s after the later message: {share_done:,.0f} % of {range:,.0f} MiB is read, at {rate:,.2f} MiB/s."
---*/
SELECT NULL AS lpar, NULL AS qmgr, NULL AS subject WHERE false;

WITH numbers AS (
  SELECT
    *,
    try_cast('0x' || first_rba AS UBIGINT)::DOUBLE  AS first,
    try_cast('0x' || second_rba AS UBIGINT)::DOUBLE AS second,
    try_cast('0x' || range_from AS UBIGINT)::DOUBLE AS start,
    try_cast('0x' || range_to AS UBIGINT)::DOUBLE   AS finish
  FROM plan_input
),
read AS (
  SELECT
    *,
    abs(finish - start) / 1048576                   AS range,
    abs(second - first) / 1048576 / nullif(seconds_between, 0) AS rate,
    abs(second - finish)                            AS bytes_left
  FROM numbers
)
SELECT
  lpar, qmgr, subject, range, rate, bytes_left,
  bytes_left / 1048576 / nullif(rate, 0)            AS seconds_left,
  pct(range - bytes_left / 1048576, range)          AS share_done,
  CASE
    WHEN first_rba IS NULL OR second_rba IS NULL OR range_from IS NULL OR range_to IS NULL OR seconds_between IS NULL THEN NULL
    WHEN first IS NULL OR second IS NULL OR start IS NULL OR finish IS NULL THEN 'not_rbas'
    WHEN rate = 0 THEN 'stands'
    WHEN rate IS NOT NULL THEN 'left'
  END                                               AS answer
FROM read;
