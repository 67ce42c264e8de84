"""Changes of decoded tables that make records which no scenario has: clocks that change, sections of several lengths,
flags that are not known, empty inputs.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import pyarrow as pa

from mqstat.parsers import LAYOUTS
from mqstat.sql.columns import decoded_columns
from tests.oracle_kinds import WITH_RECORD, with_column

Tables = Mapping[str, pa.Table]


def emptied(tables: Tables) -> dict[str, pa.Table]:
    """The same tables without rows, as of an input without records of MQ."""
    return {name: table if name == "source" else table.slice(0, 0) for name, table in tables.items()}


def _of_records(tables: Tables) -> Iterator[tuple[str, list[int]]]:
    """The tables whose rows are of a record, with its number for each row."""
    for name, table in tables.items():
        if name != "damage" and "record_id" in table.column_names:
            yield name, table["record_id"].to_pylist()


OFFSETS = ((0, 60, 0), (0, 60, 105), (120, 90, 120), (0, 0, 45), (-300, -240, -240), (60, 60, 60))
"""Offsets from GMT of the thirds of the records of a queue manager, in minutes."""
LATER = ((0, 30, 50), (0, 28, 56), (0, 27, 60), (0, 0, 0), (0, 40, 80), (0, 1, 29))
"""Days by which these thirds are later."""


def clocked(tables: Tables, seed: int = 21) -> dict[str, pa.Table]:
    """The same rows in three parts, weeks apart, with offsets from GMT of their own; records have lengths and times of
    writing that do not fit their interval.
    """
    rng = random.Random(seed)
    rows = tables["record"].select(["record_id", "lpar", "qmgr", "written_local"]).to_pylist()
    owners = sorted({(row["lpar"] or "", row["qmgr"] or "") for row in rows})
    offsets: dict[int, int] = {}
    later: dict[int, timedelta] = {}
    for number, owner in enumerate(owners):
        mine = sorted({row["written_local"] for row in rows if (row["lpar"] or "", row["qmgr"] or "") == owner})
        thirds = {at: 3 * place // len(mine) for place, at in enumerate(mine)}
        for row in rows:
            if (row["lpar"] or "", row["qmgr"] or "") == owner:
                third = thirds[row["written_local"]]
                offsets[row["record_id"]] = OFFSETS[number % len(OFFSETS)][third]
                later[row["record_id"]] = timedelta(days=LATER[number % len(LATER)][third])
    out = dict(tables)
    for name, numbers in _of_records(tables):
        for field in tables[name].schema:
            if pa.types.is_timestamp(field.type) or pa.types.is_date(field.type):
                old = zip(numbers, tables[name][field.name].to_pylist(), strict=True)
                moved = [None if at is None else at + later.get(record, timedelta()) for record, at in old]
                out[name] = with_column(out[name], field.name, moved)
        if "gmt_offset_minutes" in tables[name].column_names:
            out[name] = with_column(out[name], "gmt_offset_minutes", [offsets.get(record) for record in numbers])
    own = {row["record_id"]: timedelta(milliseconds=rng.randrange(-2_000, 2_000)) for row in rows}
    for name, numbers in _of_records(tables):
        if "written_local" in tables[name].column_names:
            written = zip(numbers, out[name]["written_local"].to_pylist(), strict=True)
            out[name] = with_column(out[name], "written_local", [at and at + own[record] for record, at in written])
    clocks = [
        at and at + timedelta(milliseconds=rng.randrange(-900, 900))
        for at in out["record"]["header_stck_utc"].to_pylist()
    ]
    kept = [name in ("115.231", "116.10") or rng.random() < 0.9 for name in out["record"]["record_class"].to_pylist()]
    lengths = zip(kept, out["record"]["record_us"].to_pylist(), strict=True)
    out["record"] = with_column(out["record"], "header_stck_utc", clocks)
    out["record"] = with_column(
        out["record"], "record_us", [old if same else rng.choice((None, 0, 1, 2, 3)) for same, old in lengths]
    )
    return out


def sectioned(tables: Tables, seed: int = 22) -> dict[str, pa.Table]:
    """The same rows with sections of several lengths of each kind in a second input, of kinds that nobody knows, and of
    those that MQ alone uses.
    """
    rng = random.Random(seed)
    rows: list[dict[str, Any]] = tables["section"].to_pylist()
    more = []
    for number, row in enumerate(rows):
        longer = rng.choice((0, 1, 2, 8))
        known = None if number % 3 == 0 else row["structure"]
        made = {
            **row, "source_id": 2, "sections": row["sections"] + number, "structure": known, "triplet": row["triplet"] if known else rng.choice((4, 5, 9)),
            "section_bytes": rng.choice((0, 1, 2, 40)) if known is None else row["section_bytes"] + longer,
            "section_bytes_known": None if known is None else row["section_bytes_known"] - rng.choice((0, 4)),
            "tail_bytes": None if known is None else longer,
        }  # fmt: skip
        more += [
            made,
            {
                **made,
                "source_id": 1,
                "sections": 3,
                "record_class": rng.choice(("115.240", "115.1", row["record_class"])),
            },
        ]
    return {
        **tables,
        "section": pa.concat_tables([tables["section"], pa.Table.from_pylist(more, schema=tables["section"].schema)]),
    }


def unflagged(tables: Tables, seed: int = 23) -> dict[str, pa.Table]:
    """The same rows, of which every tenth flag is not known."""
    rng = random.Random(seed)
    out = dict(tables)
    for name in sorted(LAYOUTS.keys() & tables.keys()):
        for field in tables[name].schema:
            if pa.types.is_boolean(field.type) and not re.match(r"has_|.*_(no_limit|shifted)$", field.name):
                old = tables[name][field.name].to_pylist()
                out[name] = with_column(out[name], field.name, [None if rng.random() < 0.1 else flag for flag in old])
    return out


LEVELS = ("7.1.0", "8.0.0", "9.0.0", "9.3.0", "9.4.0")
SINCE = {"115.201": "9.0.0", "115.215": "8.0.0", "115.216": "9.3.0", "115.231": "8.0.0", "116.10": "8.0.0"}
"""Levels of queue managers, and the level since which a class of records is written."""


def releveled(tables: Tables) -> dict[str, pa.Table]:
    """The same rows as if each queue manager had a level of its own, without the classes that came later; the first
    starts with each interval, the last has lost class 115.1, too.
    """
    rows = tables["record"].select(["record_id", "lpar", "qmgr", "record_class"]).to_pylist()
    owners = sorted({(row["lpar"], row["qmgr"]) for row in rows}, key=str)
    levels = {owner: LEVELS[number % len(LEVELS)] for number, owner in enumerate(owners)}
    late = {
        row["record_id"] for row in rows
        if levels[row["lpar"], row["qmgr"]] < SINCE.get(row["record_class"], "")
        or (row["record_class"] == "115.1" and (row["lpar"], row["qmgr"]) == owners[-1])
    }  # fmt: skip
    out = dict(tables)
    for name, table in tables.items():
        if {"lpar", "qmgr", "mq_version"} <= set(table.column_names):
            given = zip(*(table[column].to_pylist() for column in ("lpar", "qmgr", "mq_version")), strict=True)
            versions = [old and levels.get((lpar, qmgr), old) for lpar, qmgr, old in given]
            out[name] = with_column(table, "mq_version", versions)
        if "record_id" in table.column_names and name != "damage":
            kept = [number not in late for number in table["record_id"].to_pylist()]
            out[name] = out[name].filter(pa.array(kept, pa.bool_()))
    started = [
        {**row, "record_class": "115.240", "subtype": 240, "record_id": 3_000_000 + number, "record_hash": row["record_hash"][::-1]}
        for number, row in enumerate(out["record"].to_pylist())
        if row["record_class"] == "115.1" and (row["lpar"], row["qmgr"]) == owners[0]
    ]  # fmt: skip
    schema = out["record"].schema
    out["record"] = pa.concat_tables([out["record"], pa.Table.from_pylist(started, schema=schema)])
    return out


def loose(tables: Tables, seed: int = 26) -> dict[str, pa.Table]:
    """The same rows, in which tasks lack some or all of their queue blocks or are of Advanced Message Security, and
    names of transactions end with a binary zero.
    """
    rng = random.Random(seed)
    out = dict(tables)
    if "wq" in out:
        tasks = set(out["wtas"]["record_id"].to_pylist())
        numbers = out["wq"]["record_id"].to_pylist()
        lost = {number: rng.random() for number in dict.fromkeys(numbers)}
        kept = [
            number not in tasks or (lost[number] > 0.2 and (lost[number] > 0.4 or rng.random() < 0.5))
            for number in numbers
        ]
        out["wq"] = out["wq"].filter(pa.array(kept, pa.bool_()))
    for name in ("wtid", "qwhc"):
        if name in out:
            pairs = zip(out[name]["qmgr"].to_pylist(), out[name]["connection_job"].to_pylist(), strict=True)
            out[name] = with_column(
                out[name],
                "connection_job",
                [f"{(qmgr or '').strip()}AMSM" if rng.random() < 0.15 else old for qmgr, old in pairs],
            )
    if "wtid" in out:
        ended = [rng.random() < 0.3 for _ in range(out["wtid"].num_rows)]
        for column, zero, width in (("thread_reference_text", "\0", 1), ("thread_reference", "00", 2)):
            old = zip(ended, out["wtid"][column].to_pylist(), strict=True)
            ends = [text[: 7 * width] + zero + text[8 * width :] if short and text else text for short, text in old]
            out["wtid"] = with_column(out["wtid"], column, ends)
    return out


def skipped(tables: Tables, seed: int = 27) -> dict[str, pa.Table]:
    """The same rows, of which each queue manager has lost up to three records and skips up to four numbers over all
    records, with or without a record lost there.
    """
    rng = random.Random(seed)
    rows = tables["record"].select(["record_id", "lpar", "qmgr", "trace_sequence", "header_stck_utc"]).to_pylist()
    added: dict[int, int] = {}
    lost: set[int] = set()
    for owner in sorted({(row["lpar"], row["qmgr"]) for row in rows}, key=str):
        mine = [row for row in rows if (row["lpar"], row["qmgr"]) == owner and row["trace_sequence"]]
        mine.sort(key=lambda row: (row["header_stck_utc"], row["trace_sequence"]))
        places = [rng.randrange(len(mine)) for _ in range(rng.randrange(4))] if mine else []
        lost |= {mine[place]["record_id"] for place in places}
        jumps = [rng.randrange(len(mine)) for _ in range(rng.randrange(5))] if mine else []
        jumps += [place for place in places if rng.random() < 0.3]
        for place, row in enumerate(mine):
            added[row["record_id"]] = 3 * sum(jump <= place for jump in jumps)
    out = dict(tables)
    totals = zip(tables["record"]["record_id"].to_pylist(), tables["record"]["trace_sequence"].to_pylist(), strict=True)
    numbers = [None if old is None else old + added.get(record, 0) for record, old in totals]
    out["record"] = with_column(out["record"], "trace_sequence", numbers)
    for name, records in _of_records(tables):
        out[name] = out[name].filter(pa.array([number not in lost for number in records], pa.bool_()))
    return out


GROWTH = (-0.01, 0.0, 0.002, 0.01, 0.03, 0.08)
"""Parts by which amounts change each day."""


def growing(tables: Tables, seed: int = 28) -> dict[str, pa.Table]:
    """The same rows, in which the amounts of each table change evenly from day to day, up or down; every second queue
    manager starts in between.
    """
    rng = random.Random(seed)
    out = dict(tables)
    first = min(tables["record"]["written_local"].to_pylist())
    for name in sorted(LAYOUTS.keys() & tables.keys()):
        owners = list(zip(tables[name]["lpar"].to_pylist(), tables[name]["qmgr"].to_pylist(), strict=True))
        rates = {owner: rng.choice(GROWTH) for owner in sorted(set(owners), key=str)}
        days = [(at - first).days for at in tables[name]["written_local"].to_pylist()]
        factors = [1 + rates[owner] * day + rng.uniform(0, 0.001) for owner, day in zip(owners, days, strict=True)]
        for column, known in decoded_columns(name).items():
            is_amount = known.kind in ("counter", "gauge", "high", "duration") and column not in WITH_RECORD
            if is_amount and column in tables[name].column_names and pa.types.is_integer(tables[name][column].type):
                pairs = zip(factors, tables[name][column].to_pylist(), strict=True)
                values = [None if old is None else round(old * factor) for factor, old in pairs]
                out[name] = with_column(out[name], column, values)
    begun = []
    records = tables["record"]
    rows = [row for row in records.to_pylist() if row["record_class"] == "115.1"]
    for number, owner in enumerate(sorted({(row["lpar"], row["qmgr"]) for row in rows}, key=str)):
        mine = [row for row in rows if (row["lpar"], row["qmgr"]) == owner]
        if number % 2 == 0:
            row = mine[len(mine) * (number + 1) // (number + 4)]
            own = {"record_class": "115.240", "subtype": 240, "record_id": 2_000_000 + number}
            begun.append({**row, **own, "record_hash": row["record_hash"][::-1]})
    out["record"] = pa.concat_tables([records, pa.Table.from_pylist(begun, schema=records.schema)])
    return out
