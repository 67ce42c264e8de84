"""The data over which the oracle checks the views: dumps, scenarios, and a dump whose figures all differ."""

from __future__ import annotations

import os
import random
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mqstat.assemble import compare
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.judge.engine import run_rules
from mqstat.parsers import LAYOUTS
from mqstat.sql import sqlfile
from mqstat.sql.columns import decoded_columns
from mqstat.sql.schemas import quoted, view_schema
from mqstat.sql.site import parse_site
from mqstat.sql.workspace import Workspace
from tests import oracle
from tests.opening import open_database
from tests.oracle_kinds import (
    OFFSETS,
    backwards,
    crossed,
    doubled,
    headless,
    holed,
    jittered,
    lossy,
    partless,
    regrouped,
    renamed,
    resized,
    shuffled,
)
from tests.oracle_kinds_records import clocked, emptied, growing, loose, releveled, sectioned, skipped, unflagged
from tests.oracle_kinds_values import brief, cut, filled, first_pool, lacking, late, scaled, spiked
from tests.support import decode_file, file_of

AMOUNTS = ("counter", "gauge", "high", "low", "duration", "internal")
"""The kinds of columns whose values `differing` exchanges."""
KEPT = {
    "interval_us",
    "record_us",
    "task_flags",
    "queue_blocks",
    "structure_version",
    "queue_flags",
    "section_length",
    "struct_length",
}


MISSING = (
    "qpst",
    "qmst",
    "qist",
    "qjst_log_io",
    "qis1",
    "qwhc",
    "qmac",
    "qcst",
    "wtas_latch",
    "qct_adp",
    "qct_ssl",
    "qct_dns",
    "qest_structure",
)
"""Tables of which `differing` leaves out some rows, so that joins have rows without a partner."""
SIDED = (
    "side", "side_figure", "side_setting", "measured_figure", "measured_use", "measured_setting", "compare_figure", "compare_setting", "compare_moved",
    "measured_hour", "hour_figure", "usual_figure", "class_hour",
)  # fmt: skip
"""Views that have rows where two sides are compared."""
RULED = {
    "finding": "FROM finding WHERE state IN ('breach', 'clear', 'clear in part', 'reported by')",
    "area_state": "",
    "finding_work": "",
}
"""Views that have rows where the rules ran; of the findings, those that a judgement decides: the others state why
nothing was judged."""
UNCUT = ("wtid", "qwhc", "qwhs")
"""Tables whose sections `shortened` leaves as they are: those of identification, and those with child tables."""
SITE = Path(__file__).parent / "oracle_site.toml"
"""A site file that gives every fact."""


def dumps() -> list[Path]:
    """The real dumps, if they are there."""
    folder = os.environ.get("MQSTAT_DUMPS")
    return sorted(Path(folder).glob("*.dat")) if folder else []


@lru_cache(maxsize=3)
def tables_of(name: str) -> Mapping[str, pa.Table]:
    """The decoded tables of a scenario, or of a file; those of the last ones are kept."""
    path = Path(name)
    if path.suffix == ".dat":
        return decode_file(path)[0]
    with tempfile.TemporaryDirectory() as folder:
        return decode_file(file_of(SCENARIOS[name].build(), Path(folder), f"{name}.smf"))[0]


