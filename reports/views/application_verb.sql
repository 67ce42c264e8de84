/*---
id      = "application_verb"
title   = "MQ calls of applications by verb over the period"
grain   = "one row per lpar, qmgr, application and verb that was called"
needs   = ["queue_use", "task", "site_input"]
classes = ["116.1"]
note    = "Times of log, page set and suspension are parts of the elapsed time and overlap: they are never added. Queue blocks without their task record are excluded, as in the sums of the task."

[columns]
application = { doc = "Application; all clients of a channel are one application. Names of the site file replace it." }
verb_number = { unit = "id", doc = "Position of the verb: calls on queues first." }
verb_name = { unit = "text", kind = "key", doc = "MQ call; other has calls without a queue of their own, such as a failed MQOPEN.", label = "call", screen = 1 }
verb_calls = { unit = "count", kind = "counter", doc = "Calls.", label = "calls", screen = 1 }
verb_et_us = { unit = "us", kind = "counter", doc = "Elapsed time of the calls.", label = "elapsed µs", screen = 1 }
verb_cpu_us = { unit = "us", kind = "counter", doc = "CPU time of the calls." }
verb_suspend_us = { unit = "us", kind = "counter", doc = "Time suspended in the calls; null for verbs without this field." }
verb_log_write_us = { unit = "us", kind = "counter", doc = "Elapsed time of log writes without force in the calls; null for verbs without this field." }
verb_log_force_us = { unit = "us", kind = "counter", doc = "Elapsed time of forced log writes in the calls; null for verbs without this field." }
verb_page_set_us = { unit = "us", kind = "counter", doc = "Elapsed time of page set access in the calls; null for verbs without this field." }
---*/
WITH
queue_sum AS (
  SELECT
    lpar, qmgr, application_group,
    sum(opens)::BIGINT AS n1, sum(open_et_us)::BIGINT AS e1, sum(open_cpu_us)::BIGINT AS c1, sum(open_suspend_us)::BIGINT AS s1,
    sum(closes)::BIGINT AS n2, sum(close_et_us)::BIGINT AS e2, sum(close_cpu_us)::BIGINT AS c2, sum(close_suspend_us)::BIGINT AS s2,
    sum(gets)::BIGINT AS n3, sum(get_et_us)::BIGINT AS e3, sum(get_cpu_us)::BIGINT AS c3, sum(get_suspend_us)::BIGINT AS s3,
    sum(puts)::BIGINT AS n4, sum(put_et_us)::BIGINT AS e4, sum(put_cpu_us)::BIGINT AS c4, sum(put_suspend_us)::BIGINT AS s4,
    sum(put1s)::BIGINT AS n5, sum(put1_et_us)::BIGINT AS e5, sum(put1_cpu_us)::BIGINT AS c5, sum(put1_suspend_us)::BIGINT AS s5,
    sum(inquires)::BIGINT AS n6, sum(inquire_et_us)::BIGINT AS e6, sum(inquire_cpu_us)::BIGINT AS c6,
    sum(sets)::BIGINT AS n7, sum(set_et_us)::BIGINT AS e7, sum(set_cpu_us)::BIGINT AS c7,
    sum(callbacks)::BIGINT AS n8, sum(callback_et_us)::BIGINT AS e8, sum(callback_cpu_us)::BIGINT AS c8,
    sum(get_log_write_us)::BIGINT AS w3, sum(put_log_write_us)::BIGINT AS w4, sum(put1_log_write_us)::BIGINT AS w5, sum(set_log_write_us)::BIGINT AS w7,
    sum(get_log_force_us)::BIGINT AS f3, sum(put_log_force_us)::BIGINT AS f4, sum(put1_log_force_us)::BIGINT AS f5, sum(set_log_force_us)::BIGINT AS f7,
    sum(get_page_set_us)::BIGINT AS p3, sum(put_page_set_us)::BIGINT AS p4, sum(put1_page_set_us)::BIGINT AS p5
  FROM queue_use
  WHERE task_record_id IS NOT NULL
  GROUP BY lpar, qmgr, application_group
),
task_sum AS (
  SELECT
    lpar, qmgr, application_group,
    sum(commits)::BIGINT AS n9, sum(commit_et_us)::BIGINT AS e9, sum(commit_cpu_us)::BIGINT AS c9,
    sum(backouts)::BIGINT AS n10, sum(backout_et_us)::BIGINT AS e10, sum(backout_cpu_us)::BIGINT AS c10,
    sum(prepares)::BIGINT AS n11, sum(prepare_et_us)::BIGINT AS e11, sum(prepare_cpu_us)::BIGINT AS c11,
    sum(subscribes)::BIGINT AS n12, sum(subscribe_et_us)::BIGINT AS e12, sum(subscribe_cpu_us)::BIGINT AS c12,
    sum(subscription_requests)::BIGINT AS n13, sum(subscription_request_et_us)::BIGINT AS e13, sum(subscription_request_cpu_us)::BIGINT AS c13,
    sum(controls)::BIGINT AS n14, sum(control_et_us)::BIGINT AS e14, sum(control_cpu_us)::BIGINT AS c14,
    sum(statuses)::BIGINT AS n15, sum(status_et_us)::BIGINT AS e15, sum(status_cpu_us)::BIGINT AS c15,
    sum(other_calls)::BIGINT AS n16, sum(other_et_us)::BIGINT AS e16, sum(other_cpu_us)::BIGINT AS c16
  FROM task
  GROUP BY lpar, qmgr, application_group
),
line AS (
  SELECT
    lpar, qmgr, application_group,
    unnest([
      {'number': 1, 'name': 'open', 'n': n1, 'e': e1, 'c': c1, 's': s1, 'w': NULL::BIGINT, 'f': NULL::BIGINT, 'p': NULL::BIGINT},
      {'number': 2, 'name': 'close', 'n': n2, 'e': e2, 'c': c2, 's': s2, 'w': NULL, 'f': NULL, 'p': NULL},
      {'number': 3, 'name': 'get', 'n': n3, 'e': e3, 'c': c3, 's': s3, 'w': w3, 'f': f3, 'p': p3},
      {'number': 4, 'name': 'put', 'n': n4, 'e': e4, 'c': c4, 's': s4, 'w': w4, 'f': f4, 'p': p4},
      {'number': 5, 'name': 'put1', 'n': n5, 'e': e5, 'c': c5, 's': s5, 'w': w5, 'f': f5, 'p': p5},
      {'number': 6, 'name': 'inq', 'n': n6, 'e': e6, 'c': c6, 's': NULL, 'w': NULL, 'f': NULL, 'p': NULL},
      {'number': 7, 'name': 'set', 'n': n7, 'e': e7, 'c': c7, 's': NULL, 'w': w7, 'f': f7, 'p': NULL},
      {'number': 8, 'name': 'cb', 'n': n8, 'e': e8, 'c': c8, 's': NULL, 'w': NULL, 'f': NULL, 'p': NULL}
    ]) AS v
  FROM queue_sum
  UNION ALL
  SELECT
    lpar, qmgr, application_group,
    unnest([
      {'number': 9, 'name': 'commit', 'n': n9, 'e': e9, 'c': c9, 's': NULL::BIGINT, 'w': NULL::BIGINT, 'f': NULL::BIGINT, 'p': NULL::BIGINT},
      {'number': 10, 'name': 'backout', 'n': n10, 'e': e10, 'c': c10, 's': NULL, 'w': NULL, 'f': NULL, 'p': NULL},
      {'number': 11, 'name': 'prepare', 'n': n11, 'e': e11, 'c': c11, 's': NULL, 'w': NULL, 'f': NULL, 'p': NULL},
      {'number': 12, 'name': 'subscribe', 'n': n12, 'e': e12, 'c': c12, 's': NULL, 'w': NULL, 'f': NULL, 'p': NULL},
      {'number': 13, 'name': 'subscription request', 'n': n13, 'e': e13, 'c': c13, 's': NULL, 'w': NULL, 'f': NULL, 'p': NULL},
      {'number': 14, 'name': 'control', 'n': n14, 'e': e14, 'c': c14, 's': NULL, 'w': NULL, 'f': NULL, 'p': NULL},
      {'number': 15, 'name': 'status', 'n': n15, 'e': e15, 'c': c15, 's': NULL, 'w': NULL, 'f': NULL, 'p': NULL},
      {'number': 16, 'name': 'other', 'n': n16, 'e': e16, 'c': c16, 's': NULL, 'w': NULL, 'f': NULL, 'p': NULL}
    ]) AS v
  FROM task_sum
)
SELECT
  q.lpar, q.qmgr,
  coalesce(list_filter(map_entries(s.application_group_by_application), lambda p: q.application_group GLOB replace(p.key, '[', '[[]'))[1].value,
    q.application_group)  AS application,
  q.v.number              AS verb_number,
  q.v.name                AS verb_name,
  sum(q.v.n)::BIGINT      AS verb_calls,
  sum(q.v.e)::BIGINT      AS verb_et_us,
  sum(q.v.c)::BIGINT      AS verb_cpu_us,
  sum(q.v.s)::BIGINT      AS verb_suspend_us,
  sum(q.v.w)::BIGINT      AS verb_log_write_us,
  sum(q.v.f)::BIGINT      AS verb_log_force_us,
  sum(q.v.p)::BIGINT      AS verb_page_set_us
FROM line AS q
LEFT JOIN site_input AS s ON s.lpar = q.lpar AND s.qmgr = q.qmgr
GROUP BY q.lpar, q.qmgr, application, verb_number, verb_name
HAVING sum(q.v.n) > 0 OR sum(q.v.e) > 0 OR sum(q.v.c) > 0
