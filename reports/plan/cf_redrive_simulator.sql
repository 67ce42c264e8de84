/*---
id       = "plan/cf_redrive_simulator"
title    = "Re-drives from message sizes"
question = "Do the sizes of the messages explain the re-drives of this structure?"
subject  = "structure"
needs    = ["cf_structure_gets"]
holds    = "MQ 7.0 and later, messages in the coupling facility up to 63 KB."
source   = "MP16, 'Why do I see many re-drives in the statistics report?'"
result   = "redrives_per_get"
note     = "Sizes include headers. The buffer is that of one task and queue; the sequence must be that of the gets."

[parameter.sizes]
unit   = "text"
doc    = "Sizes of the messages in KB, in the order of the gets, with commas between them."
remedy = "set sizes=5,6,8,10,1 with the sizes of some messages in the order in which they are got"

[parameter.measured_redrives]
unit     = "ratio"
measured = "re-drives for each get in the data"
doc      = "Re-drives for each get of the structure in the data."
optional = true

[parameter.shrink_after]
unit    = "count"
doc     = "Gets with too large a buffer after which it shrinks."
default = 10
source  = "MP16, 'Why do I see many re-drives in the statistics report?': 10 from MQ 7.0 on, at once in MQ 6.0"
least   = 1

[parameter.first_buffer]
unit    = "bytes"
doc     = "Buffer of the first get."
default = 4096
source  = "MP16, 'Why do I see many re-drives in the statistics report?'"
least   = 256

[step.gets]
unit    = "count"
label   = "gets"
formula = "the number of sizes"

[step.redrives]
unit    = "count"
label   = "re-drives"
formula = "gets whose buffer was too small: it grows to 256, 512, 1024 or 2048 bytes, or whole 4 KB, and shrinks after too many smaller messages"

[step.redrives_per_get]
unit    = "ratio"
label   = "re-drives for each get"
formula = "re-drives / gets"

[step.last_buffer]
unit    = "bytes"
label   = "buffer after the last get"
formula = "the buffer that the next get would use"

[answer.explain]
text = "{redrives} of {gets} get[s] would be driven again, {redrives_per_get:,.2f} for each get<<; in the data {measured_redrives:,.2f} were. Sizes explain them>>."
do   = ["Put messages of like sizes on a queue, or queues with other sizes in another structure."]

[answer.more]
text = "{redrives} of {gets} get[s] would be driven again, {redrives_per_get:,.2f} for each get, but {measured_redrives:,.2f} were in the data: the sizes do not explain them. Gets by an identifier that many messages have are driven again too, up to 6 times each."

[answer.no_redrives]
text = "No get of these sizes would be driven again<<; in the data {measured_redrives:,.2f} were for each get>>."
---*/
SELECT lpar, qmgr, cf_structure AS subject, structure_redrives_per_get AS measured_redrives
FROM cf_structure_gets
WHERE NOT coalesce(admin_structure, false);

WITH listed AS (
  SELECT *, list_transform(string_split(sizes, ','), lambda size: try_cast(trim(size) AS DOUBLE) * 1024) AS bytes
  FROM plan_input
),
usable AS (
  SELECT *, CASE WHEN len(list_filter(bytes, lambda size: size IS NULL OR size < 0)) = 0 AND shrink_after IS NOT NULL AND first_buffer IS NOT NULL THEN bytes END AS known
  FROM listed
),
-- The state after each get: the buffer, the gets in sequence for which it was too large, and the re-drives; `fit` is the class of the message.
driven AS (
  SELECT
    *,
    list_reduce(
      list_prepend(
        {'fit': 0::DOUBLE, 'buffer': first_buffer, 'smaller': 0::DOUBLE, 'redrives': 0::DOUBLE},
        list_transform(known, lambda size: {
          'fit': CASE WHEN size <= 256 THEN 256 WHEN size <= 512 THEN 512 WHEN size <= 1024 THEN 1024 WHEN size <= 2048 THEN 2048 ELSE least(64512, ceil(size / 4096) * 4096) END::DOUBLE,
          'buffer': first_buffer, 'smaller': 0::DOUBLE, 'redrives': 0::DOUBLE
        })
      ),
      lambda state, get: {
        'fit': get['fit'],
        'buffer': CASE WHEN get['fit'] > state['buffer'] OR get['fit'] < state['buffer'] AND state['smaller'] + 1 >= shrink_after THEN get['fit'] ELSE state['buffer'] END,
        'smaller': CASE WHEN get['fit'] < state['buffer'] AND state['smaller'] + 1 < shrink_after THEN state['smaller'] + 1 ELSE 0 END::DOUBLE,
        'redrives': state['redrives'] + CASE WHEN get['fit'] > state['buffer'] THEN 1 ELSE 0 END
      }
    ) AS state
  FROM usable
  WHERE known IS NOT NULL
),
counted AS (
  SELECT i.*, len(d.known) AS gets, d.state['redrives']::BIGINT AS redrives, d.state['buffer'] AS last_buffer
  FROM plan_input AS i
  LEFT JOIN driven AS d ON d.subject = i.subject
)
SELECT
  lpar, qmgr, subject, gets, redrives, redrives / nullif(gets, 0) AS redrives_per_get, last_buffer,
  CASE
    WHEN redrives IS NULL OR gets = 0 THEN NULL
    WHEN redrives = 0 THEN 'no_redrives'
    WHEN measured_redrives > 1.5 * redrives / gets THEN 'more'
    ELSE 'explain'
  END AS answer
FROM counted;
