/*---
id       = "plan/reference_comparison"
title    = "Your figures against IBM's"
question = "How do my measured figures compare with those that IBM published?"
subject  = "figure"
needs    = ["application_verb", "cf_structure", "channel_initiator", "log", "log_io", "message_manager", "page_set", "qmgr"]
profiles = ["ibm_figures", "machine_capacity"]
holds    = "Each figure of IBM holds for the hardware and MQ level that the answer names."
source   = "MP16, V92, Z17 and AMSI: the source of each figure is among its steps"
result   = "ratio"
note     = "Of IBM's figures the one nearest by message size, persistence, queue type, hardware and level is taken. IBM's tests have no business logic, and most ran with class 3 accounting. Without a fair comparison there is no verdict, only the ratio."

[parameter.figure]
unit     = "text"
measured = "what the data has"
doc      = "What is compared."
choices  = "ibm_figures.figure"
remedy   = "give a dump, or set figure=\"one-page log write\" and own=200"

[parameter.own]
unit     = "number"
measured = "mean over all intervals; of a rate the highest interval"
doc      = "Your figure, in the unit of IBM's."
remedy   = "give a dump, or set own=200"

[parameter.message_size]
unit     = "bytes"
measured = "mean bytes of a message that was put"
doc      = "Message size."
optional = true

[parameter.persistence]
unit     = "text"
measured = "persistent or nonpersistent from 95 % of the messages on, otherwise mixed"
doc      = "Persistence of the messages."
choices  = ["persistent", "nonpersistent", "mixed"]
optional = true

[parameter.queue_type]
unit     = "text"
measured = "private if no application structure of the coupling facility was used, otherwise mixed"
doc      = "Type of the queues."
choices  = ["private", "shared", "mixed"]
optional = true

[parameter.level]
unit     = "level"
measured = "highest MQ level in the data, as version * 100 + release"
doc      = "MQ level, such as 904 for 9.4."
optional = true

[parameter.machine]
unit     = "text"
doc      = "Your machine; CPU times are scaled to it."
choices  = "machine_capacity.machine"
optional = true

[parameter.device]
unit     = "text"
fact     = "log_device"
doc      = "Your DASD, such as DS8950F."
optional = true

[parameter.dead_band]
unit    = "percent"
doc     = "Difference that means nothing."
default = 6
source  = "V92: the variation of IBM's own tests from run to run"

[step.ratio]
unit    = "ratio"
label   = "yours against IBM's"
formula = "your figure / IBM's figure for your machine"

[step.fair]
unit    = "flag"
label   = "fair comparison"
formula = "no special case, message size within a quarter, and the same persistence, queue type and hardware, as far as the figure depends on them"

[step.why_not]
unit    = "text"
label   = "why not"
formula = "the conditions that differ or are not known"

[step.ibm_figure]
unit    = "number"
label   = "IBM's figure"
formula = "from the table of published figures"

[step.ibm_scaled]
unit    = "number"
label   = "IBM's figure for your machine"
formula = "a CPU time * capacity of IBM's machine / capacity of yours; other figures unchanged"

[step.ibm_unit]
unit    = "text"
label   = "unit"
formula = "of both figures"

[step.ibm_test]
unit    = "text"
label   = "what IBM measured"
formula = "from the table of published figures"

[step.ibm_hardware]
unit    = "text"
label   = "hardware of the test"
formula = "from the table of published figures"

[step.ibm_level]
unit    = "text"
label   = "MQ level of the test"
formula = "from the table of published figures"

[step.ibm_caveat]
unit    = "text"
label   = "caveat"
formula = "from the table of published figures"

[step.ibm_source]
unit    = "text"
label   = "source"
formula = "from the table of published figures"

[answer.no_verdict]
text = "{own} {ibm_unit}, IBM's {ibm_figure} {ibm_unit} ({ibm_test}; {ibm_hardware}, {ibm_level}), ratio {ratio:,.2f}. No verdict: {why_not}."

[answer.same]
text = "{own} {ibm_unit} is the same as IBM's {ibm_scaled} {ibm_unit} within {dead_band:.0f} % ({ibm_test}; {ibm_hardware}, {ibm_level})."

[answer.higher]
text = "{own} {ibm_unit} is {ratio:,.2f} times IBM's {ibm_scaled} {ibm_unit} ({ibm_test}; {ibm_hardware}, {ibm_level})."

[answer.lower]
text = "{own} {ibm_unit} is less than IBM's {ibm_scaled} {ibm_unit}, {ratio:,.2f} of it ({ibm_test}; {ibm_hardware}, {ibm_level})."
---*/
WITH put AS (
  SELECT
    lpar, qmgr,
    sum(persistent_puts + nonpersistent_puts)                               AS messages,
    sum(persistent_puts)                                                    AS persistent,
    sum(persistent_put_bytes + nonpersistent_put_bytes)                     AS bytes,
    sum(persistent_put_bytes)                                               AS persistent_bytes
  FROM message_manager
  GROUP BY lpar, qmgr
),
structure AS (
  SELECT
    lpar, qmgr,
    sum(cf_calls)                                                           AS calls,
    sum(single_call_us) / nullif(sum(single_calls), 0)                      AS single_us,
    sum(multiple_call_us) / nullif(sum(multiple_calls), 0)                  AS multiple_us
  FROM cf_structure
  WHERE NOT admin_structure
  GROUP BY lpar, qmgr
),
known AS (
  SELECT
    q.lpar, q.qmgr, floor(q.highest_mq_level / 100)                         AS level,
    p.bytes / nullif(p.messages, 0)                                         AS message_size,
    p.persistent_bytes / nullif(p.persistent, 0)                            AS persistent_size,
    CASE WHEN pct(p.persistent, p.messages) >= 95 THEN 'persistent' WHEN pct(p.persistent, p.messages) <= 5 THEN 'nonpersistent' WHEN p.messages > 0 THEN 'mixed' END AS persistence,
    CASE WHEN s.calls > 0 THEN 'mixed' ELSE 'private' END                   AS queue_type,
    p.persistent, s.single_us, s.multiple_us
  FROM qmgr AS q
  LEFT JOIN put AS p ON p.lpar = q.lpar AND p.qmgr = q.qmgr
  LEFT JOIN structure AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
),
initiator AS (
  SELECT
    lpar, qmgr,
    sum(adapter_average_cpu_us * adapter_requests) / nullif(sum(adapter_requests), 0)          AS adapter_cpu,
    sum(adapter_average_et_us * adapter_requests) / nullif(sum(adapter_requests), 0)           AS adapter_elapsed,
    sum(dispatcher_average_cpu_us * dispatcher_requests) / nullif(sum(dispatcher_requests), 0) AS dispatcher_cpu,
    max(chinit_31_mib * 1024 / nullif(active_channels, 0))                  AS channel_kib
  FROM channel_initiator
  GROUP BY lpar, qmgr
),
figures AS (
  SELECT q.lpar, q.qmgr, [
    { 'figure': 'log write rate', 'own': max(greatest(q.copy1_mib_per_s, q.copy2_mib_per_s)) FILTER (judgeable(q.interval_seconds)) },
    { 'figure': 'one-page zHyperLink write', 'own': sum(q.zhl_total_1ci_us) / nullif(sum(q.zhl_sync_1ci), 0) },
    { 'figure': 'log data of a persistent message', 'own': sum(q.cis_created) * 4096 / nullif(max(k.persistent), 0) }
  ] AS listed
  FROM log AS q
  LEFT JOIN known AS k ON k.lpar = q.lpar AND k.qmgr = q.qmgr
  GROUP BY q.lpar, q.qmgr
  UNION ALL
  SELECT lpar, qmgr, [{ 'figure': 'one-page log write', 'own': sum(io_total_us) / nullif(sum(io_count), 0) }]
  FROM log_io
  WHERE io_type = 1
  GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, [
    { 'figure': 'deferred write to a page set', 'own': sum(deferred_write_us) / nullif(sum(deferred_write_ios), 0) },
    { 'figure': 'immediate write to a page set', 'own': sum(immediate_write_us) / nullif(sum(immediate_write_ios), 0) },
    { 'figure': 'read from a page set', 'own': sum(read_us) / nullif(sum(read_ios), 0) }
  ]
  FROM page_set
  GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, [{ 'figure': 'messages put', 'own': max(puts_per_s) }, { 'figure': 'messages put and got', 'own': max(puts_per_s + gets_per_s) }]
  FROM message_manager
  WHERE judgeable(interval_seconds)
  GROUP BY lpar, qmgr
  UNION ALL
  SELECT lpar, qmgr, [
    { 'figure': CASE verb_name WHEN 'commit' THEN verb_name ELSE 'MQ' || upper(verb_name) END, 'own': sum(verb_et_us) / nullif(sum(verb_calls), 0) },
    { 'figure': CASE verb_name WHEN 'commit' THEN 'CPU of a commit' ELSE 'CPU of an MQ' || upper(verb_name) END, 'own': sum(verb_cpu_us) / nullif(sum(verb_calls), 0) }
  ]
  FROM application_verb
  WHERE verb_name IN ('put', 'get', 'open', 'commit')
  GROUP BY lpar, qmgr, verb_name
  UNION ALL
  SELECT lpar, qmgr, [{ 'figure': 'CF single-entry call', 'own': single_us }, { 'figure': 'CF multiple-entry call', 'own': multiple_us }]
  FROM known
  UNION ALL
  SELECT lpar, qmgr, [
    { 'figure': 'CPU of an adapter request', 'own': adapter_cpu }, { 'figure': 'adapter request', 'own': adapter_elapsed },
    { 'figure': 'CPU of a dispatcher request', 'own': dispatcher_cpu }, { 'figure': 'channel initiator storage for each channel', 'own': channel_kib }
  ]
  FROM initiator
),
found AS (
  SELECT lpar, qmgr, unnest(listed, recursive := true)
  FROM figures
)
SELECT
  f.lpar, f.qmgr, f.figure AS subject, f.figure, f.own,
  -- Requests of the channel initiator have no message size of their own, and the log has persistent messages only.
  CASE WHEN f.figure LIKE 'log %' THEN k.persistent_size WHEN f.figure NOT LIKE '%request' AND f.figure NOT LIKE 'channel%' THEN k.message_size END AS message_size,
  CASE WHEN f.figure LIKE 'log %' OR f.figure LIKE '%page%' THEN 'persistent' ELSE k.persistence END AS persistence,
  CASE WHEN f.figure LIKE 'CF %' THEN 'shared' ELSE k.queue_type END       AS queue_type,
  k.level
