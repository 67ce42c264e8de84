"""Whether the input is complete, and whether accounting agrees with itself."""

from __future__ import annotations

from tests.oracle import Data, Row, view
from tests.oracle.formulas import SECOND, computed, grouped, groups, joined, known, where
from tests.oracle.records import CUT, QMGR, confirmed_rows
from tests.oracle.tasks import IMS

BROKEN_OFF = ("truncated", "missing-segment", "implausible-length")
"""Damage of a record whose end is missing."""


@view("quality_source", "source_id")
def quality_source(data: Data) -> list[Row]:
    """Type 2 begins a dump, type 3 ends it (z/OS System Management Facilities)."""
    damage, others = (groups(data.every(name), "source_id") for name in ("damage", "other_record"))
    rows = data.every("source")
    for row in rows:
        spans = damage.get((row["source_id"],), [])
        row["damaged_spots"] = sum(span["spans"] for span in spans)
        row["damaged_bytes"] = sum(span["damage_bytes"] for span in spans)
        cut = [
            span
            for span in spans
            if span["damage_reason"] in BROKEN_OFF
            and span["damage_offset"] + span["damage_bytes"] >= row["source_bytes"]
        ]
        row["ends_in_record"] = bool(cut)
        row["end_offset"] = max((span["damage_offset"] for span in cut), default=None)
        row["end_record_id"] = max((span["record_id"] for span in cut if span["record_id"] is not None), default=None)
        row["tiny_spots"] = sum(span["spans"] for span in spans if span["damage_bytes"] <= 2 * span["spans"])
        for smf_type, name in ((2, "dump_headers"), (3, "dump_trailers")):
            row[name] = sum(r["records"] for r in others.get((row["source_id"],), ()) if r["smf_type"] == smf_type)
    return computed(
        rows,
        """
        damaged_pct = 100 * damaged_bytes / source_bytes
        records_read = records_decoded + records_other_types + records_internal + records_raw + records_damaged + records_duplicate
        trailer_missing = dump_trailers < dump_headers if dump_headers > 0 else None
        """,
    )


@view("quality_duplicate", "source_id")
def quality_duplicate(data: Data) -> list[Row]:
    of = groups(data.view("record_duplicate"), "source_id")
    rows = data.every("source")
    for row in rows:
        mine = of.get((row["source_id"],), [])
        row["duplicate_records"], row["duplicate_bytes"] = len(mine), sum(r["record_bytes"] for r in mine)
        written = [r["written_local"] for r in mine]
        row["duplicate_record_id"] = min((r["record_id"] for r in mine), default=None)
        row["first_duplicate_local"], row["last_duplicate_local"] = (
            min(written, default=None),
            max(written, default=None),
        )
    return rows


@view("quality_level", QMGR)
def quality_level(data: Data) -> list[Row]:
    rows = where(
        confirmed_rows(data, of_level=True), "lpar is not None and qmgr is not None and mq_version is not None"
    )
    out = grouped(
        rows, QMGR,
        """
        mq_levels = distinct(mq_version)
        first_mq_version = earliest(mq_version, written_local, record_id)
        last_mq_version = last(mq_version, written_local, record_id)
        """,
    )  # fmt: skip
    for row in out:
        mine = [r for r in rows if all(r[name] == row[name] for name in QMGR.split())]
        row["level_changed_local"] = min(
            known(r["written_local"] for r in mine if r["mq_version"] == row["last_mq_version"]), default=None
        )
    return out


@view("quality_queue_pool", f"{QMGR} base_name page_set_id accounted_pool_id")
def quality_queue_pool(data: Data) -> list[Row]:
    """A page set that was moved to another pool has several pools; a shared queue is not in a pool."""
    pools = {
        key: {row["pool_id"] for row in rows}
        for key, rows in groups(data.view("page_set"), "lpar qmgr page_set_id").items()
    }
    rows = where(
        data.view("queue_use"), "first(is_shared, False) == False and page_set_known and base_name is not None"
    )
    out = grouped(
        computed(rows, "accounted_pool_id = pool_id"), f"{QMGR} base_name page_set_id accounted_pool_id",
        "record_id = min(record_id)\nqueue_blocks_seen = count()\nis_temporary_dynamic = any(is_temporary_dynamic)",
    )  # fmt: skip
    found = []
    for row in out:
        mine = pools.get((row["lpar"], row["qmgr"], row["page_set_id"]), set())
        if len(mine) == 1:
            (own,) = mine
            found.append({**row, "page_set_pool_id": own, "pool_differs": own != row["accounted_pool_id"]})
    return found