def differing(
    tables: Mapping[str, pa.Table], seed: int = 1, *, small: bool = False, all_sizes: bool = False, ones: float = 0
) -> dict[str, pa.Table]:
    """The same rows with amounts that all differ: two columns that are exchanged, another denominator or min for max
    then show in every view.

    Zeros stay zeros in some rows, so that divisions by zero occur; nulls stay nulls. `small` = more than half of the
    amounts are from 0 to 3, so that equal values and the value 1 next to a limit of 0 occur. `all_sizes` = amounts of
    all sizes up to that of their field, few of them negative. `ones` = all amounts are 0, and this share of them 1, so
    that the sums of a subject are 1.
    """
    rng = random.Random(seed)
    out = {}
    alone = _alone(tables["record"])
    for name, whole in tables.items():
        table = whole.filter(pc.less(whole["section"], 8)) if name in ("qsph", "qsgm") else whole
        if name in MISSING:
            table = table.filter(pa.array([rng.random() > 0.05 for _ in range(table.num_rows)], pa.bool_()))
        if name == "qjst_log_io":  # a record in which nothing was written
            table = table.filter(pc.not_equal(table["record_id"], pc.max(table["record_id"])))
        columns, codes = decoded_columns(name), _codes(name, rng, table)
        arrays = []
        for field in table.schema:
            column = columns.get(field.name)
            if field.name in codes:
                arrays.append(pa.chunked_array([pa.array(codes[field.name], field.type)]))
                continue
            if field.name in ("pool_id", "pool_raw"):
                arrays.append(_renumbered(table, field.name))
                continue
            if field.name == "qmgr":
                arrays.append(_renamed(table, alone))
                continue
            amount = (
                column is not None
                and column.kind in AMOUNTS
                and pa.types.is_integer(field.type)
                and field.name not in KEPT
            )
            if not amount or name in ("record", "source", "section", "damage", "other_record"):
                arrays.append(table[field.name])
                continue
            values = [
                None if value is None else _amount(rng, field.name, value, small=small, all_sizes=all_sizes, ones=ones)
                for value in table[field.name].to_pylist()
            ]
            arrays.append(pa.chunked_array([pa.array(values, field.type)]))
        out[name] = pa.Table.from_arrays(arrays, schema=table.schema)
    return out


NAMES = {
    "wq": ("base_name", "open_name", "cf_structure"),
    "wtid": ("connection_job", "operator_id", "user_or_transaction", "channel_name", "connection_name"),
    "qwhc": ("connection_job", "operator_id"),
    "qcst": ("channel_name", "connection_name", "partner_name", "collected_utc"),
    "qqst": ("last_get_utc",),
}
"""Names and times of single rows that `nameless` leaves out: blanks or zeros in the record."""


def nameless(tables: Mapping[str, pa.Table], seed: int = 3) -> dict[str, pa.Table]:
    """The same rows, of which one in twelve lacks a name or a time that is in its own section."""
    rng = random.Random(seed)
    out = dict(tables)
    for name, columns in NAMES.items():
        for column in columns if name in out else ():
            field = out[name].schema.field(column)
            kept = pa.array([rng.random() >= 0.08 for _ in range(out[name].num_rows)], pa.bool_())
            values = pc.if_else(kept, out[name][column].combine_chunks(), pa.scalar(None, field.type))
            out[name] = out[name].set_column(out[name].column_names.index(column), field, values)
    return out


WHOLE = ("qwhs", "qwhc", "qwhx", "wtas", "wtid", "wq", "qcct", "qwac")
"""Tables whose rows `thinned` leaves: a record without them would be another record."""


def thinned(tables: Mapping[str, pa.Table], seed: int = 6) -> dict[str, pa.Table]:
    """The same rows without every tenth section and, of every tenth record, all sections of a kind, so that rows of
    views have no partner in another one.
    """
    rng = random.Random(seed)
    out = dict(tables)
    for name, table in tables.items():
        if name in LAYOUTS and name not in WHOLE:
            numbers = table["record_id"].to_pylist()
            without = {number for number in dict.fromkeys(numbers) if rng.random() < 0.1}
            kept = [number not in without and rng.random() >= 0.1 for number in numbers]
            out[name] = table.filter(pa.array(kept, pa.bool_()))
    return out


STARTS = ("record_start_utc", "record_start_local", "interval_start_utc", "interval_start_local")


def restarted(tables: Mapping[str, pa.Table]) -> dict[str, pa.Table]:
    """The same rows as if queue managers had started: with every fourth interval, or ten minutes after its start."""
    records = tables["record"]
    rows = [
        row for row in records.to_pylist() if row["record_class"] == "115.1" and row["record_start_utc"] is not None
    ]
    started = []
    for number, row in enumerate(rows[::4]):
        later = timedelta(minutes=10 * (number % 3))
        times = {name: row[name] + later for name in STARTS if row[name] is not None}
        own = {
            "record_class": "115.240",
            "subtype": 240,
            "record_id": 1_000_000 + number,
            "record_hash": row["record_hash"][::-1],
        }
        started.append({**row, **own, **times})
    return {**tables, "record": pa.concat_tables([records, pa.Table.from_pylist(started, schema=records.schema)])}


