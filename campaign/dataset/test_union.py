"""Several datasets that are read as one have the tables, views, reports and findings of one dataset into which all dumps were ingested."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import mqstat
from campaign.dataset.test_duplicates import (
    INPUTS,
    add,
    all_kinds,
    assert_ledgers_balance,
    dump,
    facts,
    findings_of,
    records,
)
from mqstat.base.errors import DamagedFileError, DatasetError, UsageError
from mqstat.base.selection import Selection
from mqstat.dataset.manifest import Change, DroppedClass
from mqstat.dataset.publishing import publish
from mqstat.dataset.store import writing
from mqstat.intake import open_data as opening
from mqstat.intake.open_data import open_data
from mqstat.sql.plans import keep, reads_findings
from mqstat.sql.sqlfile import reports, views
from tests.support import file_of, invoke

IDS = ("record_id", "source_id", "source_offset")
"""Ends of the names of columns with numbers that depend on the dataset."""


def shown(rows: object) -> Counter[str]:
    """Rows of an Arrow table as text, without ids, numbers with ten digits: the last bits of a sum depend on the order of rows."""
    listed = rows.to_pylist()  # type: ignore[attr-defined]
    return Counter(
        repr([f"{value:.10g}" if isinstance(value, float) else value for name, value in row.items() if not name.endswith(IDS)])
        for row in listed
    )  # fmt: skip


def all_shown(dataset: Path | Sequence[Path], selection: Selection | None = None) -> Mapping[str, Counter[str]]:
    """The rows of all views and reports that need no rules, and the findings."""
    units = {f"report {name}": report for name, report in reports().items()} | {f"view {name}": view for name, view in views().items()}  # fmt: skip
    chosen = {name: unit for name, unit in units.items() if not any(map(reads_findings, unit.needs))}
    with open_data(dataset=dataset, selection=selection) as db:
        assert keep(db, [unit.needs for unit in chosen.values()]) == {}
        out = {name: shown(db.arrow(unit.select)) for name, unit in chosen.items()}
    return out | {"findings": Counter(findings_of(dataset=dataset, selection=selection))}


def differing(
    expected: Mapping[str, Counter[str]], actual: Mapping[str, Counter[str]]
) -> dict[str, tuple[object, object]]:
    """What differs, with the rows that only one has."""
    return {
        name: (list(rows - actual[name])[:2], list(actual[name] - rows)[:2])
        for name, rows in expected.items()
        if rows != actual[name]
    }  # fmt: skip


def datasets(folder: Path, *parts: Sequence[bytes]) -> tuple[list[Path], Path]:
    """A dataset of each of these lists of dumps, and one of all dumps in the same order."""
    each = [folder / f"set{number}" for number in range(len(parts))]
    for number, (into, dumps) in enumerate(zip(each, parts, strict=True)):
        for place, data in enumerate(dumps):
            file = file_of(data, folder, f"{number}-{place}.smf")
            add(into, file)
            add(folder / "one", file)
    return each, folder / "one"


@pytest.mark.parametrize("name", INPUTS)
def test_tables_of_several_datasets(name: str, tmp_path: Path) -> None:
    several, one = datasets(tmp_path, *([data] for data in INPUTS[name]()))
    with open_data(dataset=several) as db, open_data(dataset=one) as expected:
        assert_ledgers_balance(db)
        assert facts(db) == facts(expected)


def test_findings_of_two_datasets_with_an_overlap(tmp_path: Path) -> None:
    half = len(records()) // 2
    several, one = datasets(tmp_path, [dump(records()[: half + 5])], [dump(records()[half - 5 :])])
    assert findings_of(dataset=several) == findings_of(dataset=one)


@pytest.mark.parametrize("selection", [None, Selection(since=dt.datetime(2026, 3, 29))])
def test_views_reports_and_findings(selection: Selection | None, tmp_path: Path) -> None:
    """The second dataset begins between a record and the one that has its interval, and has a dump of the first one; the third repeats all records."""
    half = len(all_kinds()) // 2
    first, second = dump(all_kinds()[: half + 5]), dump(all_kinds()[half - 5 :])
    several, one = datasets(tmp_path, [first], [first, second], [dump(all_kinds(), "bdw")])
    assert differing(all_shown(one, selection), all_shown(several, selection)) == {}


def test_real_dumps(dumps: Path, tmp_path: Path) -> None:
    """The statistics and the channels of real dumps, each cut in three with the middle in both datasets, and a dump that both have."""
    parts: tuple[list[bytes], list[bytes]] = ([], [])
    for name in ("MQ10_MQ1O.dat", "TESTCHL.dat"):
        data = (dumps / name).read_bytes()
        cuts = [each.start for each in mqstat.split(data, len(data) // 3 + 1)]
        assert len(cuts) == 3
        parts[0].append(data[: cuts[2]])
        parts[1].append(data[cuts[1] :])
    for each in parts:
        each.append((dumps / "TEST115.dat").read_bytes())
    several, one = datasets(tmp_path, *parts)
    assert differing(all_shown(one), all_shown(several)) == {}


def test_what_is_refused(tmp_path: Path) -> None:
    """One sentence for datasets that cannot be read as one."""
    several, one = datasets(tmp_path, [dump(records()[:5])], [dump(records()[5:9])])
    with writing(one) as manifest:
        publish(one, manifest, Change("prune", dropped=(DroppedClass("116", "2026-03-28", ""),)), [])
    refused: list[tuple[Sequence[Path | str], str]] = [
        ([several[0], several[0]], "given twice"),
        ([several[0], "s3://bucket/key"], "folders only"),
        ([several[0], one], "dropped classes"),
        ([], "at least one"),
    ]
    for folders, sentence in refused:
        with pytest.raises(UsageError, match=sentence) as raised:
            mqstat.open_dataset(folders).views()
        assert "\n" not in str(raised.value)


def test_a_damaged_dataset_of_a_folder_is_never_left_out(tmp_path: Path) -> None:
    """The sentence names the dataset: without its manifest, and with a damaged file."""
    several, _ = datasets(tmp_path, [dump(records()[:5])], [dump(records()[5:9])])
    (root := tmp_path / "root").mkdir()
    own = [each.rename(root / each.name) for each in several]
    manifest, kept = own[1] / "manifest.jsonl", tmp_path / "kept"
    manifest.rename(kept)
    with pytest.raises(DatasetError, match=rf"^{own[1]}: manifest\.jsonl is missing"):
        mqstat.open_dataset(root)
    kept.rename(manifest)
    with mqstat.open_dataset(root) as data:
        assert data.sql("SELECT count(*) AS n FROM decoded.record").to_pylist() == [{"n": 9}]
    file = next((own[1] / "record").iterdir())
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(DamagedFileError, match=rf"^{file}: this file of table record is damaged"):
        mqstat.open_dataset(root).views()


COMMANDS = (
    ("check", "--format", "json"),
    ("report", "--report", "buffer_pool/usage"),
    ("map",),
    ("report", "--date", "2026-03-29", "--report", "queue/all"),
)


def same_output(several: Sequence[Path], one: Path, commands: Sequence[Sequence[str]]) -> None:
    """Each command over several datasets, and over a folder that contains them, writes what it writes over one."""
    each = [word for folder in several for word in ("--from", folder)]
    for command in commands:
        expected = invoke(*command, "--from", one)
        assert expected.returncode <= 8
        assert expected.stdout
        for words in (each, ["--from", several[0].parent]):
            assert invoke(*command, *words) == expected


def in_a_root(folder: Path, *parts: Sequence[bytes]) -> tuple[list[Path], Path]:
    """As `datasets`, those of the lists in a folder of their own, which has another folder and a file too."""
    several, one = datasets(folder, *parts)
    root = folder / "root"
    (root / "other").mkdir(parents=True)
    (root / "notes.txt").touch()
    return [path.rename(root / path.name) for path in several], one


QUERY = "SELECT lpar, qmgr, record_class, count(*) AS n FROM record GROUP BY ALL ORDER BY ALL"


@pytest.mark.parametrize("commands", [(("sql", QUERY),), pytest.param(COMMANDS, marks=pytest.mark.slow)])
def test_commands_over_several_datasets(commands: Sequence[Sequence[str]], tmp_path: Path) -> None:
    half = len(records()) // 2
    same_output(*in_a_root(tmp_path, [dump(records()[: half + 5])], [dump(records()[half - 5 :])]), commands)


def test_findings_of_real_dumps_by_several_processes(
    dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both datasets have one of the dumps."""
    real = {name: (dumps / name).read_bytes() for name in ("MQ10_MQ1O.dat", "TEST115.dat", "TESTCHL.dat")}
    several, one = in_a_root(
        tmp_path, [real["MQ10_MQ1O.dat"], real["TEST115.dat"]], [real["TESTCHL.dat"], real["TEST115.dat"]]
    )
    monkeypatch.setattr(opening, "SMALL", 0)
    same_output(several, one, [("check", "--format", "json"), ("check", "--format", "json", "--jobs", "4")])


