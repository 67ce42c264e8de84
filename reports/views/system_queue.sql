/*---
id      = "system_queue"
title   = "Queues of MQ itself"
grain   = "one row per name or pattern of names"
needs   = []
note    = "The queues that the samples CSQ4INSG, CSQ4INSX, CSQ4INSS, CSQ4INSA, CSQ4INSJ and CSQ4INSR define, and those of AMS (CSQ4INSM), of commands and of managed subscriptions. The longest pattern that fits a name applies. Sources: IBM documentation, 'Defining system objects for IBM MQ for z/OS', 'Naming restrictions for queues', 'Distributed publish/subscribe system queues', 'Getting started with intra-group queuing', 'What happens when a repository fails' and 'JMS 2.0 delivery delay'; MP16, 'Buffer pool usage'."

[columns]
queue_pattern = { unit = "text", doc = "Name, or pattern with * for any characters." }
system_kind = { unit = "text", doc = "Purpose as in column queue_kind of view site_queue; system if it has no kind of its own." }
system_holds = { unit = "text", doc = "What the queue holds." }
system_reader = { unit = "text", doc = "Who reads it." }
is_store = { unit = "flag", doc = "MQ keeps data on the queue: messages stay, and nothing has to read them." }
may_wait = { unit = "flag", doc = "Messages may wait for hours without a fault; only a rise is one." }
growable = { unit = "flag", doc = "It can grow without limit, and must not share the buffer pool of the object definitions." }
own_reader = { unit = "text", doc = "Pattern of the job that reads all of it by design; null if there is no such job." }
rise_means = { unit = "text", doc = "What it means if the queue holds more and more." }
look_command = { unit = "text", doc = "Command that shows more; {queue} is the name of the queue." }
---*/
SELECT *
FROM (
  VALUES
    ('SYSTEM.*', 'system', 'messages of a system component', 'this component', false, true, false, NULL,
      'its component does not read it', 'DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL'),
    ('SYSTEM.ADMIN.*', 'system', 'messages for administration', 'an administration or monitoring program', false, true, true, NULL,
      'nothing reads them', 'DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL'),
    ('SYSTEM.ADMIN.*.EVENT', 'system', 'event messages', 'a monitoring program', false, true, true, NULL,
      'no program reads the events: start it, or disable these events', 'DISPLAY QMGR EVENT'),
    ('SYSTEM.ADMIN.COMMAND.QUEUE', 'system', 'commands in PCF', 'the command server', false, false, true, NULL,
      'the command server is stopped or slow', 'DISPLAY CMDSERV'),
    ('SYSTEM.BROKER.*', 'system', 'publications and subscriptions of the queued interface', 'the queued publish/subscribe daemon', false, false, false, NULL,
      'the daemon is stopped or slow', 'DISPLAY PUBSUB ALL'),
    ('SYSTEM.CHANNEL.INITQ', 'system', 'trigger messages and requests to start channels', 'the channel initiator', false, false, false, NULL,
      'the channel initiator is stopped, or does not process trigger messages', 'DISPLAY CHINIT'),
    ('SYSTEM.CHANNEL.SYNCQ', 'channel sync', 'the state of channels', 'the channel initiator', true, true, false, NULL,
      'more channels have been started (QU021)', 'DISPLAY QLOCAL({queue}) CURDEPTH INDXTYPE'),
    ('SYSTEM.CHLAUTH.DATA.QUEUE', 'system', 'channel authentication records', 'the queue manager', true, true, false, NULL,
      'more records were set', 'DISPLAY QLOCAL({queue}) CURDEPTH'),
    ('SYSTEM.CICS.*', 'system', 'requests for the CICS bridge, or trigger messages', 'the bridge monitor or a trigger monitor of CICS', false, false, false, NULL,
      'the monitor is stopped or slow', 'DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL'),
    ('SYSTEM.CLUSTER.COMMAND.QUEUE', 'system', 'changes of cluster objects', 'the repository manager of the channel initiator', false, false, false, NULL,
      'the repository manager is not running: correct the error in the CSQX messages of the channel initiator, then enable gets for the queue and start the channel initiator again',
      'DISPLAY QLOCAL({queue}) CURDEPTH GET IPPROCS'),
    ('SYSTEM.CLUSTER.HISTORY.QUEUE', 'system', 'the history of cluster objects', 'IBM support', true, true, false, NULL,
      'cluster objects change often', 'DISPLAY QLOCAL({queue}) CURDEPTH'),
    ('SYSTEM.CLUSTER.REPOSITORY.QUEUE', 'system', 'cluster objects', 'the repository manager of the channel initiator', true, true, false, NULL,
      'more cluster objects are known', 'DISPLAY QLOCAL({queue}) CURDEPTH'),
    ('SYSTEM.CLUSTER.TRANSMIT*', 'cluster transmission', 'messages to other queue managers of a cluster', 'cluster-sender channels', false, false, true, NULL,
      'a cluster-sender channel is stopped, retrying or too slow', 'DISPLAY CHSTATUS(*) XMITQ({queue}) STATUS SUBSTATE'),
    ('SYSTEM.COMMAND.*', 'system', 'commands and their replies', 'the command server, or the program that sent the command', false, false, true, NULL,
      'the command server is stopped or slow, or replies are not read', 'DISPLAY CMDSERV'),
    ('SYSTEM.CSQ*', 'system', 'replies to commands', 'CSQUTIL, or the operations and control panels', false, false, false, NULL,
      'replies are not read', 'DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL'),
    ('SYSTEM.DDELAY.LOCAL.QUEUE', 'system', 'JMS messages with a delivery delay', 'the delivery delay processor', false, true, false, NULL,
      'more messages are sent with a delay, or the delivery delay processor does not run', 'DISPLAY QLOCAL({queue}) CURDEPTH GET IPPROCS'),
    ('SYSTEM.DEAD.LETTER.QUEUE', 'dead letter', 'messages that could not be delivered', 'a dead-letter queue handler', false, false, true, NULL,
      'messages cannot be delivered (QU001)', 'DISPLAY QLOCAL({queue}) CURDEPTH GET IPPROCS'),
    ('SYSTEM.DEFAULT.INITIATION.QUEUE', 'system', 'trigger messages', 'a trigger monitor', false, false, false, NULL,
      'the trigger monitor is stopped or slow', 'DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL'),
    ('SYSTEM.DURABLE.SUBSCRIBER.QUEUE', 'system', 'durable subscriptions', 'the queue manager', true, true, false, NULL,
      'there are more durable subscriptions', 'DISPLAY PUBSUB ALL'),
    ('SYSTEM.HIERARCHY.STATE', 'system', 'the state of the publish/subscribe hierarchy', 'the queue manager', true, true, false, NULL,
      'the hierarchy has more members', 'DISPLAY PUBSUB ALL'),
    ('SYSTEM.INTER.QMGR.*', 'system', 'publications and subscriptions of other queue managers', 'the publish/subscribe engine', false, false, false, NULL,
      'the publish/subscribe engine is stopped or slow', 'DISPLAY PUBSUB ALL'),
    ('SYSTEM.JMS.*', 'system', 'messages and subscriptions of JMS', 'JMS clients', false, true, false, NULL,
      'a subscriber does not read', 'DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL'),
    ('SYSTEM.MANAGED.DURABLE.*', 'system', 'publications of a managed durable subscription', 'its subscriber', false, true, false, NULL,
      'the subscriber is not connected, or too slow', 'DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL'),
    ('SYSTEM.MANAGED.NDURABLE.*', 'system', 'publications of a managed subscription that is not durable', 'its subscriber', false, false, false, NULL,
      'the subscriber is too slow', 'DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL'),
    ('SYSTEM.PENDING.DATA.QUEUE', 'system', 'deferred messages of JMS', 'the queue manager', false, true, false, NULL,
      'deferred messages are not completed', 'DISPLAY QLOCAL({queue}) CURDEPTH IPPROCS'),
    ('SYSTEM.PROTECTION.ERROR.QUEUE', 'system', 'messages that AMS could not verify or decrypt', 'a program of the site', false, false, false, NULL,
      'AMS rejects messages: check their senders, certificates and policies', 'DISPLAY QLOCAL({queue}) CURDEPTH'),
    ('SYSTEM.PROTECTION.POLICY.QUEUE', 'system', 'AMS policies', 'AMS, which browses all of them when it starts', true, true, false, '*AMSM',
      'more policies were set', 'DISPLAY QLOCAL({queue}) CURDEPTH'),
    ('SYSTEM.QSG.CHANNEL.SYNCQ', 'system', 'the state of shared channels', 'the channel initiators of the group', true, true, false, NULL,
      'more shared channels have been started', 'DISPLAY QLOCAL({queue}) CURDEPTH INDXTYPE'),
    ('SYSTEM.QSG.TRANSMIT.QUEUE', 'IGQ transmission', 'messages to other members of the group', 'the intra-group queuing agents', false, false, false, NULL,
      'the agent of a member is stopped, retrying or too slow: check the CSQM messages of the members', 'DISPLAY QMGR IGQ'),
    ('SYSTEM.QSG.UR.RESOLUTION.QUEUE', 'system', 'requests to resolve units of recovery of the group', 'the members of the group', false, false, false, NULL,
      'a member does not answer', 'DISPLAY QMGR GROUPUR'),
    ('SYSTEM.REST.REPLY.*', 'system', 'replies for the REST API', 'the mqweb server', false, false, false, NULL,
      'the mqweb server does not read replies', 'DISPLAY QSTATUS({queue}) TYPE(HANDLE) ALL'),
    ('SYSTEM.RETAINED.PUB.QUEUE', 'system', 'retained publications', 'the queue manager', true, true, false, NULL,
      'more topics have a retained publication', 'DISPLAY PUBSUB ALL'),
    ('SYSTEM.SELECTION.*', 'system', 'data for selectors', 'the queue manager', true, true, false, NULL,
      'more selectors are in use', 'DISPLAY QLOCAL({queue}) CURDEPTH')
) AS v (queue_pattern, system_kind, system_holds, system_reader, is_store, may_wait, growable, own_reader, rise_means, look_command)
