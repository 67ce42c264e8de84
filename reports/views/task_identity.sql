/*---
id      = "task_identity"
title   = "Identity of a task"
grain   = "one row per record 116.1 or 116.2"
needs   = ["decoded.wtid", "connection_type"]
keep    = false                          # one row for each of millions of tasks
classes = ["116.1"]
note    = "Helper of views task and queue_use."

[columns]
transaction = { unit = "text", doc = "CICS transaction or IMS program (PSB) of the task.", label = "transaction", screen = 3 }
cics_task_number = { unit = "id", doc = "CICS task number.", label = "cics task number" }
channel_name = { doc = "Channel of a task of the channel initiator.", label = "channel", screen = 3 }
operator_id = { label = "user", screen = 1 }
application = { unit = "text", doc = "Application: region and transaction, IMS system and program, channel and partner address, or job; without a job name the transaction with its connection type, otherwise user and the user ID, otherwise the connection type.", label = "application", screen = 1 }
application_group = { unit = "text", doc = "The application, where all addresses of a channel are one." }
---*/
WITH
named AS (
  SELECT
    w.* REPLACE (CASE WHEN w.connection_type_code = 6 THEN w.channel_name END AS channel_name),
    coalesce(t.connection_type_name, w.connection_type) AS connection_type_name,
    t.end_backouts,
    CASE w.connection_type_code
      WHEN 1 THEN nullif(trim(substr(thread_reference_text, 5, 4), ' ' || chr(0)), '')
      WHEN 3 THEN nullif(trim(substr(thread_reference_text, 5, 8), ' ' || chr(0)), '')
      WHEN 4 THEN nullif(trim(substr(thread_reference_text, 5, 8), ' ' || chr(0)), '')
    END AS transaction
  FROM decoded.wtid AS w
  LEFT JOIN connection_type AS t ON t.connection_type_code = w.connection_type_code
)
SELECT
  record_id, connection_type_code, connection_type_name, end_backouts, transaction,
  -- Blank if the record is about the thread and not about one task.
  CASE
    WHEN connection_type_code = 1 AND substr(thread_reference, 17, 8) <> '40404040'
    THEN ('0x' || substr(thread_reference, 17, 8))::BIGINT
  END AS cics_task_number,
  channel_name, operator_id, connection_type, connection_job, user_or_transaction, thread_reference, network_id, unit_of_work_id, accounting_token,
  context_token, connection_name,
  CASE
    WHEN channel_name IS NOT NULL THEN channel_name || coalesce(' from ' || connection_name, '')
    ELSE caller(connection_job, transaction, connection_type_name, coalesce(operator_id, user_or_transaction))
  END AS application,
  coalesce(channel_name, caller(connection_job, transaction, connection_type_name, coalesce(operator_id, user_or_transaction))) AS application_group
FROM named