@view("ims_bridge", f"{QMGR} interval_start_utc queue ims_region")
def ims_bridge(data: Data) -> list[Row]:
    """Catalogue, ims/bridge: queues that the site file names, and regions of IMS (WTIDATYP 3 and 4) by hour."""
    queues = [
        row for row in data.view("queue_statistics") if row["queue_kind"] == "IMS bridge" and not row["depth_unknown"]
    ]
    backlog = {
        key: sum((row["depth_high"] if row["depth_high"] is not None else row["depth"]) > 1 for row in rows)
        for key, rows in groups(queues, "lpar qmgr queue").items()
    }
    empty = dict.fromkeys(
        "ims_region ims_tasks ims_mq_cpu_us ims_messages igq_puts reply_queue_index queue interval_seconds messages_put".split()
    )
    limits = computed(
        queues,
        """
        deepest = first(depth_high, depth)
        bridge_task_limit = 'bridge queue task may be the limit' if deepest > 1 and destructive_gets > 0 else None
        """,
    )
    out = [
        {**row, "intervals_with_backlog": backlog[row["lpar"], row["qmgr"], row["queue"]], **{name: row.get(name) for name in empty}}
        for row in limits
    ]  # fmt: skip
    spans = {
        tuple(row[name] for name in CUT.split()): row
        for row in grouped(
            data.view("message_manager"), CUT,
            "otel_bridge_spans = max(otel_bridge_spans)\notel_bridge_discarded = max(otel_bridge_discarded)",
        )
    }  # fmt: skip
    out = joined(out, spans, CUT, "otel_bridge_spans otel_bridge_discarded")
    tasks = [row for row in data.view("task") if row["connection_type_code"] in IMS]
    regions = grouped(
        computed(tasks, "interval_start_utc = task_hour_start_utc\nims_region = connection_job"), f"{QMGR} qsg interval_start_utc ims_region",
        "record_id = min(record_id)\nims_tasks = distinct(task_correlator)\nims_mq_cpu_us = sum(mq_cpu_us)\nims_messages = sum(task_messages)",
    )  # fmt: skip
    hour_of = {row["record_id"]: (row["task_hour_start_utc"], row["connection_job"]) for row in tasks}
    blocks = groups(
        [
            {**row, "hour": hour_of[row["task_record_id"]][0], "region": hour_of[row["task_record_id"]][1]}
            for row in data.view("queue_use") if row["task_record_id"] in hour_of
        ], "lpar qmgr hour region",
    )  # fmt: skip
    names = dict.fromkeys(out[0]) if out else {}
    for row in regions:
        mine = blocks.get((row["lpar"], row["qmgr"], row["interval_start_utc"], row["ims_region"]), [])
        kinds = {
            b["index_type"] for b in mine if (b["puts"] or 0) + (b["put1s"] or 0) > 0 and b["index_type"] is not None
        }
        row["igq_puts"] = sum(b["igq_puts"] for b in mine) if mine else None
        row["reply_queue_index"] = ", ".join(sorted(kinds)) or None
        out.append({**names, **empty, **row})
    return out


@view("quality_task_block", QMGR)
def quality_task_block(data: Data) -> list[Row]:
    """WTASWQCT against the queue blocks of the records, except within a second of the ends of the records of a queue
    manager in an input.
    """
    blocks = {key[0]: len(rows) for key, rows in groups(data.view("queue_use"), "task_record_id").items()}
    records = data.by("decoded.record", "record_id")
    ends = {
        key: (min(r["written_local"] for r in rows), max(r["written_local"] for r in rows))
        for key, rows in groups(where(data.raw("record"), "written_local is not None"), "source_id lpar qmgr").items()
    }

    def followed(number: int, *, before: bool) -> bool:
        """Whether a record is so far from the start (end) of its input that the other records of its task are in it."""
        record = records[number,]
        start, end = ends[record["source_id"], record["lpar"], record["qmgr"]]
        return bool(record["written_local"] > start + SECOND if before else record["written_local"] < end - SECOND)

    rows: list[Row] = []
    for task in data.raw("wtas"):
        seen = blocks.get(task["record_id"], 0)
        if task["queue_blocks"] is not None and followed(task["record_id"], before=False):
            rows.append(
                {
                    **task,
                    "orphan": False,
                    "counts": task["queue_blocks"] > 0 or seen > 0,
                    "missing": abs(task["queue_blocks"] - seen),
                }
            )
    for given in data.view("task_continuation"):
        if followed(given["record_id"], before=True):
            key = {name: records[given["record_id"],][name] for name in (*QMGR.split(), "record_id")}
            rows.append({**key, "orphan": given["task_record_id"] is None, "counts": True, "missing": 0})
    return grouped(
        rows, QMGR,
        """
        record_id = min(record_id, where=missing > 0 or orphan)
        tasks_checked = count(where=counts)
        tasks_incomplete = count(where=missing > 0)
        orphan_continuations = count(where=orphan)
        blocks_missing = sum(missing)
        tasks_failed = tasks_incomplete + orphan_continuations
        """,
    )  # fmt: skip
