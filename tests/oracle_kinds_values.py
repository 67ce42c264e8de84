"""Changes of the values of decoded tables: other lengths and times of intervals, time zones, amounts that few records
have, queue managers that lack some.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mqstat.parsers import LAYOUTS
from mqstat.sql.columns import decoded_columns
from mqstat.sql.schemas import all_schemas
from tests.oracle_kinds import AMOUNTS, Tables, with_column

Row = dict[str, Any]
ALWAYS = ("qwhs", "qwhc", "qwhx", "wtas", "wtid", "qcct", "qwac")
"""Tables whose rows are never left out: a record without them would be another record."""
LENGTHS = {"interval_us", "record_us"}
STARTS = ("interval_start_utc", "interval_start_local", "record_start_utc", "record_start_local")


def _with_rows(table: pa.Table, columns: Collection[str], change: Callable[[Row], Row]) -> pa.Table:
    """The table with other values of those columns that it has, computed from each row."""
    present = [name for name in columns if name in table.column_names]
    rows = [change(row) for row in table.select([*present, *KEYS.intersection(table.column_names)]).to_pylist()]
    for name in present:
        table = with_column(table, name, [row[name] for row in rows])
    return table


KEYS = {"record_id", "lpar", "qmgr"}


def lacking(tables: Tables, seed: int = 21, share: float = 0.12) -> dict[str, pa.Table]:
    """The same rows as of queue managers of several levels: each lacks some tables, and has sections of another
    published length.
    """
    out = dict(tables)
    for name in sorted(LAYOUTS.keys() & tables.keys()):
        layout, table = LAYOUTS[name], out[name]
        owners = list(zip(table["lpar"].to_pylist(), table["qmgr"].to_pylist(), strict=True))
        rngs = {owner: random.Random(f"{seed} {name} {owner}") for owner in dict.fromkeys(owners)}
        lost = {owner: rng.random() < share and name not in ALWAYS for owner, rng in rngs.items()}
        lengths = {
            owner: layout.size if name in ALWAYS else rng.choice((layout.size, *layout.sizes))
            for owner, rng in rngs.items()
        }
        for field in layout.fields:
            for column in field.columns or (field.name,):
                if column in table.column_names and column not in LENGTHS and field.end > min(layout.sizes):
                    pairs = zip(owners, table[column].to_pylist(), strict=True)
                    table = with_column(
                        table, column, [old if field.end <= lengths[owner] else None for owner, old in pairs]
                    )
        if "section_length" in table.column_names and name not in ALWAYS:
            pairs = zip(owners, table["section_length"].to_pylist(), strict=True)
            table = with_column(table, "section_length", [min(lengths[owner], old) for owner, old in pairs])
        out[name] = table.filter(pa.array([not lost[owner] for owner in owners], pa.bool_()))
    return out


def spiked(tables: Tables, seed: int = 22, share: float = 0.04) -> dict[str, pa.Table]:
    """The same rows, of which few amounts, whichever the others are, are as large as their field allows, or
    negative.
    """
    rng = random.Random(seed)
    out = dict(tables)
    for name in sorted(
        name for name, table in tables.items() if "interval_us" in table.column_names and name != "record"
    ):
        for column, known in decoded_columns(name).items():
            if column in LENGTHS or column not in out[name].column_names or known.kind not in AMOUNTS:
                continue
            if pa.types.is_integer(out[name].schema.field(column).type):
                values = [
                    old
                    if old is None or rng.random() >= share
                    else rng.choice((1, 1, 1, -1)) * rng.randrange(2**29, 2**31)
                    for old in out[name][column].to_pylist()
                ]
                out[name] = with_column(out[name], column, values)
    return out


PIECES = ((0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (2.5, 0.9), (3.0, 0.3), (1.5, 0.4), (0.0, 0.004), (-2.0, 1.0), (30.0, 60.0))  # fmt: skip
"""Seconds by which an interval begins later, and the share of its length that it has."""


def cut(tables: Tables, seed: int = 23, pieces: Collection[tuple[float, float]] = PIECES) -> dict[str, pa.Table]:
    """The same rows in intervals that begin later or earlier, and are shorter or longer; records of one interval stay
    so.
    """
    choices = list(pieces)
    starts = {
        row["record_id"]: (row["record_start_utc"], row["smf_type"])
        for row in tables["record"].select(["record_id", "record_start_utc", "smf_type"]).to_pylist()
    }

    def change(row: Row) -> Row:
        start, smf_type = starts.get(row["record_id"], (None, None))
        if start is None or smf_type != 115:
            return row
        later, part = random.Random(f"{seed} {row['lpar']} {row['qmgr']} {start}").choice(choices)
        new = {name: row[name] + timedelta(seconds=later) for name in STARTS if row.get(name) is not None}
        new |= {name: int(row[name] * part) for name in LENGTHS if row.get(name) is not None}
        begin, length = new.get("interval_start_utc"), new.get("interval_us")
        if begin is not None and length is not None and row.get("interval_end_utc") is not None:
            new["interval_end_utc"] = begin + timedelta(microseconds=length)
        return row | new

    columns = (*STARTS, "interval_end_utc", *sorted(LENGTHS))
    return {
        name: _with_rows(table, columns, change) if {"record_id", "interval_us"} <= set(table.column_names) else table
        for name, table in tables.items()
    }


def late(tables: Tables, seed: int = 25) -> dict[str, pa.Table]:
    """The same rows in records that were written up to three seconds later, each its own time."""
    rng = random.Random(seed)
    fates = {
        number: timedelta(milliseconds=rng.randrange(3_000)) for number in tables["record"]["record_id"].to_pylist()
    }

    def change(row: Row) -> Row:
        return row | {
            name: row[name] + fates[row["record_id"]]
            for name in ("header_stck_utc", "written_local")
            if row.get(name) is not None
        }

    columns = ("header_stck_utc", "written_local")
    return {
        name: _with_rows(table, columns, change) if {"record_id", "written_local"} <= set(table.column_names) else table
        for name, table in tables.items()
    }


def brief(tables: Tables, seed: int = 26) -> dict[str, pa.Table]:
    """The same rows with accounting of a few seconds: each record of a task begins up to 40 seconds before its end."""
    rng = random.Random(seed)
    accounting = tables["record"].filter(pc.equal(tables["record"]["smf_type"], 116))
    fates = {
        number: timedelta(milliseconds=rng.choice((rng.randrange(1, 40_000), rng.randrange(10_000, 20_000))))
        for number in accounting["record_id"].to_pylist()
    }
    pairs = (
        ("task_interval_start_utc", "task_interval_end_utc", "task_interval_us"),
        ("interval_start_utc", "interval_end_utc", "interval_us"),
    )

    def change(row: Row) -> Row:
        length = fates.get(row["record_id"])
        if length is None:
            return row
        new: Row = {}
        for start, end, us in pairs:
            if row.get(start) is not None and row.get(end) is not None:
                new[start] = row[end] - length
                if start == "interval_start_utc" and row.get("interval_start_local") is not None:
                    new["interval_start_local"] = row["interval_start_local"] + (new[start] - row[start])
                if row.get(us) is not None:
                    new[us] = length // timedelta(microseconds=1)
        return row | new

    columns = [*(name for pair in pairs for name in pair), "interval_start_local"]
    return {
        name: _with_rows(table, columns, change) if {"record_id", "interval_us"} <= set(table.column_names) else table
        for name, table in tables.items()
    }


def first_pool(tables: Tables) -> dict[str, pa.Table]:
    """The same rows with buffer pools from 0 to 3 that are not the numbers of their page sets, after `differing` made
    10 to 13 of them.
    """
    out = dict(tables)
    for name, table in tables.items():
        for column in {"pool_id", "pool_raw"}.intersection(table.column_names):
            old = table[column].to_pylist()
            values = [number if number is None or number < 10 else (number - 9) % 4 for number in old]
            out[name] = with_column(out[name], column, values)
    return out


def scaled(tables: Tables, factor: float) -> dict[str, pa.Table]:
    """The same rows over a shorter or longer time: all moments and lengths of intervals, from the first one."""
    first = pc.min(tables["record"]["interval_start_utc"].cast(pa.int64())).as_py()
    out = dict(tables)
    for name, table in tables.items():
        if not {"interval_us", "gmt_offset_minutes"} <= set(table.column_names):
            continue
        minutes = pc.fill_null(table["gmt_offset_minutes"].cast(pa.int64()), 0)
        for field in table.schema:
            if pa.types.is_timestamp(field.type):
                begin = pc.add(pc.multiply(minutes, 60_000_000 * field.name.endswith("_local")), first)
                far = pc.subtract(table[field.name].cast(pa.int64()), begin)
                moved = pc.add(pc.multiply(far, factor).cast(pa.int64(), safe=False), begin)
                out[name] = with_column(out[name], field.name, moved.cast(field.type))
            elif field.name in LENGTHS:
                out[name] = with_column(
                    out[name], field.name, pc.multiply(table[field.name], factor).cast(pa.int64(), safe=False)
                )
    return out


VERSIONS = ("09030400", "09030500", "09030600", "08000001", "10000000", None)
CF_AMOUNTS = ("cf_requests", "cf_sync_requests", "cf_sync_us", "cf_async_requests", "cf_async_us")


QUIET = {"no_buffer_waits": 0, "synchronous_write_hits": 0, "pages_read": 0, "deferred_write_starts": 1}
"""A buffer pool that only starts to write."""


def filled(tables: Tables, seed: int = 27) -> dict[str, pa.Table]:
    """The same rows with what scenarios have once or never: CF requests of commits and prepares, a second DNS task,
    partners of several versions, latches without waits, copies of the log that stall on other data sets, a first buffer
    pool that only starts to write, and a pool without a low-water mark.
    """
    rng = random.Random(seed)
    out = dict(tables)
    if "wtas" in out:
        names = all_schemas()["wtas_cf"].names
        rows = [
            {name: row[name] for name in names if name in row}
            | {"cf_call": call, "cf_operation": operation, "cf_operation_name": f"operation {operation}"}
            | {name: rng.randrange(1_000) if rng.random() < 0.3 else 0 for name in CF_AMOUNTS}
            for row in tables["wtas"].to_pylist()
            for call in ("commit", "prepare")
            for operation in rng.sample(range(1, 20), 2)
        ]
        out["wtas_cf"] = pa.Table.from_pylist(rows, schema=all_schemas()["wtas_cf"])
    if "qct_dns" in out:
        second = with_column(out["qct_dns"], "section", pc.add(out["qct_dns"]["section"], 1))
        at = second["dns_longest_at_local"].to_pylist()
        second = with_column(second, "dns_longest_at_local", at[:1] * len(at))
        second = with_column(second, "dns_longest_us", [rng.randrange(3) for _ in range(second.num_rows)])
        out["qct_dns"] = pa.concat_tables([out["qct_dns"], second])
    if "qcst" in out:
        out["qcst"] = with_column(
            out["qcst"], "partner_version", [rng.choice(VERSIONS) for _ in range(out["qcst"].num_rows)]
        )
    if "qjst_log_io" in out:
        for name in ("io_longest_log", "request_longest_log"):
            out["qjst_log_io"] = with_column(
                out["qjst_log_io"], name, [rng.choice("ABC") for _ in range(out["qjst_log_io"].num_rows)]
            )
    if "qpst" in out:
        rows = [
            row | (QUIET | {"lowest_stealable": row["buffers"]} if row["pool_id"] == 0 else {})
            | ({"lowest_stealable": None} if row["pool_id"] == 2 else {})
            for row in out["qpst"].to_pylist()
        ]  # fmt: skip
        out["qpst"] = pa.Table.from_pylist(rows, schema=out["qpst"].schema)
    if "wtas_latch" in out:
        waits = [0 if rng.random() < 0.1 else old for old in out["wtas_latch"]["latch_class_waits"].to_pylist()]
        out["wtas_latch"] = with_column(out["wtas_latch"], "latch_class_waits", waits)
    return out
