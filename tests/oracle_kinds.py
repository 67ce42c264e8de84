"""Changes of decoded tables that make rows which no scenario has: queue managers under the names of others, lost records, records without names."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mqstat.parsers import LAYOUTS
from mqstat.sql.columns import decoded_columns
from mqstat.sql.schemas import all_schemas

Tables = Mapping[str, pa.Table]


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
    """The same rows with three queue-sharing groups, whichever the queue manager: of some there are several, of some none."""
    rng = random.Random(seed)
    out = dict(tables)
    for name, column in (("record", "qsg"), ("qcct", "chinit_qsg"), ("qqst", "queue_qsg")):
        if name in tables:
            groups = [rng.choice(("QSG1", "QSG2", None)) for _ in range(tables[name].num_rows)]
            out[name] = with_column(tables[name], column, groups)
    return out


def lossy(tables: Tables, seed: int = 12) -> dict[str, pa.Table]:
    """The same rows in two inputs, of which every eighth record is lost, and every tenth is damaged: it has no sections."""
    rng = random.Random(seed)
    records = tables["record"].to_pylist()
    fates = {row["record_id"]: rng.random() for row in records}
    inputs = {
        row["record_id"]: 1 + (rng.random() < 0.2 + 0.6 * (number > len(records) / 2))
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
            "damage_offset": row["source_offset"] + number % 3, "damage_bytes": row["record_bytes"], "damage_reason": "triplet-beyond-record",
        }
        for number, row in enumerate(damaged)
    ]  # fmt: skip
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
    """The same rows with settings that change from row to row: sizes, limits and levels of other queue managers and of other days."""
    rng = random.Random(seed)
    out = dict(tables)
    for name in sorted(LAYOUTS.keys() & tables.keys()):
        for column, known in decoded_columns(name).items():
            table = out[name]
            if known.kind == "setting" and column in table.column_names and pa.types.is_integer(table[column].type):
                old = table[column].to_pylist()
                values = [None if value is None else rng.choice((value, 2 * value, 3 * value + 1)) for value in old]
                out[name] = with_column(table, column, values)
    return out
