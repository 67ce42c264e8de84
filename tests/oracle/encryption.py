"""Data set encryption: what is encrypted, and what it costs."""

from __future__ import annotations

from typing import Any

from tests.oracle import Data, Row, view
from tests.oracle.formulas import HOUR, computed, first, grouped, groups, joined, known, level
from tests.oracle.pools import site
from tests.oracle.records import QMGR

HOURLY = "lpar qmgr hour_start_utc hour_local"


def by_hour(rows: list[Row]) -> list[Row]:
    """Rows with the local hour in which their interval starts."""
    return computed(
        rows,
        "hour_local = hour(interval_start_local)\nhour_start_utc = hour_local - (interval_start_local - interval_start_utc)",
    )


@view("encryption_hour", "lpar qmgr hour_start_utc")
def encryption_hour(data: Data) -> list[Row]:
    """V92, "Data set encryption", z15: us of CPU per page of a page set and of an SMDS, and per MiB of a log."""
    pages = grouped(
        by_hour(data.view("page_set")), HOURLY,
        """
        read_pages = sum(read_pages)
        immediate_write_pages = sum(immediate_write_pages)
        deferred_write_pages = sum(deferred_write_pages)
        page_set_cpu_s = (0.7 * (read_pages + immediate_write_pages) + 2.6 * deferred_write_pages) / 1e6
        page_set_cpu_encrypted_s = sum(0.7 * (read_pages + immediate_write_pages) + 2.6 * deferred_write_pages, where=encrypted) / 1e6
        """,
    )  # fmt: skip
    logs = grouped(
        by_hour(data.view("log")), HOURLY,
        """
        log_mib = sum(cis_created) * PAGE / MIB
        offloaded_mib = sum(cis_offloaded) * PAGE / MIB
        active_copies = max(log_copies)
        seconds = sum(interval_seconds)
        """,
    )  # fmt: skip
    shared = grouped(
        by_hour(data.view("smds")), HOURLY,
        """
        smds_pages_4k = sum(smds_write_pages * ci_bytes / 4096)
        smds_cpu_s = sum((0.7 * (smds_write_pages + smds_read_pages) + 0.8 * remote_read_pages) * ci_bytes / 4096) / 1e6
        smds_cpu_encrypted_s = sum((0.7 * (smds_write_pages + smds_read_pages) + 0.8 * remote_read_pages) * ci_bytes / 4096, where=smds_encrypted) / 1e6
        """,
    )  # fmt: skip
    offloads = {
        key: sum(row["cis_offloaded"] or 0 for row in rows) for key, rows in groups(data.view("log"), QMGR).items()
    }
    copies = {
        key: max(known(row["log_copies"] for row in rows), default=None)
        for key, rows in groups(data.view("log"), QMGR).items()
    }
    last: dict[tuple[Any, ...], bool | None] = {}
    for key, rows in groups(data.view("log"), QMGR).items():
        switched = [row for row in rows if (row["new_logs_copy1"] or 0) + (row["new_logs_copy2"] or 0) > 0]
        one = max(switched, key=lambda row: row["interval_start_utc"], default=None)
        last[key] = (
            None
            if one is None or one["new_logs_encrypted"] is None
            else one["new_logs_encrypted"] == (one["new_logs_copy1"] or 0) + (one["new_logs_copy2"] or 0)
        )
    parts = [{tuple(row[name] for name in HOURLY.split()): row for row in rows} for rows in (pages, logs, shared)]
    out = []
    for key in dict.fromkeys(key for part in parts for key in part):
        page, log, smds = (part.get(key, {}) for part in parts)
        given = (site(data).get(key[:2]) or {}).get("archive_copies")
        row: Row = {
            **dict(zip(HOURLY.split(), key, strict=True)),
            **{name: page.get(name) for name in ("read_pages", "immediate_write_pages", "deferred_write_pages", "page_set_cpu_s", "page_set_cpu_encrypted_s")},
            **{name: log.get(name) for name in ("log_mib", "offloaded_mib", "seconds")},
            "active_copies": first(log.get("active_copies"), copies.get(key[:2]), 1),
            **{name: smds.get(name) for name in ("smds_pages_4k", "smds_cpu_s", "smds_cpu_encrypted_s")},
            "archive_copies": first(given, 1) if offloads.get(key[:2]) else 0, "log_encrypted": last.get(key[:2]),
        }  # fmt: skip
        out.append(row)
    return computed(
        out,
        """
        log_cpu_s = (180 * log_mib * active_copies + offloaded_mib * (180 + 154 * archive_copies)) / 1e6
        total_cpu_s = first(page_set_cpu_s, 0) + first(log_cpu_s, 0) + first(smds_cpu_s, 0)
        total_cpu_now_s = first(page_set_cpu_encrypted_s, 0) + (first(log_cpu_s, 0) if log_encrypted else 0) + first(smds_cpu_encrypted_s, 0)
        cpus_equivalent = total_cpu_s / seconds
        """,
    )


