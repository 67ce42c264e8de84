/*---
id      = "latch_class"
title   = "Latch classes"
grain   = "one row per latch class whose meaning is known"
needs   = []

[columns]
latch_class = { unit = "id", kind = "key", doc = "Latch class, 1 to 32." }
latch_name = { unit = "text", doc = "What the latch class protects, if known.", label = "latch", screen = 2 }
likely_cause = { unit = "text", doc = "Usual reason for waits of this class.", label = "likely cause", screen = 3 }
---*/
WITH known(latch_class, latch_name, likely_cause) AS (
  VALUES
    (11, 'DMCSEGAL queue segment and API serialisation', 'many tasks on one queue, or shared-queue open and close (see opens_with_cf)'),
    (12, 'buffer pool', 'buffer pool contention (see steal_contention)'),
    (15, 'CMXL1 first open and last close', 'first-open and last-close, object create and delete'),
    (16, 'BMXL2 page set', 'page set'),
    (19, 'BMXL3 page', 'one page: hot queue or page set'),
    (21, 'RLMLWR log buffer', 'log buffers (see log_buffer_waits)'),
    (23, 'BSDS', 'BSDS'),
    (24, 'LMXL1 getters', 'many getters on one queue'),
    (25, 'locks and accounting', 'locks or accounting'),
    (30, 'ASMSAG task switch and security', 'task start, security'),
    (31, 'DPSLTC queue scan', 'queue scan'),
    (32, 'SMCPHB storage', 'storage')
)
SELECT latch_class::BIGINT AS latch_class, latch_name, likely_cause
FROM known
