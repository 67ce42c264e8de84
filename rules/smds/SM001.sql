/*---
id          = "SM001"
name        = "smds-buffer-waits"
title       = "Requests waited for a shared message data set buffer"
severity    = "warning"
weight      = "delay"
grain       = ["lpar", "qmgr", "cf_structure"]
needs       = ["smds.buffers_free_low", "smds.pool_waits", "smds.busy_buffer_waits"]
prints      = ["smds.buffer_bytes", "smds.smds_buffers", "smds.pool_wait_us", "smds.busy_buffer_wait_us", "smds.buffer_gets"]
judge       = "any interval"
worst       = "highest"
culprits    = ["SMDS pages"]
victims     = ["SMDS waits"]
breach_when = "(short and waits) or (short and busy)"
unit        = "buffers"
mq_since    = "7.1.0"
look        = ["DISPLAY USAGE TYPE(SMDS)", "DISPLAY SMDS({qmgr}) CFSTRUCT({cf_structure}) ALL"]
raises      = ["DSBUFS"]
do_unless   = { ST006 = "DSBUFS is not raised: little storage above the bar is left for more buffers (ST006). Raise MEMLIMIT in the JCL of the queue manager first." }
do_of_plan  = "smds_dsbufs_needed"
plans       = ["smds_dsbufs_needed"]

[clause.short]
when    = "observed > 0"
measure = "SMDS buffer[s] missing"

[clause.waits]
when    = "pool_waits > 0"
measure = "wait[s] for a free buffer"

[clause.busy]
when    = "busy_buffer_waits > 0"
measure = "wait[s] for a busy buffer"

[source]
cite = "MP16, 'Tuning SMDS', level 1"
kind = "documented"

[advice]
summary = "Structure {cf_structure} had {smds_buffers} SMDS buffer[s], at worst {missing_text}; of {buffer_gets} request[s], {pool_waits} waited for a free buffer and {busy_buffer_waits} for a busy one."
remedy  = "Give the structure more SMDS buffers, and watch the 64-bit storage."
report  = "smds/buffers"
---*/
SELECT
  lpar, qmgr, cf_structure, interval_start_utc, interval_seconds, record_id,
  'structure ' || cf_structure AS subject,
  CASE WHEN buffers_free_low <= 0 THEN greatest(1, -buffers_free_low) ELSE 0 * buffers_free_low END AS observed,
  smds_buffers, buffer_bytes, pool_waits, busy_buffer_waits, buffer_gets,
  CASE WHEN buffers_free_low < 0 THEN format('{:,} too few', -buffers_free_low) ELSE 'without a free one' END AS missing_text,
  greatest(1, -buffers_free_low) AS missing_buffers,
  smds_buffers + greatest(1, -buffers_free_low) AS buffers_wanted
FROM smds
WHERE smds_buffers > 0
