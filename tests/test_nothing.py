"""Without data there are no findings: an input without MQ records, or a selection that matches no record, gives one
sentence and return code 12.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mqstat.base.errors import NoDataError
from mqstat.base.selection import make
from mqstat.cli import run
from mqstat.fixtures.build import record
from mqstat.fixtures.day import DAY, HALF_HOUR
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.intake.open_data import open_data
from mqstat.sources.doctor import no_mq_sentence
from tests.costs import cache
from tests.support import file_of

Captured = pytest.CaptureFixture[str]

FORMATS = {
    "text": "txt",
    "json": "json",
    "csv": "csv",
    "parquet": "parquet",
    "markdown": "md",
    "html": "html",
    "openmetrics": "prom",
}
SELECTIONS = {
    "queue manager": (["--qmgr", "NOPE"], "queue manager NOPE"),
    "lpar": (["--lpar", "SYSX"], "LPAR SYSX"),
    "date": (["--date", "2020-02-02"], "date 2020-02-02"),
    "future": (["--since", "2031-01-01"], "from 2031-01-01 00:00"),
    "past": (["--until", "2001-01-01T12:00"], "before 2001-01-01 12:00"),
    "both": (["--qmgr", "NOPE", "--date", "2026-03-02"], "queue manager NOPE, date 2026-03-02"),
}  # fmt: skip
HOLDS = "MQ01 on SYS1, MQ02 on SYS2, 2026-03-02 00:00 to 2026-03-0"


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two intervals of two queue managers, of one kind of record: a dataset of few tables opens fast."""
    records: list[bytes] = []
    for owner in (QueueManager(), QueueManager("MQ02", "SYS2")):
        for number in range(2):
            records += owner.interval(DAY + number * HALF_HOUR, 1800, kinds=[1])
    return file_of(smf_file(records), tmp_path_factory.mktemp("day"), "day.smf")


