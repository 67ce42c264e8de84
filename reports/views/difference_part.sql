/*---
id      = "difference_part"
title   = "What explains a difference between two counts of messages"
grain   = "one row per part"
needs   = []
note    = "Helper of reports queue/flow_balance and data_manager/message_balance, which show each part with its number and how much is left. A part that has no count names what may be left."

[columns]
difference_part = { unit = "text", kind = "key", doc = "Part of the difference: of puts minus gets of a queue, of MQGETs minus gets of the data manager (gets) or of puts minus puts of the data manager (puts)." }
positive_text = { unit = "text", kind = "text", doc = "Its text if it makes the first count larger." }
negative_text = { unit = "text", kind = "text", doc = "Its text if it makes the second count larger." }
counted_in = { unit = "text", kind = "text", doc = "Where it is counted; null if no record counts it." }
part_source = { unit = "text", kind = "text", doc = "Source of the part." }
---*/
SELECT difference_part, positive_text, negative_text, counted_in, part_source
FROM (
  VALUES
    ('other members', 'got on other members', 'put on other members', '115.216, 116.1', 'IBM MQ documentation, shared queues'),
    ('depth', 'still on the queue', 'on the queue before', '115.216', 'IBM MQ documentation, queue data records'),
    ('expiry', 'expired', NULL, '115.216, 116.1', 'IBM MQ documentation, queue data records'),
    ('gets not accounted', 'got by tasks without accounting or by the queue manager', NULL, '115.216', 'IBM MQ documentation, ACCTQ'),
    ('puts not accounted', NULL, 'put by tasks without accounting or by the queue manager', '115.216', 'IBM MQ documentation, ACCTQ'),
    ('publications', NULL, 'published, or put by tasks without accounting', '115.216, 115.2', 'IBM MQ documentation, topic data records'),
    ('streaming', NULL, 'copies streamed from ', '115.216, 116.1', 'IBM MQ documentation, streaming queues: the copies are not in PUTN'),
    ('backed out', 'puts backed out', 'gets backed out', '115.216', 'IBM MQ documentation, queue data records'),
    ('ends', 'got outside the accounting intervals', 'put outside the accounting intervals', '115.216', 'IBM MQ documentation, ACCTIME and STATIME'),
    ('IMS bridge', 'the IMS bridge gets without accounting', 'tasks without accounting', NULL, 'IBM MQ documentation, IMS bridge'),
    ('channel', 'channel, see channel records', 'channel, see channel records', NULL, 'IBM MQ documentation, transmission queues'),
    ('seems transmission', 'seems to be a transmission queue, see channel records', 'seems to be a transmission queue, see channel records', NULL, 'view site_queue: who opens the queue and who gets from it'),
    ('kept', 'keeps messages on purpose', NULL, NULL, 'retained_queues of the site file'),
    ('reader', 'read by ', NULL, NULL, 'view system_queue'),
    ('accounting off', 'accounting is off for some tasks', 'accounting is off for some tasks', NULL, 'IBM MQ documentation, ACCTQ'),
    ('all counted', 'MOVE or CLEAR QLOCAL', 'MOVE QLOCAL, or a streaming queue', NULL, 'IBM MQ documentation, MOVE QLOCAL and CLEAR QLOCAL'),
    ('not counted', 'look for a stopped consumer', 'messages from before the period, or tasks without accounting', NULL, 'IBM MQ documentation, ACCTQ'),
    ('shared gets', 'gets from shared queues', NULL, '115.216, 116.1', 'IBM MQ documentation, data manager data records'),
    ('empty gets', 'gets that found no message', NULL, '115.216, 116.1', 'IBM MQ documentation, queue data records'),
    ('empty gets at 8.0', 'gets that found no message on shared queues (APAR PI65486)', NULL, '116.1', 'APAR PI65486'),
    ('skipped', NULL, 'messages skipped', '116.1', 'MP16, ''Using Message Selectors'''),
    ('callbacks', NULL, 'messages got by callbacks', '116.1', 'IBM MQ documentation, MQCB'),
    ('gets left', 'gets on empty or shared queues', 'scanning, or earlier callbacks', NULL, 'MP16, ''Using Message Selectors'''),
    ('called back', 'gets on empty or shared queues', 'messages got by callbacks', NULL, 'IBM MQ documentation, MQCB'),
    ('few gets', 'gets on empty or shared queues', 'internal gets', NULL, 'own observation: an idle queue manager'),
    ('shared puts', 'puts to shared queues', NULL, '115.216, 116.1', 'IBM MQ documentation, data manager data records'),
    ('waiting getters', 'puts to waiting getters', NULL, '115.216, 116.1', 'IBM MQ documentation, queue data records'),
    ('subscribers', 'publishes without a subscriber', 'publications', '115.2', 'IBM MQ documentation, topic data records'),
    ('copies', NULL, 'copies streamed', '115.216', 'IBM MQ documentation, streaming queues'),
    ('puts left', 'puts to waiting getters or shared queues', 'publications, events or triggers', NULL, 'own observation: healthy queue managers')
) AS v (difference_part, positive_text, negative_text, counted_in, part_source)
