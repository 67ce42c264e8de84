/*---
id      = "storage_figure"
title   = "Published storage per object"
grain   = "one row per item and range of MQ levels"
needs   = []
note    = "Helper of view storage_estimate: constants. Sources: MP16, capacity planning and tuning, September 2024; V92, MQ 9.2 performance report, July 2021. A KB of the sources is a KiB. Class 3 accounting has the upper end of 4 to 8 KiB. Channels without accounting have the smallest figure of a channel. The figures of channel initiator tasks are those of 9.3 and later."

[columns]
item_number = { unit = "id", kind = "key", doc = "Number of the item." }
address_space = { unit = "text", doc = "Queue manager or channel initiator." }
storage_area = { unit = "text", doc = "31-bit private, 64-bit private, or common (CSA and ECSA).", label = "area", screen = 1 }
item = { unit = "text", doc = "What the storage is for." }
kib_each = { unit = "kib", doc = "Published storage of one object; null if it depends on sizes in the records.", over = "same" }
counted_by_smf = { unit = "flag", doc = "Records count these objects." }
counted_since = { unit = "number", doc = "First MQ level whose records count these objects, VVRRMM.", over = "same" }
level_from = { unit = "number", doc = "First MQ level of the figure, VVRRMM.", over = "same" }
level_below = { unit = "number", doc = "First MQ level for which the figure no longer applies, VVRRMM.", over = "same" }
figure_source = { unit = "text", doc = "Document and section of the figure." }
---*/
SELECT
  item_number::BIGINT AS item_number,
  CASE WHEN item_number < 20 THEN 'queue manager' ELSE 'channel initiator' END AS address_space,
  storage_area, item, kib_each::DOUBLE AS kib_each, counted_by_smf,
  -- Queue statistics exist since 9.3.0.
  CASE WHEN item_number IN (6, 14, 15) THEN 90300 ELSE 0 END::BIGINT AS counted_since, level_from::BIGINT AS level_from, level_below::BIGINT AS level_below, figure_source
