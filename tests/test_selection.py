"""A selection matches the same rows of a dump and of the dataset made from it."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mqstat.base.errors import NoDataError, UsageError
from mqstat.base.selection import Selection, make
from mqstat.cli import run
from mqstat.fixtures.frame import smf_file
from mqstat.intake.open_data import open_data
from mqstat.parsers.tables import table_schemas
from mqstat.sql.decoded import needs_record, types_of
from mqstat.sql.workspace import Workspace
from tests.support import built_records, file_of

INPUTS = ("source", "damage", "lost_value")
"""Tables about whole inputs, which no selection changes."""

SELECTIONS = {
    "everything": make(),
    "the first day": make(date="2026-03-28"),
    "the second day": make(date="2026-03-29"),
    "statistics of a day": make(only=["115"], date="2026-03-29"),
    "accounting of the second day": make(only=["116"], date="2026-03-29"),
    "from within an interval": make(since="2026-03-28T23:45"),
    "before the end of an interval": make(until="2026-03-28T23:45"),
    "some minutes": make(since="2026-03-28T23:50", until="2026-03-29T00:10"),
    "a queue manager": make(qmgr=["MQ94"]),
    "an LPAR": make(lpar=["SYS0"], since="2026-03-28T23:45"),
}


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Statistics and accounting around midnight, of three queue managers in three time zones."""
    return file_of(smf_file(built_records()), tmp_path_factory.mktemp("night"))


@pytest.fixture(scope="module")
def dataset(night: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("set") / "data"
    assert run(["ingest", str(night), "--into", str(folder)]) in (0, 4)
    return folder


def rows_of(database: Workspace) -> dict[str, Counter[str]]:
    """The rows of every decoded table of records."""
    out = {}
    for name, schema in table_schemas().items():
        if name not in INPUTS:
            listed = ", ".join(f'"{column}"' for column in schema.names)
            out[name] = Counter(map(repr, database.execute(f"SELECT {listed} FROM decoded.{name}").fetchall()))
    return out


def everything() -> dict[str, list[str]]:
    return {name: schema.names for name, schema in table_schemas().items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", SELECTIONS)
def test_a_dump_and_its_dataset_give_the_same_rows(name: str, night: Path, dataset: Path) -> None:
    chosen: Selection = SELECTIONS[name]
    with open_data([str(night)], selection=chosen, columns=everything) as database:
        of_dump = rows_of(database)
    with open_data(dataset=dataset, selection=chosen) as database:
        of_dataset = rows_of(database)
    assert sum(of_dump["record"].values()) > 0
    different = {
        table: (len(rows - of_dataset[table]), len(of_dataset[table] - rows))
        for table, rows in of_dump.items()
        if rows != of_dataset[table]
    }
    assert different == {}, "table: rows of the dump only, rows of the dataset only"


def test_a_dump_and_its_dataset_refuse_the_same_selection(night: Path, dataset: Path) -> None:
    """Accounting is selected by the time written, so none is of the day on which its interval began."""
    chosen = make(only=["116"], date="2026-03-28")
    with pytest.raises(NoDataError) as of_dump, open_data([str(night)], selection=chosen):
        pass
    with pytest.raises(NoDataError) as of_dataset, open_data(dataset=dataset, selection=chosen):
        pass
    assert str(of_dump.value) == str(of_dataset.value)


def test_the_selections_choose(dataset: Path) -> None:
    """The fixture has accounting records on both days whose interval began on the first one."""
    crossing = "smf_type = 116 AND interval_start_local::DATE < written_local::DATE"
    with open_data(dataset=dataset, tables={"record"}) as database:
        total, late = database.execute(f"SELECT count(*), count(*) FILTER ({crossing}) FROM decoded.record").fetchall()[
            0
        ]
    assert late > 0
    for name, chosen in SELECTIONS.items():
        with open_data(dataset=dataset, selection=chosen, tables={"record"}) as database:
            count = database.execute("SELECT count(*) FROM decoded.record").fetchall()[0][0]
        assert (count == total) is chosen.is_all, name
        assert count > 0, name


def test_types_of_tables() -> None:
    assert types_of("qpst") == types_of("qjst_log_io") == {115}
    assert types_of("wq") == types_of("wtas_latch") == types_of("qcst") == {116}
    assert types_of("source") == types_of("section") == frozenset()
    assert [name for name in table_schemas() if needs_record(name)] == ["raw_bytes", "qwhc", "qwhs", "qwhx"]


@pytest.mark.parametrize("day", ["2026-03-02", "20260302", "2026-W10-1"])
def test_until_a_day_includes_it_in_every_format_of_a_date(day: str) -> None:
    assert make(until=day).until == dt.datetime(2026, 3, 3)
    assert make(until=f"{day}T00:00").until == dt.datetime(2026, 3, 2)


@pytest.mark.parametrize("option", ["qmgr", "lpar", "since", "until", "date"])
def test_an_empty_value_selects_nothing(option: str) -> None:
    """A variable that a job did not set must not select everything, or a queue manager without a name."""
    value: Any = [""] if option in ("qmgr", "lpar") else ""
    with pytest.raises(UsageError, match=f"--{option} is empty"):
        make(**{option: value})