def shortened(tables: Mapping[str, pa.Table], seed: int = 2, share: float = 0.125) -> dict[str, pa.Table]:
    """The same rows as if every eighth section were one of an older level: fields after the end of its shorter
    published length are null.
    """
    rng = random.Random(seed)
    out = dict(tables)
    for name, whole in tables.items():
        layout, table = LAYOUTS.get(name), whole
        if layout is None or len(layout.sizes) < 2 or name in UNCUT:
            continue
        lengths = [rng.choice(layout.sizes) if rng.random() < share else layout.size for _ in range(table.num_rows)]
        lengths = [min(pair) for pair in zip(lengths, table["section_length"].to_pylist(), strict=True)]
        for field in layout.fields:
            for column in field.columns or (field.name,):
                if column not in table.column_names or column in KEPT or field.end <= min(layout.sizes):
                    continue
                place = table.column_names.index(column)
                kept = pa.array([field.end <= length for length in lengths], pa.bool_())
                values = pc.if_else(kept, table[column].combine_chunks(), pa.scalar(None, table[column].type))
                table = table.set_column(place, table.schema.field(column), values)
        place = table.column_names.index("section_length")
        out[name] = table.set_column(place, table.schema.field(place), pa.array(lengths, pa.int64()))
    return out


def _codes(name: str, rng: random.Random, table: pa.Table) -> dict[str, list[Any]]:
    """Other values of the columns with codes and flags of a decoded table; a word and its number stay together, nulls
    stay nulls.
    """
    out: dict[str, list[Any]] = {}
    layout = LAYOUTS.get(name)
    for field in layout.fields if layout and name not in ("wtid", "qwhc", "qwhs", "qcst") else ():
        if field.codes and field.name in table.column_names:
            known = sorted(field.codes)
            numbers = [None if old is None else rng.choice(known) for old in table[field.name].to_pylist()]
            out[field.name] = [None if number is None else field.codes[number] for number in numbers]
            out[f"{field.name}_code"] = numbers
    for field in table.schema if layout else ():
        if pa.types.is_boolean(field.type) and not re.match(r"has_|.*_(no_limit|shifted)$", field.name):
            out[field.name] = [None if old is None else rng.random() < 0.5 for old in table[field.name].to_pylist()]
    return out


def _renumbered(table: pa.Table, name: str) -> pa.ChunkedArray:
    """Buffer pools with other numbers than page sets: 10 more; a queue block whose page set and pool are 0 has no
    pool.
    """
    numbers = table[name].to_pylist()
    pages = table["page_set_raw"].to_pylist() if name == "pool_raw" else numbers
    others = [
        None if pool is None else pool if name == "pool_raw" and pool == 0 == page else pool + 10
        for pool, page in zip(numbers, pages, strict=True)
    ]
    return pa.chunked_array([pa.array(others, table.schema.field(name).type)])


def _amount(rng: random.Random, name: str, value: int, *, small: bool, all_sizes: bool, ones: float) -> int:
    """Another value of an amount; a row of latch waits always has a wait."""
    if ones:
        return int(name == "latch_class_waits" or rng.random() < ones)
    if all_sizes:
        return int(2 ** rng.uniform(0, 31)) * (-1 if rng.random() < 0.01 else 1)
    if small and rng.random() < 0.6:
        return rng.choice((1, 1, 2, 3) if name == "latch_class_waits" else (0, 0, 1, 1, 2, 3))
    return 0 if value == 0 and rng.random() < 0.3 else rng.randint(1_000, 90_000)


def _alone(records: pa.Table) -> frozenset[str]:
    """The LPARs without a queue manager MQ01."""
    both = set(zip(records["lpar"].to_pylist(), records["qmgr"].to_pylist(), strict=True))
    return frozenset(lpar for lpar, _ in both if lpar and (lpar, "MQ01") not in both)


def _renamed(table: pa.Table, alone: frozenset[str]) -> pa.ChunkedArray:
    """Queue managers of two LPARs with one name: MQ02 is called MQ01, too, where no other has this name."""
    both = zip(table["lpar"].to_pylist(), table["qmgr"].to_pylist(), strict=True)
    return pa.chunked_array(
        [pa.array(["MQ01" if name == "MQ02" and lpar in alone else name for lpar, name in both], pa.string())]
    )


