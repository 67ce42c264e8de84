"""Facts: rows of views as Parquet files that are those of the views, and of which a later run replaces only those whose rows have changed."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest

from campaign.dataset.test_place import hour
from mqstat.base.object_store import StoredFile
from mqstat.cli import run
from mqstat.dataset import facts as written
from mqstat.dataset.description import KEY
from mqstat.dataset.place import Home
from mqstat.dataset.store import open_dataset
from mqstat.dataset.verification import verify
from mqstat.fixtures.day import intervals
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import SCENARIOS, rich_estate
from mqstat.intake.facts import fact_views, is_of_one_day
from mqstat.intake.open_data import open_data
from mqstat.sql.sqlfile import views
from mqstat.sql.views import view_types
from tests.object_stores import faulty, in_folder
from tests.support import file_of, invoke
from tests.test_floor import ROOT, digest_of, floor  # noqa: F401 - a fixture

SOME = ("record", "task_identity", "buffer_pool", "quality_rate")
"""Views of one day, with rows and without, and views of the run with and without a column with the day of a row."""


def text_of(row: Mapping[str, Any]) -> str:
    """A row as text, numbers with ten digits: the last bits of a sum depend on the order of rows."""
    return repr([f"{value:.10g}" if isinstance(value, float) else value for value in row.values()])


Rows = Mapping[str, Counter[str]]


def facts(dataset: Home, into: Home, *options: str, some: bool = True) -> str:
    """What the command prints."""
    named = [word for name in SOME for word in ("--view", name)] if some and "--view" not in options else []
    done = invoke("facts", str(dataset), "--into", str(into), *named, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def files_in(into: Home) -> dict[tuple[str, str], str]:
    """The files of a folder of facts by view and part, without the list of them."""
    manifest = open_dataset(into, takes_facts=True).manifest
    return {written.part_of(entry): entry.path for entry in manifest.hourly if entry.table != written.TABLE}


def rows_in(into: Home) -> Rows:
    """The rows of each view in a folder of facts, read with pyarrow."""
    out: dict[str, Counter[str]] = {}
    opened = open_dataset(into, takes_facts=True)
    for entry in opened.manifest.hourly:
        file = opened.path(entry)
        with pq.ParquetFile(file.open_ranges() if isinstance(file, StoredFile) else file) as parquet:
            rows = parquet.read().to_pylist()
        out.setdefault(entry.table.rpartition("/")[2], Counter()).update(map(text_of, rows))
    out.pop("fact_file")
    return out


def rows_of(dataset: Home, names: tuple[str, ...]) -> Rows:
    """The rows of views over a whole dataset."""
    with open_data(dataset=dataset) as database:
        assert database.keep([[name] for name in names]) == {}
        tables = {name: database.arrow(f"SELECT * FROM {name}") for name in names}
    return {name: Counter(map(text_of, rows.to_pylist())) for name, rows in tables.items() if rows.num_rows}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """The last three hours of a day and the first two of the next."""
    dumps = [str(file_of(hour(number), tmp_path, f"h{number}.smf")) for number in (21, 22, 23, 24, 25)]
    assert run(["ingest", *dumps, "--into", str(tmp_path / "set"), "--jobs", "1"]) == 0
    return tmp_path / "set"


def add(dataset: Path, number: int) -> None:
    assert run(["ingest", str(file_of(hour(number), dataset.parent, "late.smf")), "--into", str(dataset)]) == 0


def test_a_late_dump_replaces_the_files_of_its_day(dataset: Path, tmp_path: Path) -> None:
    into = tmp_path / "facts"
    assert "files written" in facts(dataset, into)
    assert rows_in(into) == rows_of(dataset, SOME)
    before, generation = files_in(into), open_dataset(into, takes_facts=True).manifest.generation
    assert {part for view, part in before if view == "record"} == {"2026-03-28", "2026-03-29"}
    assert {part for view, part in before if view == "quality_rate"} == {"2026-03-28_2026-03-29"}
    assert "nothing has changed" in facts(dataset, into)
    assert open_dataset(into, takes_facts=True).manifest.generation == generation
    add(dataset, 26)
    facts(dataset, into)
    after = files_in(into)
    assert rows_in(into) == rows_of(dataset, SOME)
    assert after["record", "2026-03-28"] == before["record", "2026-03-28"]
    assert after["record", "2026-03-29"] != before["record", "2026-03-29"]
    assert verify(into).problems == []


def test_files_have_the_comments_units_and_types_of_their_view(dataset: Path, tmp_path: Path) -> None:
    into = tmp_path / "facts"
    facts(dataset, into)
    (path,) = (into / files_in(into)[key] for key in files_in(into) if key == ("buffer_pool", "2026-03-28"))
    metadata = json.loads(pq.read_metadata(path).metadata[KEY.encode()])
    assert metadata["description"] == "Buffer pools: one row per lpar, qmgr, interval and pool"
    column = views()["buffer_pool"].columns["lowest_free_pct"]
    assert metadata["columns"]["lowest_free_pct"] == [column.unit, column.kind, "", column.doc]
    described = duckdb.execute(f"DESCRIBE FROM read_parquet('{path}')").fetchall()
    assert {name: kind for name, kind, *_ in described} == dict(view_types("buffer_pool"))
    listed = duckdb.execute(
        f"SELECT view, part, \"window\", rows FROM '{into}/facts/fact_file/*.parquet' WHERE view = 'buffer_pool' ORDER BY ALL"
    ).fetchall()
    assert listed == [("buffer_pool", "2026-03-28", "run", 12), ("buffer_pool", "2026-03-29", "run", 8)]


def test_merging_files_of_the_dataset_changes_nothing(dataset: Path, tmp_path: Path) -> None:
    add(dataset, 26)
    facts(dataset, tmp_path / "facts")
    assert "merged" in invoke("compact", dataset).stdout
    assert "nothing has changed" in facts(dataset, tmp_path / "facts")


def test_days_that_left_the_dataset_leave_the_facts(dataset: Path, tmp_path: Path) -> None:
    into = tmp_path / "facts"
    facts(dataset, into)
    assert run(["prune", str(dataset), "--before", "2026-03-29"]) == 0
    facts(dataset, into)
    assert rows_in(into) == rows_of(dataset, SOME)
    assert not {part for _, part in files_in(into)} & {"2026-03-28", "2026-03-28_2026-03-29"}


def test_facts_of_the_site_file_are_inputs(dataset: Path, tmp_path: Path) -> None:
    into, site = tmp_path / "facts", tmp_path / "site.toml"
    facts(dataset, into)
    site.write_text('[site]\npool_role = { 0 = "short" }\n')
    facts(dataset, into, "--site", str(site))
    query = f"SELECT DISTINCT pool_role FROM '{into}/facts/buffer_pool/*.parquet' WHERE pool_id = 0"
    assert duckdb.execute(query).fetchall() == [("short",)]
    assert "nothing has changed" in facts(dataset, into, "--site", str(site))


def test_selected_days_are_replaced_alone(dataset: Path, tmp_path: Path) -> None:
    into = tmp_path / "facts"
    facts(dataset, into)
    before = files_in(into)
    add(dataset, 20)
    add(dataset, 26)
    facts(dataset, into, "--since", "2026-03-29")
    after = files_in(into)
    assert after["record", "2026-03-28"] == before["record", "2026-03-28"]
    assert after["record", "2026-03-29"] != before["record", "2026-03-29"]
    assert ("quality_rate", "2026-03-29_2026-03-29") in after
    assert ("quality_rate", "2026-03-28_2026-03-29") not in after
    facts(dataset, into)
    assert rows_in(into) == rows_of(dataset, SOME)


def test_named_views_are_written_alone(dataset: Path, tmp_path: Path) -> None:
    facts(dataset, tmp_path / "facts", "--view", "record")
    facts(dataset, tmp_path / "facts", "--view", "buffer_pool")
    assert {view for view, _ in files_in(tmp_path / "facts")} == {"record", "buffer_pool"}


def test_what_cannot_be_written_is_refused(dataset: Path, tmp_path: Path) -> None:
    """One sentence, and nothing is created."""
    full, file = tmp_path / "full", tmp_path / "a.txt"
    full.mkdir()
    (full / "x").write_text("")
    file.write_text("")
    before = sorted(tmp_path.rglob("*"))
    for options, sentence in (
        (["--into", str(dataset)], "is inside"),
        (["--into", str(dataset / "facts")], "is inside"),
        (["--into", str(full)], "is not empty"),
        (["--into", str(file)], "is a file"),
        (["--into", str(tmp_path / "new"), "--view", "recrod"], "did you mean record"),
        (["--into", str(tmp_path / "new"), "--view", "finding"], "depend on rules"),
        (["--into", str(tmp_path / "new"), "--since", "2026-03-28T10:00"], "whole days"),
        (["--into", str(tmp_path / "new"), "--since", "2027-01-01"], "no records of the selected days"),
    ):
        done = invoke("facts", dataset, *options)
        assert done.returncode in (12, 16), options
        assert sentence in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_of_facts_is_no_dataset(dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command that takes a dataset refuses it in one sentence and changes nothing; `verify` and `sign` take both."""
    monkeypatch.chdir(tmp_path)
    into, more, dump = tmp_path / "facts", tmp_path / "more", str(file_of(hour(3), tmp_path))
    facts(dataset, into, "--view", "record")
    for name, words in (("plan.json", ["parts", "plan", dump]), ("numbers.json", ["parts", "reserve", "plan.json", "--into", "other"])):  # fmt: skip
        Path(name).write_text(invoke(*words).stdout)
    write = ["parts", "write", "plan.json", "0", "--reservation", "numbers.json", "--staging", "staging"]
    Path("part.json").write_text(invoke(*write).stdout)
    (tmp_path / "inbox").mkdir()
    Path("daily.toml").write_text(
        f'[inbox]\nfolder = "inbox"\n[dataset]\nfolder = "{into}"\n[reports]\nfolder = "reports"\n'
    )
    (tmp_path / "inbox" / "late.smf").write_bytes(Path(dump).read_bytes())
    os.utime(tmp_path / "inbox" / "late.smf", (0, 0))  # arrived completely
    before = sorted(path for path in into.rglob("*"))
    commands: list[list[Path | str]] = [
        ["facts", into, "--into", more],
        ["ingest", dump, "--into", into],
        ["parts", "reserve", "plan.json", "--into", into],
        ["parts", "publish", "plan.json", "part.json", "--into", into],
        ["daily", "daily.toml"],
        ["redact", into, "--into", more],
        ["redact", dataset, "--into", into],
        ["verify", "--rebuild", into],
        ["prune", into, "--before", "2026-03-29"],
        ["compact", into],
        ["delta", into],
        ["views", into, "--into", more],
        *([command, "--from", into] for command in ("check", "report", "map", "tables", "rules")),
        ["compare", dataset, into],
        ["sql", "SELECT 1", "--from", into],
        ["prove", "LG001", "--from", into],
        ["trace", dump, "1", "--from", into],
        ["site", "init", "--from", into],
        ["export", "series", "--from", into],
        ["export", "findings", "--from", into],
    ]  # fmt: skip
    for command in commands:
        done = invoke(*map(str, command))
        assert done.returncode in (12, 16), command
        assert "facts" in done.stderr.replace(str(into), ""), (command, done.stderr)
        assert len(done.stderr.strip().splitlines()) == 1, (command, done.stderr)
        assert not more.exists(), command
    assert sorted(path for path in into.rglob("*")) == before
    assert verify(into).problems == []


