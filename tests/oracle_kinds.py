"""Changes of decoded tables that make rows which no scenario has: queue managers under the names of others, lost
records, records without names.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mqstat.parsers import LAYOUTS
from mqstat.sql.columns import decoded_columns
from mqstat.sql.schemas import all_schemas

Tables = Mapping[str, pa.Table]
AMOUNTS = ("counter", "gauge", "high", "low", "duration")
"""The kinds of columns with amounts."""


def with_column(table: pa.Table, name: str, values: Any) -> pa.Table:
    """The table with other values of a column."""
    field = table.schema.field(name)
    given = values if isinstance(values, pa.ChunkedArray | pa.Array) else pa.array(values, field.type)
    return table.set_column(table.column_names.index(name), field, given.cast(field.type))


def crossed(tables: Tables) -> dict[str, pa.Table]:
    """Each queue manager three times: as it is, on an LPAR of its own name, and under the name of its LPAR."""
    last = pc.max(tables["record"]["record_id"]).as_py()
    both = zip(tables["record"]["lpar"].to_pylist(), tables["record"]["qmgr"].to_pylist(), strict=True)
    pairs = [{"lpar": lpar, "qmgr": qmgr} for lpar, qmgr in set(both) if lpar and qmgr]
    out = dict(tables)
    for name, table in tables.items():
        if not {"lpar", "qmgr"} <= set(table.column_names):
            continue
        parts = [table]
        for number, (to, of) in enumerate((("lpar", "qmgr"), ("qmgr", "lpar")), 1):
            alone = {row[of]: row[to] for row in sorted(pairs, key=lambda row: row[to], reverse=True)}
            kept = [
                alone.get(one) == other for one, other in zip(table[of].to_pylist(), table[to].to_pylist(), strict=True)
            ]
            copied = table.filter(pa.array(kept, pa.bool_()))
            copied = with_column(copied, to, copied[of])
            for column in {"record_id", "task_record_id"}.intersection(table.column_names):
                copied = with_column(copied, column, pc.add(copied[column], number * last))
            if "record_hash" in table.column_names:
                hashes = [bytes([number]) + old[:-1] for old in copied["record_hash"].to_pylist()]
                copied = with_column(copied, "record_hash", hashes)
            parts.append(copied)
        out[name] = pa.concat_tables(parts)
    return out


def regrouped(tables: Tables, seed: int = 11) -> dict[str, pa.Table]:
    """The same rows with three queue-sharing groups, whichever the queue manager: of some there are several, of some
    none.
    """
    rng = random.Random(seed)
    out = dict(tables)
    for name, column in (("record", "qsg"), ("qcct", "chinit_qsg"), ("qqst", "queue_qsg")):
        if name in tables:
            groups = [rng.choice(("QSG1", "QSG2", None)) for _ in range(tables[name].num_rows)]
            out[name] = with_column(tables[name], column, groups)
    return out


def lossy(tables: Tables, seed: int = 12, *, by_type: bool = False) -> dict[str, pa.Table]:
    """The same rows in two inputs, of which every eighth record is lost, and every tenth is damaged: it has no
    sections.

    After each fifteen records two numbers over all records are skipped. `by_type` = the second input has accounting
    only.
    """
    rng = random.Random(seed)
    records = tables["record"].to_pylist()
    fates = {row["record_id"]: rng.random() for row in records}
    inputs = {
        row["record_id"]: 1
        + (row["smf_type"] == 116 if by_type else rng.random() < 0.2 + 0.6 * (number > len(records) / 2))
        for number, row in enumerate(records)
    }
    order = {old: new for new, old in enumerate(sorted(inputs, key=lambda number: (inputs[number], number)), 1)}
    out = dict(tables)
    for name, table in tables.items():
        if "record_id" in table.column_names and name != "damage":
            numbers = table["record_id"].to_pylist()
            lost = 0.125 if name == "record" else 0.225
            moved = with_column(table, "source_id", [inputs[number] for number in numbers])
            moved = with_column(moved, "record_id", [order[number] for number in numbers])
            out[name] = moved.filter(pa.array([fates[number] >= lost for number in numbers], pa.bool_()))
    fates = {order[number]: fate for number, fate in fates.items()}
    totals = [None if old is None else old + old // 15 * 2 for old in out["record"]["trace_sequence"].to_pylist()]
    out["record"] = with_column(out["record"], "trace_sequence", totals)
    kept = out["record"].to_pylist()
    damaged = [row for row in kept if fates[row["record_id"]] < 0.225]
    broken = [fates[row["record_id"]] < 0.225 for row in kept]
    for name in (
        "interval_start_utc",
        "interval_end_utc",
        "interval_start_local",
        "interval_us",
        "record_us",
        "record_start_utc",
        "record_start_local",
    ):
        values = [None if bad else row[name] for row, bad in zip(kept, broken, strict=True)]
        out["record"] = with_column(out["record"], name, values)
    reasons = ["triplet-beyond-record" if bad else row["damage"] for row, bad in zip(kept, broken, strict=True)]
    out["record"] = with_column(out["record"], "damage", reasons)
    out["source"] = pa.concat_tables([tables["source"], with_column(tables["source"], "source_id", [2])])
    spans = [
        {
            "source_id": row["source_id"], "record_id": row["record_id"] if number % 2 else None,
            "damage_offset": row["source_offset"] + number % 3, "damage_bytes": row["record_bytes"], "spans": 1, "damage_reason": "triplet-beyond-record",
        }
        for number, row in enumerate(damaged)
    ]  # fmt: skip
    end = tables["source"]["source_bytes"][0].as_py()
    spans.append(
        {
            "source_id": 1,
            "record_id": None,
            "damage_offset": end - 9,
            "damage_bytes": 9,
            "spans": 1,
            "damage_reason": "garbage",
        }
    )
    out["damage"] = pa.Table.from_pylist(spans, schema=all_schemas()["damage"])
    others = []
    for number, row in enumerate(kept[:: max(1, len(kept) // 12)]):
        at = row["written_local"] + timedelta(seconds=rng.randrange(-600, 600))
        others.append(
            {
                "source_id": 1, "lpar": row["lpar"], "smf_type": 7 if number % 3 else 70, "records": 1 + number, "bytes": 100,
                "first_written_local": at, "last_written_local": at + timedelta(seconds=60 * (number % 4)),
            }
        )  # fmt: skip
    out["other_record"] = pa.concat_tables(
        [tables["other_record"], pa.Table.from_pylist(others, schema=tables["other_record"].schema)]
    )
    return out


def resized(tables: Tables, seed: int = 14) -> dict[str, pa.Table]:
    """The same rows with settings that change from row to row: sizes, limits and levels of other queue managers and of
    other days.
    """
    rng = random.Random(seed)
    out = dict(tables)
    for name in sorted(LAYOUTS.keys() & tables.keys()):
        for column, known in decoded_columns(name).items():
            table = out[name]
            if known.kind == "setting" and column in table.column_names and pa.types.is_integer(table[column].type):
                old = table[column].to_pylist()
                values = [None if value is None else rng.choice((value, 2 * value, 3 * value + 1)) for value in old]
                out[name] = with_column(table, column, values)
    for name, column, codes in (
        ("wq_cf", "verb", range(8)),
        ("wq_cf", "cf_operation", (10, 10, 12, 3)),
        ("wq", "page_set_raw", range(4)),
    ):
        if name in out:
            out[name] = with_column(out[name], column, [rng.choice(codes) for _ in range(out[name].num_rows)])
    return out


def doubled(tables: Tables, seed: int = 15) -> dict[str, pa.Table]:
    """The same rows and, of every fifth record, a second one of the same interval with a later number."""
    rng = random.Random(seed)
    numbers = tables["record"]["record_id"].to_pylist()
    last = max(numbers)
    chosen = pa.array([number for number in numbers if rng.random() < 0.2], tables["record"]["record_id"].type)
    out = dict(tables)
    for name, table in tables.items():
        if {"record_id", "interval_us"} <= set(table.column_names):
            copied = table.filter(pc.is_in(table["record_id"], chosen))
            copied = with_column(copied, "record_id", pc.add(copied["record_id"], last))
            if "record_hash" in table.column_names:
                copied = with_column(
                    copied, "record_hash", [b"2" + old[:-1] for old in copied["record_hash"].to_pylist()]
                )
            out[name] = pa.concat_tables([table, copied])
    return out


NAMES = (("lpar", 0.0, 0.15), ("qmgr", 0.15, 0.2), ("task_interval_end_utc", 0.2, 0.25))
OFFSETS = (("gmt_offset_minutes", 0.0, 0.1),)
"""Columns that `headless` leaves out of records, with the share of the records from and up to which it does so."""


def headless(
    tables: Tables, seed: int = 13, columns: Sequence[tuple[str, float, float]] = NAMES
) -> dict[str, pa.Table]:
    """The same rows, of which some records lack columns that are in all of their sections: the LPAR, the queue manager,
    or a time.
    """
    rng = random.Random(seed)
    fates = {number: rng.random() for number in tables["record"]["record_id"].to_pylist()}
    out = dict(tables)
    for name, table in tables.items():
        if {"lpar", "qmgr", "record_id", "interval_us"} <= set(table.column_names):
            of = [fates.get(number, 1) for number in table["record_id"].to_pylist()]
            for column, least, most in columns:
                if column in table.column_names:
                    pairs = zip(of, table[column].to_pylist(), strict=True)
                    out[name] = with_column(
                        out[name], column, [None if least <= fate < most else old for fate, old in pairs]
                    )
    return out


def jittered(tables: Tables, seed: int = 16) -> dict[str, pa.Table]:
    """The same rows with times up to four seconds, or two milliseconds, from those of the interval: each record of
    accounting and of channels has its own.
    """
    rng = random.Random(seed)
    records = tables["record"].select(["record_id", "record_class"]).to_pylist()
    own = {
        row["record_id"]: timedelta(milliseconds=rng.randrange(-4_000, 4_000))
        for row in records
        if row["record_class"] in ("115.231", "116.0", "116.1", "116.10")
    }
    out = dict(tables)
    for name, table in tables.items():
        if not {"record_id", "interval_us"} <= set(table.column_names):
            continue
        numbers = table["record_id"].to_pylist()
        for column in {
            "record_start_utc",
            "record_start_local",
            "interval_start_utc",
            "interval_end_utc",
            "interval_start_local",
            "task_interval_start_utc",
            "task_interval_end_utc",
            "connect_utc",
            "disconnect_utc",
        }.intersection(table.column_names):
            moved = [
                None if at is None else at + own.get(number, timedelta())
                for number, at in zip(numbers, table[column].to_pylist(), strict=True)
            ]
            out[name] = with_column(out[name], column, moved)
        if "task_start_utc" in table.column_names:
            starts = zip(
                out[name]["task_interval_start_utc"].to_pylist(), table["task_start_utc"].to_pylist(), strict=True
            )
            near = [
                at if start is None or rng.random() < 0.5 else start - timedelta(microseconds=rng.randrange(2_000))
                for start, at in starts
            ]
            out[name] = with_column(out[name], "task_start_utc", near)
    return out


def backwards(tables: Tables) -> dict[str, pa.Table]:
    """The same rows in the opposite order."""
    return {name: table.take(pa.array(range(table.num_rows)[::-1], pa.int64())) for name, table in tables.items()}


PARTS = (
    ("qjst", "has_log_io", "qjst_log_io"), ("wtas", "has_latches", "wtas_latch"), ("wtas", "has_cf", "wtas_cf"), ("wq", "has_cf", "wq_cf"),
    ("qest", "has_structures", "qest_structure"),
)  # fmt: skip
"""Tables with flags of what is in their section, and the tables of that."""


def partless(tables: Tables, seed: int = 17) -> dict[str, pa.Table]:
    """The same rows, of which every fifth section lacks its parts; the queue manager with the last name has records
    without sections.
    """
    rng = random.Random(seed)
    out = dict(tables)
    for name, flag, part in PARTS:
        if name in out:
            table = out[name]
            without = {number for number in table["record_id"].to_pylist() if rng.random() < 0.2}
            flags = [
                old and number not in without
                for number, old in zip(table["record_id"].to_pylist(), table[flag].to_pylist(), strict=True)
            ]
            out[name] = with_column(table, flag, flags)
            if part in out:
                kept = [number not in without for number in out[part]["record_id"].to_pylist()]
                out[part] = out[part].filter(pa.array(kept, pa.bool_()))
    last = max(name for name in tables["record"]["qmgr"].to_pylist() if name)
    parts = {part for _, _, part in PARTS} & out.keys()
    for name in (LAYOUTS.keys() & out.keys()) | parts:
        out[name] = out[name].filter(pa.array([qmgr != last for qmgr in out[name]["qmgr"].to_pylist()], pa.bool_()))
    return out


SHUFFLED = {
    "wtid": (
        "connection_job",
        "operator_id",
        "channel_name",
        "connection_name",
        "connection_type connection_type_code",
    ),
    "qqst": ("cf_structure", "page_set_id", "pool_id"),
    "wq": ("cf_structure", "index_type index_type_code"),
    "qcst": ("cipher_code", "channel_type channel_type_code", "partner_name"),
}
"""Names and codes that `shuffled` gives to other rows; columns that belong together stay so."""


def shuffled(tables: Tables, seed: int = 18) -> dict[str, pa.Table]:
    """The same rows with the names and codes of other rows of their table, ciphers and types of channels of all kinds,
    and sections of several lengths.
    """
    rng = random.Random(seed)
    out = dict(tables)
    for name, columns in SHUFFLED.items():
        for together in columns if name in out else ():
            order = list(range(out[name].num_rows))
            rng.shuffle(order)
            for column in together.split():
                out[name] = with_column(out[name], column, tables[name][column].take(pa.array(order, pa.int64())))
    if "qcst" in out:
        rows = out["qcst"].num_rows
        out["qcst"] = with_column(
            out["qcst"],
            "cipher_code",
            [rng.choice((0x1303, 0x1301, 0x000A, 0x002F, 0xC030, None)) for _ in range(rows)],
        )
        starts = out["qcst"]["interval_start_utc"].to_pylist()
        hours = [at and at.replace(minute=0, second=0, microsecond=0) for at in starts]
        out["qcst"] = with_column(out["qcst"], "exit_longest_at_utc", hours)
        types = next(field.codes or {} for field in LAYOUTS["qcst"].fields if field.name == "channel_type")
        owned = list(zip(*(out["qcst"][name].to_pylist() for name in ("lpar", "qmgr", "channel_name")), strict=True))
        chosen = {channel: rng.choice(sorted(types)) for channel in dict.fromkeys(owned)}
        numbers = [chosen[channel] for channel in owned]
        out["qcst"] = with_column(out["qcst"], "channel_type_code", numbers)
        out["qcst"] = with_column(out["qcst"], "channel_type", [types[number] for number in numbers])
    for name in ("qcct", "qsrs"):
        unlimited = [rng.random() < 0.4 for _ in range(out[name].num_rows if name in out else 0)]
        for column in out[name].column_names if name in out else ():
            if column.endswith("_no_limit"):
                limits = zip(unlimited, out[name][column.removesuffix("_no_limit")].to_pylist(), strict=True)
                out[name] = with_column(out[name], column, unlimited)
                values = [None if without else 4_096 if old is None else old for without, old in limits]
                out[name] = with_column(out[name], column.removesuffix("_no_limit"), values)
    if "qct_dns" in out:
        out["qct_dns"] = with_column(
            out["qct_dns"], "section_length", [rng.choice((48, 48, 32)) for _ in range(out["qct_dns"].num_rows)]
        )
    sections = out["section"].filter(pc.is_valid(out["section"]["structure"]))
    lengths = [old + 8 for old in sections["section_bytes"].to_pylist()]
    longer = with_column(with_column(sections, "section_bytes", lengths), "tail_bytes", [8] * sections.num_rows)
    out["section"] = pa.concat_tables([out["section"], longer])
    return out


QUEUES = (
    "SYSTEM.DEAD.LETTER.QUEUE", "SYSTEM.COMMAND.INPUT", "SYSTEM.ADMIN.PERFM.EVENT", "SYSTEM.CLUSTER.TRANSMIT.QUEUE", "SYSTEM.CHANNEL.SYNCQ",
    "SYSTEM.PROTECTION.POLICY.QUEUE", "REPLY.00C5D1E2F3A4B5C6", "REPLY.00C5D1E2F3A4B5C7", "AMQ.00C5D1E2F3A4B5C8", None,
)  # fmt: skip
"""Names that `renamed` gives to queues: those of the queue manager itself, and of temporary dynamic queues."""


def renamed(tables: Tables, seed: int = 20) -> dict[str, pa.Table]:
    """The same rows, of which every second queue has the name of one of the queue manager itself, or of a temporary
    queue, on any of three page sets.
    """
    rng = random.Random(seed)
    out = dict(tables)
    columns = [
        (name, column) for name, column in (("qqst", "queue"), ("wq", "base_name"), ("wq", "open_name")) if name in out
    ]
    known = sorted({old for name, column in columns for old in out[name][column].to_pylist() if old is not None})
    names = {old: QUEUES[number // 2 % len(QUEUES)] if number % 2 else old for number, old in enumerate(known)}
    for name, column in columns:
        out[name] = with_column(out[name], column, [names.get(old) for old in out[name][column].to_pylist()])
    for name, column in (("qqst", "page_set_id"), ("qqst", "pool_id"), ("wq", "page_set_raw"), ("wq", "pool_raw")):
        if name in out:
            old = out[name][column].to_pylist()
            values = [number if number is None or rng.random() < 0.5 else rng.randrange(3) for number in old]
            out[name] = with_column(out[name], column, values)
    return out


HOLED = ("counter", "gauge", "high", "low", "duration")
WITH_RECORD = ("interval_us", "record_us", "queue_blocks")
"""The kinds of columns that `holed` leaves out, and the columns that every section has."""


def holed(tables: Tables, seed: int = 19) -> dict[str, pa.Table]:
    """The same rows, of which every twentieth amount is not known, whichever the others are."""
    rng = random.Random(seed)
    out = dict(tables)
    for name in sorted(LAYOUTS.keys() & tables.keys()):
        for column, known in decoded_columns(name).items():
            if column in out[name].column_names and known.kind in HOLED and column not in WITH_RECORD:
                out[name] = with_column(
                    out[name], column, [None if rng.random() < 0.05 else old for old in out[name][column].to_pylist()]
                )
    return out