FROM found AS f
JOIN known AS k ON k.lpar = f.lpar AND k.qmgr = f.qmgr
WHERE f.own > 0;

WITH nearest AS (
  SELECT
    i.*, b.name, b.what, b.value, b.unit, b.kind, b.message_bytes, b.persistence AS ibm_persistence, b.queue_type AS ibm_queue_type, b.level AS ibm_release,
    b.level_text, b.hardware, b.machine AS ibm_machine, b.device AS ibm_device, b.caveat, b.special, b.source
  FROM plan_input AS i
  LEFT JOIN ibm_figures AS b ON b.figure = i.figure
  QUALIFY row_number() OVER (
    PARTITION BY i.subject
    ORDER BY
      CASE WHEN b.queue_type <> i.queue_type THEN 20 ELSE 0 END
      + CASE WHEN b.persistence <> i.persistence THEN 20 ELSE 0 END
      + CASE WHEN b.device IS NOT NULL AND i.device IS NOT NULL AND NOT starts_with(upper(i.device), upper(b.device)) THEN 10 WHEN b.kind IN ('io', 'highest') AND b.device IS NULL THEN 5 ELSE 0 END
      + CASE WHEN b.machine <> i.machine THEN 6 WHEN b.machine IS NULL AND b.kind IN ('cpu', 'time') THEN 5 ELSE 0 END
      + CASE WHEN b.message_bytes IS NOT NULL AND i.message_size IS NOT NULL THEN abs(log2((b.message_bytes + 100) / (i.message_size + 100))) WHEN b.message_bytes IS NOT NULL THEN 1 + abs(log2((b.message_bytes + 100) / 2148)) / 10 ELSE 1 END
      + CASE WHEN b.level = i.level THEN 0 ELSE 1 END
      + CASE WHEN b.special IS NOT NULL THEN 3 ELSE 0 END,
      b.level DESC NULLS LAST, b.name
  ) = 1
),
scaled AS (
  SELECT
    n.*, mine.capacity AS own_capacity, theirs.capacity AS ibm_capacity,
    CASE WHEN n.kind = 'cpu' AND mine.capacity > 0 AND theirs.capacity > 0 THEN n.value * theirs.capacity / mine.capacity ELSE n.value END AS ibm_scaled
  FROM nearest AS n
  LEFT JOIN machine_capacity AS mine ON mine.machine = n.machine
  LEFT JOIN machine_capacity AS theirs ON theirs.machine = n.ibm_machine
),
judged AS (
  SELECT
    *,
    CASE kind
      WHEN 'highest' THEN 'IBM''s is the highest rate of a test, yours is what the work needed'
      WHEN 'bound' THEN 'yours is all storage of the channel initiator for each channel, so an upper bound'
      WHEN 'flow' THEN 'IBM''s is of one flow of a message, yours has all log data: gets, commits, channels, checkpoints'
      ELSE array_to_string(list_filter([
      CASE WHEN special IS NOT NULL THEN 'IBM''s test is a special case, yours is the mean of all work' END,
      CASE
        WHEN message_bytes IS NULL THEN NULL
        WHEN message_size IS NULL THEN 'your message size is not known'
        WHEN abs(message_size - message_bytes) > message_bytes / 4 + 100 THEN format('its messages have {:,} bytes, yours {:,}', round(message_bytes)::BIGINT, round(message_size)::BIGINT)
      END,
      CASE
        WHEN ibm_persistence IS NULL OR kind = 'io' THEN NULL
        WHEN persistence IS NULL THEN 'your persistence is not known'
        WHEN persistence <> ibm_persistence THEN 'its messages are ' || ibm_persistence || ', yours ' || persistence
      END,
      CASE
        WHEN ibm_queue_type IS NULL THEN NULL
        WHEN queue_type IS NULL THEN 'your queue type is not known'
        WHEN queue_type <> ibm_queue_type THEN 'its queues are ' || ibm_queue_type || ', yours ' || queue_type
      END,
      CASE
        WHEN kind NOT IN ('cpu', 'time') THEN NULL
        WHEN ibm_machine IS NULL THEN 'the machine of the test is not stated'
        WHEN machine IS NULL THEN 'your machine is not known: set machine=' || ibm_machine || ' or another'
        WHEN machine = ibm_machine OR (kind = 'cpu' AND own_capacity > 0 AND ibm_capacity > 0) THEN NULL
        ELSE 'its machine is ' || ibm_machine || ', yours ' || machine
      END,
      CASE
        WHEN kind <> 'io' THEN NULL
        WHEN ibm_device IS NULL THEN 'the DASD of the test is not stated'
        WHEN device IS NULL THEN 'your DASD is not known: put log_device into the site file or set device=' || ibm_device || ' or another'
        WHEN NOT starts_with(upper(device), upper(ibm_device)) THEN 'its DASD is ' || ibm_device || ', yours ' || device
      END
      ], lambda reason: reason IS NOT NULL), '; ')
    END                                                                     AS reasons
  FROM scaled
)
SELECT
  lpar, qmgr, subject, own / nullif(ibm_scaled, 0) AS ratio, CASE WHEN kind IS NOT NULL THEN reasons = '' END AS fair, nullif(reasons, '') AS why_not, value AS ibm_figure, ibm_scaled, unit AS ibm_unit,
  what AS ibm_test, hardware AS ibm_hardware, level_text AS ibm_level, caveat AS ibm_caveat, source AS ibm_source,
  CASE
    WHEN own IS NULL OR kind IS NULL THEN NULL
    WHEN reasons <> '' THEN 'no_verdict'
    WHEN abs(own / nullif(ibm_scaled, 0) - 1) <= dead_band / 100 + 1e-9 THEN 'same'
    WHEN own > ibm_scaled THEN 'higher'
    ELSE 'lower'
  END                                                                       AS answer
FROM judged;