def test_what_commands_refuse(tmp_path: Path) -> None:
    """One sentence where a single dataset is read, and for folders that are no datasets; nothing is overwritten."""
    several, one = in_a_root(tmp_path, [dump(records()[:5])], [dump(records()[5:9])])
    (tmp_path / "empty").mkdir()
    first, second, root = *several, several[0].parent
    file, manifest = tmp_path / "0-0.smf", second / "manifest.jsonl"
    refused: list[tuple[Sequence[str | Path], str]] = [
        (["check", "--from", first, "--from", first], "given twice"),
        (["check", "--from", root, "--from", first], "given twice"),
        (["check", "--from", root, "--from", tmp_path / "empty"], "not a dataset"),
        (["check", "--from", tmp_path / "empty"], "not a dataset"),
        (["check", "--from", first, "--from", "s3://bucket/key"], "folders only"),
        (["check", "--from", first, "--from", second, file], "either dumps or --from"),
        (["check", "--from", root, "--output", manifest], f"part of the dataset {second.resolve()}"),
        (["report", "--from", root, "--date", "2026-03-28", "--baseline", "7"], "single dataset"),
        (["prove", "BP002/MQ05", "--from", first, "--from", second], "single dataset"),
        (["trace", file, "1", "--from", first, "--from", second], "single dataset"),
        (["verify", "--from", first, "--from", second], "one dataset"),
        (["compact", root, "--from", first], "one dataset"),
    ]
    for words, sentence in refused:
        done = invoke(*words)
        assert (done.returncode, done.stdout) == (16, ""), words
        assert sentence in done.stderr, words
        assert done.stderr.count("\n") == 1, words
    assert invoke("facts", one, "--into", root / "facts", "--view", "source").returncode == 0
    assert "facts" in invoke("check", "--from", root).stderr
    assert manifest.stat().st_size
