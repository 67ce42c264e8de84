"""Code tables: the words for coded values, by number.

The words are those that MQ commands and formatters show. A code that is not in its table becomes null; the number
stays in another column.
"""

from __future__ import annotations

CONNTYPE: dict[int, str] = {
    1: "CICS",
    2: "TSO",
    3: "IMS Ctl",
    4: "IMS MPP/BMP",
    5: "Cmd Svr",
    6: "CHIN",
    7: "RRS",
    8: "IGQ",
}
"""Types of connecting system (IBM manual, "Thread cross-reference data"; 8 is not in the manual)."""

CHLD: dict[int, str] = {
    -1: "All",
    1: "Default",
    2: "Shared",
    4: "Private",
    5: "Fixshared",
}
"""Channel dispositions: MQCHLD constants."""

CHT: dict[int, str] = {
    1: "Sender",
    2: "Server",
    3: "Receiver",
    4: "Requester",
    5: "All",
    6: "ClntConn",
    7: "SvrConn",
    8: "ClusRcvr",
    9: "ClusSdr",
    10: "MQTT",
    11: "AMQP",
}
"""Channel types: MQCHT constants."""

CHS: dict[int, str] = {
    0: "Inactive",
    1: "Binding",
    2: "Starting",
    3: "Running",
    4: "Stopping",
    5: "Retrying",
    6: "Stopped",
    7: "Requesting",
    8: "Paused",
    9: "Disconnected",
    13: "Initializing",
    14: "Switching",
}
"""Channel states: MQCHS constants."""

MON: dict[int, str] = {
    -3: "QMgr",
    -1: "None",
    0: "Off",
    1: "On",
    17: "Low",
    33: "Medium",
    65: "High",
}
"""Monitoring levels: MQMON constants."""

QT: dict[int, str] = {
    1: "Local",
    2: "Model",
    3: "Alias",
    6: "Remote",
    7: "Cluster",
    8: "Topic",
    1001: "All",
}
"""Queue types: MQQT constants, and MQOT 8 for a topic."""

IT: dict[int, str] = {
    0: "None",
    1: "MsgId",
    2: "CorrelId",
    4: "MsgToken",
    5: "GroupId",
}
"""Index types: MQIT constants."""

QSGD: dict[int, str] = {
    -1: "All",
    0: "QMgr",
    1: "Copy",
    2: "Shared",
    3: "Group",
    4: "Private",
    6: "Live",
}
"""Queue-sharing group dispositions: MQQSGD constants."""

WQVERB: dict[int, str] = {
    0: "Open",
    1: "Close",
    2: "Get",
    3: "Put",
    4: "Put1",
}
"""MQ verbs with a table of CF requests in a queue block, by index from 0."""

CF: dict[int, str] = {
    0: "Lock",
    1: "Unlock",
    2: "WrLCCtl",
    3: "SigXCF",
    4: "SigCF",
    5: "Read",
    6: "Write",
    7: "StartMon",
    8: "StopMon",
    9: "ReadList",
    10: "New",
    11: "Move",
    12: "MoveEntry",
    13: "Delete",
}
"""CF operations of a table of CF requests, by index from 0; 14 to 19 are not in use."""

SUB: dict[int, str] = {
    0: "API",
    1: "Admin",
    2: "Proxy",
}
"""Kinds of subscription and publication in the arrays of the topic manager, by index from 0."""

PSSTATUS: dict[int, str] = {
    0: "Available",
    1: "Defined",
    2: "Offline",
    3: "Not defined",
    4: "Suspended",
}
"""Page set states: MQUSAGE_PS constants, inferred from values seen."""

PSEXPAND: dict[int, str] = {
    0: "Not set",
    1: "User",
    2: "System",
    3: "None",
}
"""Page set expansion methods: MQUSAGE_EXPAND constants, inferred from values seen."""

MQ_VERBS = tuple(WQVERB.values())
"""`WQVERB` as the words of a key column."""

CF_OPERATIONS = tuple(CF.get(index) for index in range(20))
"""`CF` as the words of a key column, None where an element is not in use."""
