"""The areas of rules, reports and pictures, in the order in which they are judged and shown: problems of the data
first.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

TITLES: Mapping[str, str] = MappingProxyType(
    {
        "data_quality": "Data quality",
        "coverage": "Coverage",
        "overview": "Overview",
        "collection": "Collection",
        "qsg": "Sharing group",
        "message_manager": "Message manager",
        "data_manager": "Data manager",
        "lock_manager": "Lock manager",
        "topic": "Topic",
        "buffer_pool": "Buffer pool",
        "page_set": "Page set",
        "log": "Log",
        "cf": "Coupling facility",
        "smds": "SMDS",
        "db2": "Db2",
        "storage": "Storage",
        "channel_initiator": "Channel initiator",
        "channel": "Channel",
        "task": "Task",
        "latch": "Latch",
        "application": "Application",
        "queue": "Queue",
        "queue_statistics": "Queue statistics",
        "encryption": "Encryption",
        "ims": "IMS",
        "opentelemetry": "OpenTelemetry",
    }
)
"""Area, which is the name of its folders -> title."""

AREAS = tuple(TITLES)
"""The areas in their order."""

WATCHED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "data_quality": ("DQ001", "DQ003", "DQ002", "DQ005", "DQ016", "DQ011"),
        "coverage": ("CV001", "CV002"),
        "message_manager": ("MM001", "MM002"),
        "data_manager": ("DM001", "DM002", "DM003"),
        "topic": ("TP001", "TP002"),
        "buffer_pool": ("BP003", "BP004", "BP002", "BP001", "BP005", "BP014", "BP008", "BP013", "BP006"),
        "page_set": ("PS003", "PS002", "PS001", "PS006", "PS007", "PS005", "PS004"),
        "log": ("LG003", "LG002", "LG001", "LG004", "LG006", "LG018", "LG013", "LG009", "LG008", "LG015"),
        "cf": ("CF001", "CF002", "CF007", "CF003", "CF005", "CF006", "CF010"),
        "smds": ("SM003", "SM002", "SM001", "SM007", "SM005"),
        "db2": ("DB001", "DB004", "DB002", "DB003", "DB006", "DB005"),
        "storage": ("ST005", "ST004", "ST001", "ST006", "ST007", "ST002", "ST003"),
        "channel_initiator": ("CH001", "CH002", "CH005", "CH006", "CH013", "CH012", "CH008", "CH010", "CH007"),
        "channel": ("CN001", "CN002", "CN003", "CN014", "CN013", "CN011", "CN006", "CN005", "CN010"),
        "task": ("TA002", "TA001", "TA003", "TA004", "TA007", "TA005"),
        "latch": ("LK001", "LK002"),
        "queue": ("QU001", "QU002", "QU005", "QU006", "QU004", "QU022", "QU007", "QU003", "QU023", "QU010", "QU013", "QU017"),
        "encryption": ("EN005", "EN002", "EN001", "EN003", "EN004"),
        "ims": ("IM001", "IM002"),
        "opentelemetry": ("OT001", "OT002", "OT003", "OT004"),
    }
)  # fmt: skip
"""For each area with rules those whose figure a system programmer checks first, in this order: the first that was
judged decides the line of a clear area. An area of which none of these rules was judged is not clear: the other rules
look for single mistakes."""