def evidence(rows: list[Row], kind: str, name: str, count: str, encrypted: str, label: str) -> list[Row]:
    return [
        {
            **row, "item_kind": kind, "item_name": name.format(**row), "item_label": label.format(**row),
            "evidence_count": row[count], "encrypted_count": row[encrypted],
            "encrypted_pct": 100 * row[encrypted] / row[count] if row[count] and row[encrypted] is not None else None,
        }
        for row in rows
    ]  # fmt: skip


@view("encryption_evidence", "record_id item_kind item_name")
def encryption_evidence(data: Data) -> list[Row]:
    pages = [
        {**row, "secret": row["total_pages"] if row["encrypted"] else 0}
        for row in data.view("page_set")
        if row["status"] in ("Available", None) and row["encrypted"] is not None
    ]
    shared = [
        {**row, "secret": None if row["smds_encrypted"] is None else row["smds_blocks"] if row["smds_encrypted"] else 0}
        for row in data.view("smds")
        if row["smds_blocks"]
    ]
    logs = [{**row, "new": (row["new_logs_copy1"] or 0) + (row["new_logs_copy2"] or 0)} for row in data.view("log")]
    logs = [row for row in logs if row["new"]]
    return [
        *evidence(pages, "page set", "{page_set_id:02}", "total_pages", "secret", "page set {page_set_id}"),
        *evidence(
            shared,
            "shared message data set",
            "{cf_structure}",
            "smds_blocks",
            "secret",
            "shared message data set {cf_structure}",
        ),
        *evidence(logs, "active log", "copies 1 and 2", "new", "new_logs_encrypted", "new active logs"),
    ]


HIDDEN = {
    "page set": "AMS", "active log": "BSDS, archive logs", "shared message data set": "the CF structure, AMS", "channel group": "AT-TLS, AMS",
}  # fmt: skip
"""What SMF 115 and 116 do not show (catalogue, report encryption/state, by the kind that it belongs to)."""


@view("encryption_item", "lpar qmgr item_kind item_name")
def encryption_item(data: Data) -> list[Row]:
    """Data set encryption of page sets, logs and SMDS came with MQ 9.2.0 (V92); TLS of channels is older."""
    of_type = grouped(
        data.view("channel_cipher"), "lpar qmgr qsg mq_version record_id interval_start_utc channel_type",
        """
        evidence_count = sum(channel_instances)
        encrypted_count = sum(channel_instances - instances_without_tls)
        """,
    )  # fmt: skip
    channels = [
        {
            **row,
            "item_kind": "channel group",
            "item_name": row["channel_type"],
            "item_label": f"channels of type {row['channel_type']}",
        }
        for row in of_type
    ]
    out = []
    rows = [row for row in [*data.view("encryption_evidence"), *channels] if row["encrypted_count"] is not None]
    for members in groups(rows, "lpar qmgr item_kind item_name").values():
        states = {row["encrypted_count"] == row["evidence_count"] for row in members}
        row = max(members, key=lambda row: (row["interval_start_utc"], row["record_id"]))
        out.append({
            **row, "evidence_utc": row["interval_start_utc"], "encrypted_now": row["encrypted_count"] == row["evidence_count"],
            "changed_in_period": len(states) > 1, "not_visible": HIDDEN[row["item_kind"]],
            "supported": row["item_kind"] == "channel group" or level(row["mq_version"]) >= 90_200,
        })  # fmt: skip
    for members in groups(out, "lpar qmgr item_kind").values():
        mixed = len({row["encrypted_now"] for row in members}) > 1
        for row in members:
            row["mixed"] = mixed or any(0 < one["encrypted_count"] < one["evidence_count"] for one in members)
    return out


__all__ = ["HOUR", "joined"]