KINDS: Mapping[str, Sequence[Callable[..., dict[str, pa.Table]]]] = {
    "own": (), "differ": (differing,), "small": (partial(differing, small=True),), "short": (differing, shortened), "unnamed": (differing, nameless),
    "thin": (thinned, differing), "restarted": (restarted, differing),
    "small unnamed": (partial(differing, small=True), nameless), "crossed": (crossed, regrouped, differing), "lossy": (lossy, differing),
    "crossed lossy": (crossed, lossy, late, differing), "resized": (regrouped, resized, shuffled, differing), "shorter": (partial(differing, small=True), partial(shortened, share=0.5)),
    "doubled": (doubled, differing), "jittered": (jittered, differing), "partless": (partless, jittered, differing),
    "shuffled": (shuffled, differing), "holed": (differing, holed), "small backwards": (partial(differing, small=True), backwards), "wide": (partial(differing, all_sizes=True),), "headless": (headless, restarted, differing), "without offset": (partial(headless, columns=OFFSETS), differing),
    "ones": (partial(differing, ones=0.08),), "renamed": (renamed, partial(differing, small=True)),
    "mixed": (crossed, regrouped, shuffled, resized, thinned, restarted, partial(differing, seed=12, small=True), nameless), "small holed": (partial(differing, small=True), holed),
    "other lossy": (partial(lossy, seed=40), late, partial(differing, seed=10, small=True)),
    "small lossy": (partial(lossy, by_type=True), partial(differing, small=True)),
    "lacking": (crossed, lacking, partial(differing, seed=31, small=True)),
    "spiked": (partial(differing, seed=22, small=True), spiked),
    "cut": (restarted, cut, late, partial(differing, seed=23, small=True), first_pool),
    "brief": (partial(headless, columns=(("gmt_offset_minutes", 0.0, 0.5),)), brief, shuffled, partial(differing, seed=24), first_pool, filled),
    "rare": (crossed, partial(lacking, share=0.3), partial(differing, seed=25, ones=0.01), first_pool),
    "minutes": (partial(scaled, factor=1 / 30), regrouped, resized, partial(differing, seed=26, small=True), late),
    "other places": (shuffled, partial(differing, seed=27, small=True), first_pool),
    "empty": (emptied,), "clocked": (releveled, clocked, partial(differing, small=True)), "sectioned": (sectioned, differing, unflagged),
    "skipped": (crossed, skipped, partial(differing, small=True)), "loose": (loose, jittered, partial(differing, small=True)),
    "crossed doubled": (crossed, doubled, partial(differing, small=True), backwards), "growing": (growing,),
}  # fmt: skip
"""How the tables of a scenario are changed, by the name of what comes out."""


@contextmanager
def opened(name: str, kind: str = "own") -> Iterator[Workspace]:
    """A database over the decoded tables of a scenario or of a file, changed as `KINDS` states, without views.

    Its own site file goes with the own tables of a scenario, and one that gives every fact with changed ones.
    """
    tables = tables_of(name)
    for change in KINDS[kind]:
        tables = change(tables)
    own = SCENARIOS[name].site if name in SCENARIOS else ""
    site = parse_site(SITE.read_text(encoding="utf-8") if KINDS[kind] else own, "site.toml")
    with open_database(tables, views=False, threads=1, site=site) as db:
        yield db


def rows_of(db: Workspace, view: str, sql: str = "") -> list[dict[str, Any]]:
    """The rows of a view, or of another SELECT in its place, as the oracle has them."""
    cursor = db.execute(sql or f"FROM {quoted(view)}")
    names = [column[0] for column in cursor.description]
    return oracle.plain_rows(names, cursor.fetchall())


def check_all(db: Workspace, views: Mapping[str, Any]) -> tuple[dict[str, oracle.Checked], oracle.Data]:
    """Check views of the oracle over a database."""
    read = frozenset[str]().union(*map(sqlfile.with_views_below, views))
    db.keep_named([view for view in sqlfile.views() if view in read])
    data = oracle.Data(db.execute)
    return {name: oracle.check(name, data, rows_of(db, name, RULED.get(name, ""))) for name in views}, data


