/*---
id       = "application/chargeback"
title    = "Chargeback without double counting"
question = "What can be charged to whom, once, and what stays unattributed?"
needs    = ["charge_item", "connection_task", "message_manager", "data_manager", "site_input"]
grain    = ["lpar", "qmgr", "date_local", "row_kind", "charge_to", "connection_type_name", "application", "charge_source"]
site_input = ["msu_price", "rates"]
drill_down = ["application/cpu", "collection/accounting_coverage"]
note     = "Each microsecond and message of the accounting records is in one row: class 3, or class 1 for a queue manager without class 3, never both. The row unattributed of a day has what class 1 counts above class 3, and the messages that statistics count beyond accounting. CPU time of CICS, IMS, TSO and batch is also in their own TCB time: charge it or deduct it, not both. The first rate of the site file that matches charges the work; without rates msu_price does."

[columns]
lpar = { screen = 2 }
date_local = { label = "date", format = "day", screen = 1 }
row_kind = { unit = "text", label = "kind", screen = 2, doc = "charged, no rate, not billable: damaged (records that are damaged, next to damaged bytes, or have impossible figures), or unattributed." }
charge_to = { unit = "text", label = "charged to", screen = 1, doc = "Who pays, by the first rate that matches; of damaged records the reason." }
connection_type_name = { label = "type", screen = 1, doc = "Connection type; null in the row unattributed." }
application = { doc = "Application; all clients of a channel are one application. Names of the site file replace it. The row unattributed has work that belongs to no application.", label = "" }
charge_source = { label = "source", screen = 1, doc = "class 3, class 1, or none for the row unattributed." }
charge_cpu_s = { unit = "s", label = "CPU s", screen = 1, doc = "CPU time in MQ calls; of the row unattributed that of class 1 beyond class 3 of the same connections.", over = "add" }
charge_messages = { unit = "count", label = "messages", screen = 1, doc = "Messages put and got; of class 1 without those got through callbacks.", over = "add" }
charge_mib = { unit = "mib", label = "MiB", screen = 2, doc = "Data put and got, in units of 1048576 bytes; null in class 1.", over = "add" }
already_in_other_bill = { unit = "flag", label = "in own bill", screen = 2, doc = "CPU time of this connection type is also in that of its own address space.", over = "max" }
chinit_paid = { unit = "flag", label = "chinit", screen = 3, doc = "The channel initiator uses this CPU time for the channel.", over = "max" }
charge_amount = { unit = "number", label = "amount", screen = 1, doc = "Price by the rate, rounded half to even to its decimals; without rates CPU time at the price of the site file for a CPU second (msu_price).", over = "add" }
currency = { unit = "text", screen = 2, doc = "Currency of the rate." }
class1_cpu_same_tasks_s = { unit = "s", label = "class 1 s", screen = 2, doc = "CPU time of class 1 of the connections that ended and that class 3 has, too; not added.", over = "add" }
class3_over_class1 = { unit = "ratio", label = "class 3/class 1", screen = 2, doc = "CPU time of class 3 as a share of that of class 1 of the same connections.", ratio = { numerator = "class3_over_class1 * class1_cpu_same_tasks_s", denominator = "class1_cpu_same_tasks_s" } }
unattributed_puts_pct = { unit = "percent", label = "puts missing %", screen = 2, doc = "Puts that statistics count and accounting does not, of the day; only in the row unattributed.", over = "max" }
unattributed_gets_pct = { unit = "percent", label = "gets missing %", screen = 2, doc = "Gets that statistics count and accounting does not, of the day; only in the row unattributed.", over = "max" }
not_in_mq_records = { unit = "text", label = "not in MQ records", doc = "CPU time that no MQ record has; only in the row unattributed." }
---*/
WITH
rated AS (
  SELECT
    i.*,
    list_filter(s.rates, lambda r:
      (r.application IS NULL OR coalesce(i.application GLOB replace(r.application, '[', '[[]'), false)) AND
      (r.queue IS NULL OR coalesce(i.base_name GLOB replace(r.queue, '[', '[[]'), false)) AND
      (r.channel IS NULL OR coalesce(i.channel_name GLOB replace(r.channel, '[', '[[]'), false)) AND
      (r.user IS NULL OR coalesce(i.operator_id GLOB replace(r.user, '[', '[[]'), false)) AND
      (r.qmgr IS NULL OR coalesce(i.qmgr GLOB replace(r.qmgr, '[', '[[]'), false)) AND
      (r.type IS NULL OR coalesce(i.connection_type_name GLOB replace(r.type, '[', '[[]'), false)))[1] AS rate
  FROM charge_item AS i
  LEFT JOIN site_input AS s ON s.lpar = i.lpar AND s.qmgr = i.qmgr
),
item AS (
  SELECT
    lpar, qmgr, date_local, connection_type_name, application, charge_source, doubt_reason,
    CASE WHEN doubt_reason IS NULL THEN rate END AS rate,
    sum(charge_cpu_us)::BIGINT AS cpu_us, sum(charge_puts)::BIGINT AS puts, sum(charge_gets)::BIGINT AS gets, sum(charge_bytes)::BIGINT AS bytes
  FROM rated
  GROUP BY lpar, qmgr, date_local, connection_type_name, application, charge_source, doubt_reason, CASE WHEN doubt_reason IS NULL THEN rate END
),
priced AS (
  SELECT
    i.*,
    struct_extract(i.rate, 'charge_to') AS charge_to,
    struct_extract(i.rate, 'currency')  AS currency,
    CASE
      WHEN i.doubt_reason IS NOT NULL THEN NULL
      WHEN p.rates IS NULL THEN i.cpu_us / 1e6 * p.msu_price
      ELSE round_even(
        struct_extract(i.rate, 'cpu_second') * i.cpu_us / 1e6 + struct_extract(i.rate, 'thousand_messages') * (i.puts + i.gets) / 1000
          + struct_extract(i.rate, 'mib') * coalesce(i.bytes, 0) / 1048576,
        struct_extract(i.rate, 'decimals'))
    END AS amount,
    -- Class 1 has no queue and no rate: its figures are in one row of the application.
    row_number() OVER (
      PARTITION BY i.lpar, i.qmgr, i.date_local, i.connection_type_name, i.application, i.charge_source
      ORDER BY i.doubt_reason NULLS FIRST, i.cpu_us DESC, struct_extract(i.rate, 'charge_to')
    ) AS place
  FROM item AS i
  LEFT JOIN site_input AS p ON p.lpar = i.lpar AND p.qmgr = i.qmgr
),
same AS (
  SELECT
    c.lpar, c.qmgr, c.date_local, c.connection_type_name,
    coalesce(list_filter(map_entries(s.application_group_by_application), lambda p: c.application_group GLOB replace(p.key, '[', '[[]'))[1].value,
      c.application_group) AS application,
    sum(c.class1_cpu_us)::BIGINT AS class1_us, sum(c.class3_cpu_us)::BIGINT AS class3_us, sum(c.unattributed_cpu_us)::BIGINT AS unattributed_us
  FROM connection_task AS c
  LEFT JOIN site_input AS s ON s.lpar = c.lpar AND s.qmgr = c.qmgr
  WHERE c.class3_whole
  GROUP BY c.lpar, c.qmgr, c.date_local, c.connection_type_name, application
),
counted AS (
  SELECT
    m.lpar, m.qmgr, date_trunc('day', m.interval_start_local) AS date_local, sum(m.total_puts)::BIGINT AS puts,
    sum(greatest(m.gets, coalesce(d.dm_gets, 0)))::BIGINT AS gets
  FROM message_manager AS m
  LEFT JOIN data_manager AS d ON d.record_id = m.record_id
  GROUP BY m.lpar, m.qmgr, date_trunc('day', m.interval_start_local)
),
day AS (
  SELECT i.lpar, i.qmgr, i.date_local, i.puts, i.gets, s.unattributed_us
  FROM (SELECT lpar, qmgr, date_local, sum(puts)::BIGINT AS puts, sum(gets)::BIGINT AS gets FROM item WHERE doubt_reason IS NULL GROUP BY lpar, qmgr, date_local) AS i
  LEFT JOIN (SELECT lpar, qmgr, date_local, sum(unattributed_us)::BIGINT AS unattributed_us FROM same GROUP BY lpar, qmgr, date_local) AS s
    ON s.lpar = i.lpar AND s.qmgr = i.qmgr AND s.date_local = i.date_local
)
SELECT
  i.lpar, i.qmgr, i.date_local,
  CASE WHEN i.doubt_reason IS NOT NULL THEN 'not billable: damaged' WHEN i.amount IS NULL THEN 'no rate' ELSE 'charged' END AS row_kind,
  coalesce(i.doubt_reason, i.charge_to)                  AS charge_to,
  i.connection_type_name, i.application, i.charge_source,
  i.cpu_us / 1e6                                         AS charge_cpu_s,
  i.puts + i.gets                                        AS charge_messages,
  i.bytes / 1048576                                      AS charge_mib,
  i.connection_type_name IN ('CICS', 'TSO or batch', 'IMS control', 'IMS MPP/BMP', 'RRS batch') AS already_in_other_bill,
  i.connection_type_name = 'channel initiator'           AS chinit_paid,
  i.amount                                               AS charge_amount,
  i.currency,
  s.class1_us / 1e6                                      AS class1_cpu_same_tasks_s,
  s.class3_us / nullif(s.class1_us, 0)                   AS class3_over_class1,
  NULL::DOUBLE                                           AS unattributed_puts_pct,
  NULL::DOUBLE                                           AS unattributed_gets_pct,
  NULL::VARCHAR                                          AS not_in_mq_records
FROM priced AS i
LEFT JOIN same AS s
  ON s.lpar = i.lpar AND s.qmgr = i.qmgr AND s.date_local = i.date_local AND s.connection_type_name = i.connection_type_name
    AND s.application = i.application AND i.charge_source = 'class 3' AND i.place = 1
UNION ALL
SELECT
  d.lpar, d.qmgr, d.date_local, 'unattributed', NULL, NULL, 'unattributed', 'none',
  d.unattributed_us / 1e6, greatest(c.puts - d.puts, 0) + greatest(c.gets - d.gets, 0), NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  pct(greatest(c.puts - d.puts, 0), c.puts),
  pct(greatest(c.gets - d.gets, 0), c.gets),
  'queue manager and channel initiator address spaces (SMF 30), SRBs, coupling facility, Advanced Message Security'
FROM day AS d
LEFT JOIN counted AS c ON c.lpar = d.lpar AND c.qmgr = d.qmgr AND c.date_local = d.date_local
ORDER BY date_local, charge_cpu_s DESC NULLS LAST, lpar, qmgr, application, connection_type_name, charge_source, row_kind, charge_to
