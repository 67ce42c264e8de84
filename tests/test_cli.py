"""The command line: return codes of the z/OS ladder, one clear sentence for every error, and no control characters for
the terminal.
"""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mqstat.cli import run
from mqstat.fixtures import scenarios
from mqstat.fixtures.frame import joined, smf_file
from tests.made_once import made_once
from tests.support import ROOT, built_dump, built_records, call, file_of, invoke

Captured = pytest.CaptureFixture[str]
CapturedBytes = pytest.CaptureFixture[bytes]

COMMANDS = (
    "report",
    "check",
    "rules",
    "reports",
    "explain",
    "site",
    "ingest",
    "verify",
    "sql",
    "tables",
    "ledger",
    "doctor",
    "raw",
    "trace",
    "prove",
    "plan",
)
LADDER = {0, 4, 8, 12, 16}
CONTROLS = bytes(set(range(32)) - {10}) + b"\x7f"


@pytest.fixture(scope="module")
def dump_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every kind of record, and names with control characters after them."""
    hostile_records = joined(scenarios.find("hostile_names").build())
    data = smf_file([*built_records(), *hostile_records], spanned="vbs")
    return file_of(data, tmp_path_factory.mktemp('it\'s a "dump"'), "my dump.smf")


@pytest.fixture(scope="module")
def dataset(dump_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets") / "a 'set'"
    assert run(["ingest", str(dump_file), "--into", str(folder)]) == 0
    return folder


def every_command(dump: Path, dataset: Path, into: Path) -> dict[str, list[str]]:
    return {
        "report": ["report", str(dump)],
        "report of a dataset": ["report", "--from", str(dataset)],
        "report as json": ["report", str(dump), "--format", "json"],
        "report as csv": ["report", str(dump), "--format", "csv"],
        "report as markdown": ["report", str(dump), "--format", "markdown"],
        "report as parquet": [
            "report",
            str(dump),
            "--report",
            "log/busy",
            "--format",
            "parquet",
            "--output",
            str(into),
        ],
        "report by hour": [
            "report",
            "--from",
            str(dataset),
            "--dd",
            "BUFF",
            "--wsc",
            "2",
            "--by",
            "hour",
            "--top",
            "2",
        ],
        "report by day as csv": [
            "report",
            "--from",
            str(dataset),
            "--report",
            "LOGBUSY",
            "--by",
            "day",
            "--format",
            "csv",
        ],
        "check": ["check", str(dump), "--fail-on", "never"],
        "check a dataset as json": ["check", "--from", str(dataset), "--format", "json", "--max-rc", "0"],
        "rules": ["rules"],
        "rules of a dataset": ["rules", "--from", str(dataset)],
        "reports": ["reports"],
        "reports of an area": ["reports", "log"],
        "site check": ["site", "check", str(ROOT / "tests" / "site.toml")],
        "site init": ["site", "init", str(dump)],
        "explain": ["explain", "BP004"],
        "explain a column": ["explain", "lowest_free_pct"],
        "explain a report": ["explain", "log/busy"],
        "ingest": ["ingest", str(dump), "--into", str(into)],
        "verify": ["verify", str(dataset)],
        "sql of a dataset": ["sql", "SELECT count(*) AS n FROM qpst", "--from", str(dataset)],
        "sql of a dump": [
            "sql",
            "SELECT qmgr, qsg, queue, count(*) AS n FROM qqst GROUP BY ALL ORDER BY ALL",
            str(dump),
        ],
        "tables": ["tables"],
        "explain a table": ["explain", "qpst"],
        "explain a view": ["explain", "buffer_pool"],
        "explain a field": ["explain", "qpst.lowest_stealable"],
        "ledger": ["ledger", str(dump)],
        "ledger as json": ["ledger", str(dump), "--format", "json"],
        "doctor": ["doctor", str(dump)],
        "raw": ["raw", str(dump), "--structure", "qpst"],
        "raw record": ["raw", str(dump), "--structure", "RECORD"],
        "raw all": ["raw", str(dump), "--all", "--into", str(into / "a" / "b")],
        "trace": ["trace", str(dump), "1"],
        "trace a section": ["trace", str(dump), "5", "--structure", "qist"],
        "trace a row": ["trace", str(dump), "3", "--from", str(dataset)],
        "prove": ["prove", "DQ001/inputs", str(dump)],
        "plan": ["plan", "restart_time", str(dump)],
        "plan as a page": ["plan", "buffer_pool_size_needed", str(dump), "--format", "html"],
        "prove from a dataset": ["prove", "DQ001/inputs", "--from", str(dataset), "--dump", str(dump)],
    }


SLOW = ("report of a dataset",)
NAMES = [
    pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in every_command(Path(), Path(), Path())
]


@pytest.fixture(scope="module")
def once() -> Iterator[None]:
    """Commands that write the same report differently make it once."""
    with made_once():
        yield


# The report of the dump is made by the first test that needs it: these come before commands that need another.

ASCII = {"PYTHONIOENCODING": "ascii", "LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "COLUMNS": "40"}


@pytest.mark.usefixtures("once")
@pytest.mark.slow
def test_a_report_for_a_terminal_that_knows_ascii_only(dump_file: Path) -> None:
    done = invoke("report", dump_file, env=ASCII, encoding="ascii")
    assert done.returncode in LADDER - {12, 16}
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith("mqstat: ")


@pytest.mark.slow
@pytest.mark.usefixtures("once")
def test_lines_of_a_report_fit_without_a_terminal(dump_file: Path, capsys: Captured) -> None:
    assert run(["report", str(dump_file)]) in LADDER
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 132


@pytest.mark.slow
@pytest.mark.usefixtures("once")
@pytest.mark.parametrize("name", NAMES)
def test_every_command_answers_without_control_characters(
    name: str,
    dump_file: Path,
    dataset: Path,
    tmp_path: Path,
    capfdbinary: CapturedBytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arguments = every_command(dump_file, dataset, tmp_path / "new")[name]
    code = run(arguments)
    captured = capfdbinary.readouterr()
    assert code in ({0, 4, 8} if name.startswith("report") else {0}), captured.err
    assert captured.out or name in ("raw all", "report as parquet")
    assert b"rror" not in captured.err
    if "json" in name:
        json.loads(captured.out)
    if name in ("raw", "raw record", "report as csv", "report by day as csv"):
        text = captured.out.decode("utf-8")
        assert len({len(row) for row in csv.reader(io.StringIO(text, newline=""))}) == 1
    if "raw" in name or "csv" in name:  # a file gets the bytes as they are, a terminal does not
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        if name == "raw all":
            arguments[-1] += " again"
        assert run(arguments) in LADDER - {12, 16}
        captured = capfdbinary.readouterr()
    shown = set(captured.out + captured.err) & set(CONTROLS.replace(b"\r", b""))
    assert not shown, f"{name}: {sorted(shown)}"


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help(command: str, capsys: Captured) -> None:
    assert run([*command.split(), "--help"]) == 0
    output = capsys.readouterr().out
    assert "Usage: mqstat" in output
    assert all(name in output for name in (COMMANDS if not command else ()))


def test_help_is_quick() -> None:
    times = []
    for _ in range(3):
        began = time.perf_counter()
        assert call("--help").returncode == 0
        times.append(time.perf_counter() - began)
    print(f"mqstat --help: {min(times):.2f} s")
    assert min(times) < 1.5


def test_startup_imports_no_large_module() -> None:
    code = "import sys, mqstat.cli, mqstat.cli.app; print([m for m in ('numpy', 'pyarrow', 'duckdb', 'construct') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_the_version(capsys: Captured) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("mqstat ")


# ---------------------------------------------------------------------------------------------------------- wrong words


WRONG: dict[str, tuple[list[str], int, str]] = {
    "no such command": (["reprot"], 16, "reprot"),
    "no such option": (["ledger", "x", "--nothing"], 16, "--nothing"),
    "a missing argument": (["ledger"], 16, "DUMP"),
    "a missing option": (["ingest", "x"], 16, "--into"),
    "a wrong number": (["trace", "x", "one"], 16, "RECORD"),
    "a missing file": (["ledger", "nowhere.smf"], 12, "nowhere.smf does not exist"),
    "a missing file in a report": (["report", "nowhere.smf"], 12, "nowhere.smf does not exist"),
    "a missing file for the doctor": (["doctor", "nowhere.smf"], 12, "nowhere.smf"),
    "a wrong framing": (["ledger", "{dump}", "--framing", "xyz"], 16, "There is no framing xyz"),
    "a wrong format": (["ledger", "{dump}", "--format", "xml"], 16, "text or json"),
    "a wrong type": (["ingest", "{dump}", "--into", "{tmp}/d", "--only", "110"], 16, "115 (statistics) or 116"),
    "a wrong date": (["ingest", "{dump}", "--into", "{tmp}/d", "--since", "yesterday"], 16, "yesterday"),
    "a date with a zone": (["ingest", "{dump}", "--into", "{tmp}/d", "--since", "2026-01-01T00:00+01:00"], 16, "time zone"),
    "an empty period": (["ingest", "{dump}", "--into", "{tmp}/d", "--since", "2026-02-02", "--until", "2026-02-01"], 16, "is not after"),
    "no dataset": (["verify", "{tmp}"], 16, "mqstat ingest DUMP --into"),
    "no dataset to report from": (["report", "--from", "{tmp}"], 16, "not a dataset (no table publish)"),
    "dumps and a dataset": (["report", "{dump}", "--from", "{set}"], 16, "either"),
    "neither": (["report"], 16, "either"),
    "an unknown report": (["report", "{dump}", "--report", "buffer_pool/usag"], 16, "buffer_pool/usage"),
    "an unknown rule": (["explain", "BP999"], 16, "BP999"),
    "an unknown column": (["explain", "buffer_pool.lowest_free"], 16, "lowest_free_pct"),
    "an unknown format": (["report", "{dump}", "--format", "xml"], 16, "choose text, csv, "),
    "parquet without a place": (["report", "{dump}", "--format", "parquet"], 16, "--output DIR"),
    "an unknown step": (["report", "{dump}", "--by", "week"], 16, "interval, hour or day"),
    "a report without intervals": (["report", "{dump}", "--report", "overview/findings", "--by", "hour"], 16, "no rows by interval"),
    "no first subject": (["report", "{dump}", "--top", "0"], 16, "--top"),
    "an unknown DD name": (["report", "{dump}", "--dd", "BUF"], 16, "BUFF"),
    "an unknown query": (["report", "{dump}", "--wsc", "99"], 16, "WSC query 99"),
    "an output that cannot be written": (["report", "{dump}", "--report", "log/busy", "--output", "{tmp}/no/where"], 16, "cannot be written"),
    "an unknown area": (["reports", "lgo"], 16, "did you mean log"),
    "no site file": (["site", "check", "{tmp}/none.toml"], 16, "none.toml"),
    "a site file from nothing": (["site", "init"], 16, "either"),
    "an unknown table": (["explain", "qpts"], 16, "qpst"),
    "no such column": (["explain", "qpst.nothing"], 16, "qpst.nothing"),
    "an unknown structure": (["raw", "{dump}", "--structure", "qpts"], 16, "qpst"),
    "raw without a choice": (["raw", "{dump}"], 16, "--structure"),
    "raw all without a folder": (["raw", "{dump}", "--all"], 16, "--into"),
    "no such record": (["trace", "{dump}", "100000"], 16, "no record 100000"),
    "a negative record": (["trace", "{dump}", "--", "-1"], 16, "-1"),
    "no such section": (["trace", "{dump}", "1", "--structure", "wq"], 16, "no such section of wq"),
    "sql without a place": (["sql", "SELECT 1"], 16, "--from"),
    "a file as a dataset": (["report", "--from", "{dump}"], 16, "is a file, not a dataset; specify it as a dump, without --from"),
    "a file as a dataset in sql": (["sql", "SELECT 1", "--from", "{dump}"], 16, "is a file, not a dataset; specify it as a dump, without --from"),
    "a day and a period": (["check", "{dump}", "--date", "2026-01-01", "--since", "2026-01-01"], 16, "remove --since and --until"),
    "an empty query": (["sql", " ;", "{dump}"], 16, "The query is empty"),
    "text that is not sql": (["sql", "SELEC 1", "--from", "{set}"], 16, "syntax error"),
    "sql of an unknown table": (["sql", "SELECT * FROM qpts", "--from", "{set}"], 16, "qpst"),
    "sql of an unknown column": (["sql", "SELECT pool FROM qpst", "{dump}"], 16, "pool"),
    "a site file that is not there": (["report", "{dump}", "--site", "{tmp}/none.toml"], 16, "none.toml"),
    "a folder without files": (["ledger", "{tmp}"], 12, "has no file with data"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_words(name: str, dump_file: Path, dataset: Path, tmp_path: Path, capsys: Captured) -> None:
    arguments, code, message = WRONG[name]
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run([argument.format(dump=dump_file, set=dataset, tmp=empty) for argument in arguments]) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert "unexpected error" not in captured.err
    assert captured.out == "" or name == "a missing file for the doctor"


def test_inputs_that_are_no_dump(tmp_path: Path, capsys: Captured) -> None:
    cases: dict[str, bytes] = {
        "text.txt": b"This is a text.\n" * 400, "empty.smf": b"", "zeros.smf": bytes(5000), "page.html": b"<html></html>" * 90,
        "cut.gz": __import__("gzip").compress(built_dump())[:40], "not.zip": b"PK\x03\x04" + bytes(100),
    }  # fmt: skip
    for name, data in cases.items():
        path = file_of(data, tmp_path, name)
        for argument_list in (
            ["ledger"],
            ["raw", "--structure", "qpst"],
            ["ingest", "--into", str(tmp_path / "d")],
            ["report"],
            ["trace"],
        ):
            command, *options = argument_list
            arguments = [command, str(path), *(["0"] if command == "trace" else []), *options]
            assert run(arguments) == 12, (name, command)
            captured = capsys.readouterr()
            assert name in captured.err + captured.out, (name, command, captured)
            assert "unexpected" not in captured.err
        assert run(["doctor", str(path)]) == 12, name
        assert name in "".join(capsys.readouterr())


def test_dev_null_and_a_folder_among_the_inputs(dump_file: Path, tmp_path: Path, capsys: Captured) -> None:
    assert run(["ledger", "/dev/null"]) == 12
    assert "null is empty" in capsys.readouterr().err
    (tmp_path / "deeper").mkdir()
    file_of(dump_file.read_bytes(), tmp_path / "deeper", "dump.smf")
    file_of(b"# a note", tmp_path, "README.txt")
    file_of(b"", tmp_path, "empty")
    assert run(["ingest", str(tmp_path), "--into", str(tmp_path.with_name("set of a folder"))]) == 12
    output = capsys.readouterr().out
    assert "dump.smf: added as source 1" in output
    assert "not added: README.txt" in output


def test_a_file_that_may_not_be_read(tmp_path: Path, capsys: Captured) -> None:
    path = file_of(b"x", tmp_path, "secret.smf")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    assert run(["ledger", str(path)]) == 12
    assert "secret.smf cannot be read" in capsys.readouterr().err


# -------------------------------------------------------------------------------------------- what reaches the terminal


def test_a_file_name_with_control_characters(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    path = file_of(built_dump(), tmp_path, "evil\x1b[2J\x07.smf")
    for arguments in (
        ["ledger", str(path)],
        ["doctor", str(path)],
        ["ingest", str(path), "--into", str(tmp_path / "d")],
        ["report", str(path), "--report", "log/busy"],
        ["trace", str(path), "9999"],
    ):
        assert run(arguments) in LADDER
        captured = capfdbinary.readouterr()
        assert not set(captured.out + captured.err) & set(CONTROLS), arguments[0]


def test_a_terminal_that_knows_ascii_only(dump_file: Path) -> None:
    done = call("doctor", dump_file, env=ASCII)
    assert done.returncode in LADDER
    assert b"Traceback" not in done.stderr
    done.stdout.decode("ascii")


def test_a_reader_that_closes_the_pipe(dump_file: Path) -> None:
    program = f'"{sys.executable}" -m mqstat'
    query = "SELECT a.* FROM wtas a, range(3000)"
    for arguments in ("raw '{0}' --structure wtas", f"sql '{query}' --format csv '{{0}}'"):
        line = f"set -o pipefail; {program} {arguments} | head -1".replace("'{0}'", '"$DUMP"')
        done = subprocess.run(
            ["bash", "-c", line], capture_output=True, env={**os.environ, "DUMP": str(dump_file)}, timeout=60
        )
        assert done.stderr == b""
        assert done.stdout.count(b"\n") == 1
        assert done.returncode in (0, 141)


def test_standard_input(dump_file: Path) -> None:
    data = dump_file.read_bytes()
    started = call("ledger", "-", input=data)
    assert (started.returncode, started.stderr) == (0, b"")
    for arguments in (["raw", "-", "--structure", "qist"], ["sql", "SELECT count(*) FROM qist", "-"]):
        done = invoke(*arguments, input=data)
        assert (done.returncode, done.stderr) == (0, ""), arguments
    done = invoke("ledger", "-")
    assert done.returncode == 12
    assert "stdin is empty" in done.stderr


@pytest.mark.slow
def test_return_codes_of_reports(tmp_path: Path, capsys: Captured) -> None:
    """0 clear, 4 warnings, 8 critical, 12 nothing to read, 16 usage error."""
    want: dict[int, Callable[[], bytes]] = {
        0: scenarios.find("old_release").build,
        8: scenarios.find("pool_exhausted").build,
        12: lambda: b"nothing " * 100,
    }
    named = [
        "--report",
        "buffer_pool/usage",
    ]  # that of the whole report is compared with every scenario in tests/test_scenarios.py
    for code, build in want.items():
        path = file_of(build(), tmp_path, f"{code}.smf")
        assert run(["report", str(path), *named]) == code
    assert run(["report", str(tmp_path / "8.smf"), str(tmp_path / "0.smf"), *named]) == 8
    capsys.readouterr()
