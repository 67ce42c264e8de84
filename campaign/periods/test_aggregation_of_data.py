"""What headers state about putting rows together holds for data: the parts of a ratio give its values, and the grain is
the key of a report.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mqstat.assemble.aggregate import combine, keys, with_parts
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.open_data import open_data
from mqstat.sql.aggregation import part_values, parts_of
from mqstat.sql.columns import Column
from mqstat.sql.sqlfile import SqlFile
from mqstat.sql.workspace import Workspace
from tests.outside import outside
from tests.support import file_of
from tests.test_aggregation_contract import REPORTS, VIEWS

# ----------------------------------------------------------------------------------------------------- data and results

DATA = ("sample", "rich_estate", "accounting_day", "MQ10_MQ1O.dat", "TEST115.dat", "TEST116.dat", "TESTCHL.dat")


def dump_of(name: str, folder: Path) -> Path:
    """A scenario, which the sample is too, as a file, or a real dump."""
    if name in SCENARIOS:
        return file_of(SCENARIOS[name].build(), folder)
    return outside("MQSTAT_DUMPS", "the real dumps") / name


@pytest.fixture(params=DATA)
def data(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workspace]:
    """A database over one dump."""
    with open_data([str(dump_of(request.param, tmp_path))], jobs=1) as database:
        yield database


def unequal(db: Workspace, rows: str, columns: list[Column]) -> list[str]:
    """The columns whose values are not the scaled quotient of their parts, or null without it, with the number of such
    rows.
    """
    counts = []
    for column in columns:
        parts, ratio = parts_of(column), column.way.ratio
        assert parts
        assert ratio
        value = f'{ratio.scale!r} * "{parts.numerator}" / nullif("{parts.denominator}", 0)'
        near = f'coalesce(abs("{column.name}" - {value}) <= 1e-9 * greatest(1, abs({value})), false)'
        counts.append(
            f'count(*) FILTER (("{column.name}" IS NULL) <> ({value} IS NULL) OR "{column.name}" IS NOT NULL AND NOT {near})'
        )
    (found,) = db.execute(f"SELECT {', '.join(counts)} FROM ({rows})").fetchall()
    return [f"{column.name}: {count} rows" for column, count in zip(columns, found, strict=True) if count]


def test_a_ratio_is_the_quotient_of_its_parts(data: Workspace) -> None:
    """In every row of every view and report, the stated parts give the value of the column."""
    wrong: dict[str, list[str]] = {}
    for name, unit in (*VIEWS.items(), *REPORTS.items()):
        columns = [column for column in unit.columns.values() if column.way.ratio]
        if not columns:
            continue
        if unit.kind == "view":
            data.keep([f"SELECT * FROM {name}"])
            parts = [
                pair for column in columns for pair in zip(part_values(column), parts_of(column) or (), strict=True)
            ]
            rows = f"SELECT *{''.join(f', {value} AS {chr(34)}{part}{chr(34)}' for value, part in parts)} FROM {name}"
        else:
            data.keep([unit.text])
            made = with_parts(unit)
            rows = f"SELECT *{made.outside} FROM ({made.body})"
        wrong |= {name: bad} if (bad := unequal(data, rows, columns)) else {}
    assert wrong == {}


def test_the_grain_is_the_key_of_a_report(data: Workspace) -> None:
    repeated = []
    for name, unit in REPORTS.items():
        data.keep([unit.text])
        key = ", ".join(unit.header["grain"])
        (rows,) = data.execute(f"SELECT count(*), count(DISTINCT ({key},)) FROM ({unit.select})").fetchall()
        repeated += [name] if rows[0] != rows[1] else []
    assert repeated == []


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with open_data([str(dump_of("sample", tmp_path_factory.mktemp("sample")))], jobs=1) as database:
        yield database


def aggregated(db: Workspace, report: str, by: str = "interval", top: int | None = None) -> list[dict[str, Any]]:
    """The rows of a report that --by and --top show."""
    unit: SqlFile = REPORTS[report]
    db.keep([unit.text, "SELECT lpar FROM interval_cut"])
    described = db.execute(f"SELECT * FROM ({unit.select}) LIMIT 0").description
    return db.rows(combine(unit, {column[0]: str(column[1]) for column in described}, by, top).sql)


def test_a_day_has_the_averages_of_its_sums_and_the_gauges_of_its_intervals(sample: Workspace) -> None:
    """A reserve and a mean message are no sums of those of 96 intervals; a deferred write has at most 16 pages."""
    for row in aggregated(sample, "message_manager/persistence", "day"):
        for kind in ("persistent", "nonpersistent"):
            assert row[f"average_{kind}_bytes"] == pytest.approx(row[f"{kind}_put_bytes"] / row[f"{kind}_puts"])
    for row in aggregated(sample, "storage/region", "day"):
        assert row["sos_reserve_31_mib"] == row["sos_reserve_31_bytes"] / 1048576
        assert row["sos_reserve_31_bytes"] + row["cushion_64_bytes"] in {
            interval["sos_reserve_31_bytes"] + interval["cushion_64_bytes"]
            for interval in sample.rows(REPORTS["storage/region"].text)
        }
    writes = [row["pages_per_deferred_write"] for row in aggregated(sample, "page_set/io", "day")]
    assert max(filter(None, writes)) <= 16
    rates = {row["qmgr"]: row for row in aggregated(sample, "log/rate", "day")}
    for row in aggregated(sample, "message_manager/persistence", "day"):
        puts = row["persistent_puts"] + row["nonpersistent_puts"]
        assert rates[row["qmgr"]]["log_bytes_per_put"] == pytest.approx(
            row["log_bytes_per_persistent_put"] * row["persistent_puts"] / puts
        )


@pytest.mark.parametrize("report", ["application/cpu", "queue/cpu", "task/summary"])
def test_the_first_subjects_keep_their_names_and_shares(sample: Workspace, report: str) -> None:
    """Each keeps its key and the share that it has in the report; the total is everything, and averages are not
    added.
    """
    rows, whole = aggregated(sample, report, top=6), sample.rows(REPORTS[report].text)
    key = keys(REPORTS[report])
    first = [row for row in rows if row["rank"].isdigit()]
    assert [[row[name] for name in key] for row in first] == [[row[name] for name in key] for row in whole[:6]]
    shares = [[row["share_of_cpu_pct"] for row in part] for part in (first, whole[:6])]
    assert shares[0] == pytest.approx(shares[1])
    total = rows[-1]
    assert total["share_of_cpu_pct"] is None, "the rows of several queue managers are a share of none"
    average = "average_put_bytes" if report == "queue/cpu" else "cpu_per_message_us"
    known = [row[average] for row in whole if row[average] is not None]
    assert min(known) <= total[average] <= max(known)
    assert not [
        name
        for name in total
        if name.endswith(("_utc", "_local")) and total[name] is not None and name.startswith("interval")
    ]
