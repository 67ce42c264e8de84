"""The areas of rules, reports and pictures, in the order in which they are judged and shown: problems of the data first."""

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