@pytest.fixture(scope="module")
def dataset(day: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("set") / "data"
    assert run(["ingest", str(day), "--into", str(folder)]) == 0
    return folder


@cache
def other_types() -> bytes:
    """A dump without records of MQ."""
    return SCENARIOS["type_30_only"].build()


def commands(out: Path) -> dict[str, list[str]]:
    """Every command that reads data, in every format, without its input."""
    commands_by_name = {
        "check": ["check"],
        "rules": ["rules"],
        "site init": ["site", "init", "--output", str(out / "site.toml")],
        "sql": ["sql", "SELECT count(*) FROM qmgr"],
        "tables": ["tables"],
    }
    for format_name, ending in FORMATS.items():
        target = ["--output", str(out / f"out.{ending}")]
        commands_by_name[f"report as {format_name}"] = ["report", "--format", format_name, *target]
        commands_by_name[f"a report as {format_name}"] = [
            "report",
            "--report",
            "log/busy",
            "--format",
            format_name,
            *target,
        ]
        if format_name != "html":
            commands_by_name[f"check as {format_name}"] = ["check", "--format", format_name, *target]
    commands_by_name["report with --write"] = [
        "report",
        *(option for e in FORMATS.values() for option in ("--write", str(out / f"all.{e}"))),
    ]
    return commands_by_name


COMMANDS = list(commands(Path()))


def refused(arguments: list[str], out: Path, capsys: Captured) -> str:
    """The one sentence of a command that judges nothing and writes nothing."""
    assert run(arguments) == 12, arguments
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("mqstat: ")
    assert len(captured.err.splitlines()) == 1, captured.err
    assert list(out.iterdir()) == [], "no file with an empty verdict"
    return captured.err


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", ["dump", "dataset"])
def test_a_selection_that_matches_nothing(
    command: str, kind: str, day: Path, dataset: Path, tmp_path: Path, capsys: Captured
) -> None:
    data = [str(day)] if kind == "dump" else ["--from", str(dataset)]
    chosen = SELECTIONS.values() if command == "check" else [SELECTIONS["queue manager"]]
    for options, selected in chosen:
        message = refused([*commands(tmp_path)[command], *data, *options], tmp_path, capsys)
        assert message.startswith(f"mqstat: No MQ records match the selection ({selected}); the data contains {HOLDS}")


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_dump_without_any_mq_record(command: str, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "out"
    out.mkdir()
    scenario = SCENARIOS["type_30_only"]
    dump = file_of(other_types(), tmp_path, "type_30_only.smf")
    arguments = commands(out)[command]
    assert scenario.refused in refused([*arguments, str(dump)], out, capsys)
    text = file_of(b"This is a text.\n" * 400, tmp_path, "notes.txt")
    assert "notes.txt: It is text, not an SMF dump." in refused([*arguments, str(text)], out, capsys)
    empty = file_of(b"", tmp_path, "empty.smf")
    assert "empty.smf is empty" in refused([*arguments, str(empty)], out, capsys)


def test_the_two_sides_of_a_comparison(day: Path, dataset: Path, tmp_path: Path, capsys: Captured) -> None:
    other = file_of(other_types(), tmp_path, "type_30_only.smf")
    assert run(["compare", str(day), str(other)]) == 12
    assert SCENARIOS["type_30_only"].refused in capsys.readouterr().err
    assert run(["compare", "2026-03-02", "2020-02-02", "--from", str(dataset)]) == 12
    captured = capsys.readouterr()
    assert "(date 2020-02-02); the data contains MQ01" in captured.err
    assert captured.out == ""


def test_a_dataset_without_any_mq_record(tmp_path: Path) -> None:
    dump = file_of(other_types(), tmp_path, "type_30_only.smf")
    run(["ingest", str(dump), "--into", str(tmp_path / "data")])
    if (tmp_path / "data" / "publish").exists():
        with pytest.raises(NoDataError, match=r"no MQ record|holds no"), open_data(dataset=tmp_path / "data"):
            pass


@pytest.mark.slow
@pytest.mark.parametrize("kind", [(116, 55), (115, 240)])
def test_mq_records_that_cannot_be_decoded_are_mq_records(
    kind: tuple[int, int], tmp_path: Path, capsys: Captured
) -> None:
    """They are kept and counted, and the return code reports that nothing was decoded."""
    made = [
        record(*kind, {1: [bytes(64)]}, lpar="SYS1", qmgr="MQ01", interval_start=DAY + n * HALF_HOUR) for n in range(3)
    ]
    dump = str(file_of(smf_file([*made, made[0]]), tmp_path, "unknown.smf"))
    assert run(["ingest", dump, "--into", str(tmp_path / "data")]) == 12
    line = "unknown.smf: added as source 1: 0 records decoded of 6, and 4 MQ records that this version of mqstat cannot decode, 1 more than once"
    assert line in capsys.readouterr().out
    query = (
        f"SELECT coverage_state, records, command_to_collect FROM collection WHERE record_class = '{kind[0]}.{kind[1]}'"
    )
    assert run(["sql", query, dump, "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "not decoded,3,"


def test_damaged_mq_records_are_not_absent() -> None:
    assert no_mq_sentence(["a.smf"], {2: 1}, damaged=3).startswith("There is no sound MQ record")
    assert no_mq_sentence(["a.smf"], {2: 1}).startswith("There is no MQ record")


@pytest.mark.slow
def test_selected_records_are_shown(day: Path, dataset: Path) -> None:
    """The same records by each option, of a dump and of a dataset."""
    chosen = [
        make(qmgr=["mq01"]),
        make(lpar=["sys1"]),
        make(date="2026-03-02"),
        make(since="2026-03-02T00:30", until="2026-03-02T01:00", lpar=["SYS1"]),
    ]
    counts = []
    for selection in chosen:
        sizes = []
        for dumps, folder in (([str(day)], None), ((), dataset)):
            with open_data(dumps, folder, selection=selection) as database:
                query = "SELECT count(*), min(record_id), sum(record_id) FROM decoded.record WHERE smf_type = 115"
                sizes.append(database.execute(query).fetchall()[0])
        assert sizes[0] == sizes[1], selection
        counts.append(sizes[0][0])
    assert counts[0] == counts[1] > counts[3]