@contextmanager
def ruled(name: str, kind: str = "own") -> Iterator[Workspace]:
    """The same as `opened`, after the rules ran."""
    with opened(name, kind) as db:
        run_rules(db)
        yield db


@contextmanager
def two_sides(name: str) -> Iterator[Workspace]:
    """A database over a scenario whose comparison is filled: before and after with amounts of their own, in all ways to
    match hours.

    Each side lacks some objects and a record class that the other one has: they appear and vanish.
    """
    measured = []
    for seed, side in enumerate(("before", "after"), 1):
        with open_database(_one_sided(tables_of(name), seed), views=False, threads=1) as db:
            hours = [row for qmgr, seen in compare.extent(db).hours.items() for row in _hours(qmgr, seen)]
            measured.append(compare.measure(db, side, hours))
            if side == "after":
                classes = compare.measure(db, side, hours, (compare.CLASS_HOURS,))
                compare.fill(db, [*measured, [("hour_figure", hours_of_days()), *classes]])
                yield db


def hours_of_days(seed: int = 5) -> pa.Table:
    """Figures of hours of a day and of up to five weeks before it, which have many, few or no days, gaps, weekends and
    values far from all others.
    """
    rng = random.Random(seed)
    rows = []
    for lpar, subject, figure, weeks, week_days in (
        ("SYS1", "", 1, 5, range(7)), ("SYS2", "", 1, 5, range(7)), ("SYS1", "", 4, 5, range(7)), ("SYS1", "", 24, 1, range(7)),
        ("SYS1", "buffer pool 1", 32, 1, range(5)), ("SYS1", "buffer pool 1", 33, 1, range(2)), ("SYS1", "page set 2", 36, 0, range(0)),
        ("SYS2", "structure A", 42, 1, range(3, 7)), ("SYS2", "log copy 1", 56, 4, (2, 5, 6)),
    ):  # fmt: skip
        typical = rng.uniform(5, 90)
        for today in (2, 5, 6):
            for hour in range(8, 14):
                value = rng.choice((typical, 3 * typical, -typical, 0.0, 1.2 * typical)) * rng.uniform(0.9, 1.1)
                found = None if rng.random() < 0.1 else value
                rows.append(("after", lpar, subject, figure, 1_000 + today, 24 * today + hour, found))
                for week in range(weeks) if today == 2 else ():
                    for day in week_days:
                        part = (
                            rng.choice((0.9, 1.0, 1.1, 1.1, 4.0)) * rng.uniform(0.95, 1.05) * (0.3 if day > 4 else 1.0)
                        )
                        old = None if rng.random() < 0.1 else typical * part
                        rows.append(("before", lpar, subject, figure, 993 - 7 * week + day, 24 * day + hour, old))
    names = ("side_name", "lpar", "subject", "figure_number", "day_number", "hour_of_week", "hour_value")
    listed = [{**dict(zip(names, row, strict=True)), "qmgr": "MQ01"} for row in rows]
    return pa.Table.from_pylist(listed, schema=view_schema("hour_figure"))


def _one_sided(tables: Mapping[str, pa.Table], seed: int) -> dict[str, pa.Table]:
    """The tables with amounts of their own, without the first (or second) page set, pool and structure, and without
    queue statistics (or channels).
    """
    out = differing(tables, seed)
    for table, column in (
        ("qis1", "page_set_id"),
        ("qpst", "pool_id"),
        ("qest_structure", "cf_structure"),
        ("qesd", "cf_structure"),
    ):
        names = sorted(set(out[table][column].to_pylist()))
        out[table] = out[table].filter(pc.not_equal(out[table][column], names[min(seed, len(names)) - 1]))
    lost = ("115.216", "116.10")[seed - 1]
    out["record"] = out["record"].filter(pc.not_equal(out["record"]["record_class"].cast("string"), lost))
    return out


def _hours(qmgr: compare.Qmgr, seen: Mapping[int, Any]) -> list[compare.SideRow]:
    """All three ways to match hours."""
    return [
        row
        for way in ("week", "day", "all")
        for row in compare.slot_rows(qmgr, way, {hour % {"week": 168, "day": 24, "all": 1}[way] for hour in seen})
    ]