def test_verify_reports_a_changed_file(dataset: Path, tmp_path: Path) -> None:
    into = tmp_path / "facts"
    facts(dataset, into, "--view", "record")
    path = into / files_in(into)["record", "2026-03-28"]
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    (into / "facts" / "record" / "other.parquet").write_bytes(b"")
    assert [problem.partition(": ")[2][:24] for problem in verify(into).problems] == [
        "the content has changed ",
        "mqstat neither reads nor",
    ]


@pytest.mark.parametrize("is_answered", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_an_object_store(is_answered: bool, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a view there are only the objects of the last run, because engines read all of them."""
    place = in_folder(monkeypatch, tmp_path / "objects")
    if not is_answered:
        faulty(monkeypatch)
    facts(dataset, place)
    add(dataset, 26)
    facts(dataset, place)
    assert rows_in(place) == rows_of(dataset, SOME)
    assert {each.path for each in place.list("facts/")} == {
        entry.path for entry in open_dataset(place, takes_facts=True).manifest.hourly
    }
    assert "nothing has changed" in facts(dataset, place)
    assert verify(place).problems == []
    assert invoke("facts", str(place), "--into", "s3://test/other").returncode == 16


def test_a_dataset_in_an_object_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = in_folder(monkeypatch, tmp_path / "objects")
    assert run(["ingest", str(file_of(hour(1), tmp_path)), "--into", str(place)]) == 0
    facts(place, tmp_path / "facts", "--view", "record", "--view", "quality_rate")
    assert rows_in(tmp_path / "facts") == rows_of(place, ("record", "quality_rate"))
    assert invoke("facts", str(place), "--into", f"{place}/facts").returncode == 16


def windows(into: Path) -> set[str]:
    """The windows of view log_checkpoint."""
    table = f"'{into}/facts/fact_file/*.parquet'"
    listed = duckdb.execute(f"SELECT DISTINCT \"window\" FROM {table} WHERE view = 'log_checkpoint'")
    return {window for (window,) in listed.fetchall()}


def test_an_interval_with_two_local_days(tmp_path: Path) -> None:
    """Where records of one interval of a queue manager have another offset from UTC, and so another day, days are not computed alone."""
    dataset, into, utc = tmp_path / "set", tmp_path / "facts", dt.datetime(2026, 3, 28, 23)
    for kind, hours in ((201, 0), (215, 1)):
        owner = QueueManager("MQ01", "SYSA", gmt_offset_minutes=60 * hours)
        dump = file_of(smf_file(owner.interval(utc + dt.timedelta(hours=hours), 1800, kinds=(kind,))), tmp_path)
        assert run(["ingest", str(dump), "--into", str(dataset), "--jobs", "1"]) == 0
        facts(dataset, into, "--view", "log_checkpoint", "--view", "record")
        assert windows(into) == {"run" if hours else "day"}
        assert rows_in(into) == rows_of(dataset, ("log_checkpoint", "record"))
        assert "nothing has changed" in facts(dataset, into, "--view", "log_checkpoint", "--view", "record")


# --- all views


def dump_of(*records: bytes) -> bytes:
    return smf_file(list(records))


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[Path]]:
    """Several weeks of an estate of several queue managers with nights whose intervals cross midnight; its facts; and late dumps of the nights.

    The late dumps have another queue manager, the group of a queue manager that had none, the interval before the first one of a queue manager, and the one after the last of a night.
    """
    folder = tmp_path_factory.mktemp("nights")
    first = rich_estate.EIGHT.replace(hour=22, minute=15)
    night, half_hour = dt.timedelta(days=1), dt.timedelta(minutes=30)
    other = QueueManager("MQ09", "SYS9")
    owners = (rich_estate.ALONE, other)
    parts = [
        [record for owner in owners for record in intervals(owner, first + day * night, 6, rich_estate.everything(owner))]
        for day in range(3)
    ]  # fmt: skip
    late = [
        intervals(QueueManager("MQ08", "SYS9"), first + night, 6),
        intervals(replace(other, qsg="QSG9"), first + 2 * night + 6 * half_hour, 1),
        intervals(other, first - half_hour, 1) + intervals(other, first + night + 6 * half_hour, 1),
    ]
    dumps = [file_of(SCENARIOS["rich_estate"].build(), folder, "estate.smf")]
    dumps += [file_of(smf_file(part), folder, f"{number}.smf") for number, part in enumerate(parts)]
    assert run(["ingest", *map(str, dumps), "--into", str(folder / "set"), "--jobs", "1"]) == 0
    facts(folder / "set", folder / "facts", some=False)
    return (
        folder / "set",
        folder / "facts",
        [file_of(smf_file(part), folder, f"late{number}.smf") for number, part in enumerate(late)],
    )


def test_all_views(nights: tuple[Path, Path, list[Path]], floor: Path, tmp_path: Path) -> None:  # noqa: F811 - the fixture
    """The facts of every view are its rows over the whole dataset, before and after late dumps, which replace only files whose rows have changed."""
    dataset, into, late = nights
    assert rows_in(into) == rows_of(dataset, fact_views())
    for number, dump in enumerate(late):
        before = {key: rows_of_file(into / path) for key, path in files_in(into).items()}
        paths = files_in(into)
        assert run(["ingest", str(dump), "--into", str(dataset), "--jobs", "1"]) == 0
        facts(dataset, into, some=False)
        assert rows_in(into) == rows_of(dataset, fact_views())
        after = {key: rows_of_file(into / path) for key, path in files_in(into).items()}
        replaced = {key for key, path in files_in(into).items() if paths.get(key) != path}
        assert replaced == {key for key, rows in after.items() if before.get(key) != rows}
        days = {part for view, part in replaced if is_of_one_day(view)}
        assert days == ({"2026-03-03", "2026-03-04"}, {"2026-03-05"}, {"2026-03-02", "2026-03-04"})[number]
        assert len(replaced) < len(after) / 1.2
    assert verify(into).problems == []
    _same_in_engines(into, floor, tmp_path)


def rows_of_file(path: Path) -> list[str]:
    return sorted(map(text_of, pq.read_table(path, partitioning=None).to_pylist()))


def _same_in_engines(into: Path, environment: Path, tmp_path: Path) -> None:
    """DuckDB 1.4, pandas, polars and pyarrow read the same rows of all views whose values are neither maps nor structs."""
    tables: dict[str, Any] = {}
    for view in {view for view, _ in files_in(into)}:
        table = pq.read_table(into / "facts" / view, partitioning=None)
        if not any("map" in str(kind) or "struct" in str(kind) for kind in table.schema.types):
            tables[view] = table
    assert len(tables) > 150
    schemas = {view: {field.name: str(field.type) for field in table.schema} for view, table in tables.items()}
    (tmp_path / "schemas.json").write_text(json.dumps(schemas))
    command = [
        environment / "reader" / "bin" / "python",
        ROOT / "tests" / "engines.py",
        into / "facts",
        tmp_path / "schemas.json",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (seen,) = json.loads(done.stdout)
    for engine, read in seen.items():
        assert {view: digests[0] for view, digests in read.items()} == {
            view: digest_of(table) for view, table in tables.items()
        }, engine