FROM (
  VALUES
    (1, 'common', 'CSA of the queue manager', 6144, true, 0, 999999, 'MP16, ''Initial CSA (and ECSA) usage'''),
    (2, 'common', 'CSA of connections', 2.47, true, 0, 999999, 'MP16, ''CSA usage per connection'''),
    (3, 'common', 'CSA, 1 conversation', 4.9, true, 0, 999999, 'MP16, ''CSA usage per connection'''),
    (4, 'common', 'CSA, 2 to 9 conversations', 3.0, true, 0, 999999, 'MP16, ''CSA usage per connection'''),
    (5, 'common', 'CSA, 10 or more conversations', 2.7, true, 0, 999999, 'MP16, ''CSA usage per connection'''),
    (6, '31-bit private', 'open handles', 4, true, 0, 999999, 'MP16, ''Object handles'''),
    (7, '31-bit private', 'connections', 15, true, 0, 999999, 'V92, ''How much storage does a connection use?'''),
    (8, '31-bit private', 'connections, 1 conversation', 24, true, 0, 999999, 'V92, ''How much storage does a connection use?'''),
    (9, '31-bit private', 'connections, shared channels', 16.3, true, 0, 999999, 'V92, ''How much storage does a connection use?'''),
    (10, '31-bit private', 'buffer pools below the bar', 4, true, 0, 999999, 'size of a buffer'),
    (11, '31-bit private', 'QSG base', 27648, true, 0, 999999, 'MP16, ''Shared queue'''),
    (12, '31-bit private', 'QSG structures', 800, true, 0, 999999, 'MP16, ''Shared queue'''),
    (13, '31-bit private', 'class 3 accounting', 8, true, 0, 999999, 'MP16, ''Storage Usage'''),
    (14, '64-bit private', 'queue indexes, messages', 136 / 1024, true, 0, 999999, 'MP16, ''Indexed queue considerations'''),
    (15, '64-bit private', 'queue indexes, queues', 47, true, 0, 999999, 'MP16, ''Use of indexed queues'''),
    (16, '64-bit private', 'buffer pools above the bar', 4, true, 0, 999999, 'size of a buffer'),
    (17, '64-bit private', 'SMDS buffers', NULL, true, 0, 999999, 'MP16, ''Tuning SMDS'''),
    (18, '64-bit private', 'security cache, users', 8.8, false, 0, 999999, 'MP16, ''Queue manager security'''),
    (19, '64-bit private', 'security cache, further queues', 405 / 1024, false, 0, 999999, 'MP16, ''Queue manager security'''),
    (20, '31-bit private', 'adapter tasks', 150, true, 0, 999999, 'MP16, ''Channel initiator task storage usage'''),
    (21, '31-bit private', 'dispatcher tasks', 102, true, 0, 999999, 'MP16, ''Channel initiator task storage usage'''),
    (22, '31-bit private', 'TLS tasks', 1485, true, 0, 999999, 'MP16, ''Channel initiator task storage usage'''),
    (23, '31-bit private', 'message channels, up to 1 KiB', 91, true, 0, 90300, 'V92, ''How many channels can I run to or from my queue manager?'''),
    (23, '31-bit private', 'message channels, up to 1 KiB', 90, true, 90300, 999999, 'MP16, ''How many channels can a channel initiator support?'''),
    (24, '31-bit private', 'message channels, up to 32 KiB', 100, true, 0, 90300, 'V92, ''How many channels can I run to or from my queue manager?'''),
    (24, '31-bit private', 'message channels, up to 32 KiB', 100, true, 90300, 999999, 'MP16, ''How many channels can a channel initiator support?'''),
    (25, '31-bit private', 'message channels, up to 64 KiB', 109, true, 0, 90300, 'V92, ''How many channels can I run to or from my queue manager?'''),
    (25, '31-bit private', 'message channels, up to 64 KiB', 109, true, 90300, 999999, 'MP16, ''How many channels can a channel initiator support?'''),
    (26, '31-bit private', 'message channels, up to 4 MiB', 1141, true, 0, 90300, 'V92, ''How many channels can I run to or from my queue manager?'''),
    (26, '31-bit private', 'message channels, up to 4 MiB', 1127, true, 90300, 999999, 'MP16, ''How many channels can a channel initiator support?'''),
    (27, '31-bit private', 'client channels, no sharing', 82, true, 0, 90300, 'V92, ''How many clients can I connect to my queue manager?'''),
    (27, '31-bit private', 'client channels, no sharing', 86, true, 90300, 999999, 'MP16, ''How many SVRCONN channels can a channel initiator support?'''),
    (28, '31-bit private', 'client channels, 1 conversation', 156, true, 0, 90200, 'V92, ''How many clients can I connect to my queue manager?'''),
    (28, '31-bit private', 'client channels, 1 conversation', 157, true, 90200, 90300, 'V92, ''How many clients can I connect to my queue manager?'''),
    (28, '31-bit private', 'client channels, 1 conversation', 168, true, 90300, 90400, 'MP16, ''How many SVRCONN channels can a channel initiator support?'''),
    (28, '31-bit private', 'client channels, 1 conversation', 164, true, 90400, 999999, 'MP16, ''How many SVRCONN channels can a channel initiator support?'''),
    (29, '31-bit private', 'shared client conversations', 24.3, true, 0, 90100, 'V92, ''How many clients can I connect to my queue manager?'''),
    (29, '31-bit private', 'shared client conversations', 24.6, true, 90100, 90200, 'V92, ''How many clients can I connect to my queue manager?'''),
    (29, '31-bit private', 'shared client conversations', 24.1, true, 90200, 90300, 'V92, ''How many clients can I connect to my queue manager?'''),
    (29, '31-bit private', 'shared client conversations', 22.3, true, 90300, 90400, 'MP16, ''How many SVRCONN channels can a channel initiator support?'''),
    (29, '31-bit private', 'shared client conversations', 21.9, true, 90400, 999999, 'MP16, ''How many SVRCONN channels can a channel initiator support?'''),
    (30, '31-bit private', 'channels without accounting', 82, true, 0, 90300, 'V92, ''How many clients can I connect to my queue manager?'''),
    (30, '31-bit private', 'channels without accounting', 86, true, 90300, 999999, 'MP16, ''How many SVRCONN channels can a channel initiator support?'''),
    (31, '31-bit private', 'TLS', 30, true, 0, 999999, 'MP16, ''Does SSL make a difference to the number of channels I can run?'''),
    (32, '64-bit private', 'client message buffers', NULL, false, 90400, 999999, 'MP16, ''MQ 9.4: 64-bit storage usage for SVRCONN channels''')
) AS figures (item_number, storage_area, item, kib_each, counted_by_smf, level_from, level_below, figure_source)
