"""Commands as people type them: help, usage, unknown words, completion."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqstat.base.csv_cells import safe
from mqstat.base.nearest import did_you_mean, nearest
from mqstat.cli import run
from mqstat.cli.app import command
from mqstat.fixtures.scenarios import SCENARIOS
from tests.made_once import made_once
from tests.support import call, file_of, invoke

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    "arguments",
    [["-h"], ["help"], ["report", "-h"], ["help", "report"], ["help", "site", "init"], ["site", "init", "-h"]],
)
def test_help_is_available_for_every_command(arguments: list[str], capsys: Captured) -> None:
    assert run(arguments) == 0
    captured = capsys.readouterr()
    path = " ".join(argument for argument in arguments if argument not in ("-h", "help"))
    assert f"Usage: mqstat {path}".rstrip() in captured.out
    assert captured.err == ""


def test_the_list_of_commands_fits_a_terminal(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(["help"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert "..." not in text.partition("Start here:")[2]
    for name, inner in command().commands.items():
        sentence = " ".join(inner.help.partition("\n\n")[0].split()).partition(". ")[0].rstrip(".")
        assert re.search(rf"^  {name} +{re.escape(sentence[:20])}", text, re.MULTILINE), name
        assert sentence in " ".join(text.split()), f"the sentence about {name} is cut"
        assert inner.rich_help_panel, f"{name} is in no group"


def test_a_command_built_alone_has_the_help_that_it_has_among_all(capsys: Captured) -> None:
    for name in command().commands:
        assert run([name, "--help"]) == run(["help", name]) == 0
        alone, _, among_all = (
            capsys.readouterr().out.partition(f"Usage: mqstat {name}")[2].partition(f"Usage: mqstat {name}")
        )
        assert alone == among_all, name


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("report", "[OPTIONS] [DUMP...]"), ("ledger", "[OPTIONS] DUMP..."), ("raw", "[OPTIONS] DUMP"), ("sql", "[OPTIONS] QUERY [DUMP...]"),
        ("compare", "[OPTIONS] A B"), ("site init", "[OPTIONS] [DUMP...]"), ("reports", "[OPTIONS] [AREA]"),
    ],
)  # fmt: skip
def test_usage_shows_what_to_type(command: str, usage: str, capsys: Captured) -> None:
    assert run([*command.split(), "--help"]) == 0
    output = capsys.readouterr().out
    assert f"Usage: mqstat {command} {usage}\n" in output
    assert "<str>" not in output
    assert "list[" not in output


@pytest.mark.parametrize("command", ["report", "check", "rules", "sql", "tables", "site init", "compare"])
def test_every_command_that_reads_selects_in_the_same_way(command: str, capsys: Captured) -> None:
    assert run([*command.split(), "--help"]) == 0
    output = capsys.readouterr().out
    assert all(f"  {option} " in output for option in ("--from", "--qmgr", "--lpar", "--since", "--until", "--date"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "BP01"], "There is no rule, report, plan or column BP01; did you mean BP001."),
        (["check", "x", "--rule", "BP01"], "There is no rule BP01; did you mean BP001."),
        (["check", "x", "--rule", "lg"], "LG is an area; its rules are LG0"),
        (
            ["report", "x", "--report", "buffer_pool"],
            "buffer_pool is an area; its reports are buffer_pool/day_profile, ",
        ),
        (["report", "x", "--report", "log/bussy"], "There is no report log/bussy; did you mean log/busy."),
        (["sql", " ", "x"], "The query is empty"),
        (["trace", "x", "1", "--section", "2"], "add --structure NAME"),
        (["reprot"], "There is no command reprot; did you mean report."),
        (["report", "--qmg", "X"], "There is no option --qmg; did you mean --qmgr; run: mqstat report --help"),
        (["explain", "qpts"], "did you mean qpst"),
        (["explain", "qpst.lowest_stealabl"], "did you mean qpst.lowest_stealable"),
        (["describe", "qpst"], "There is no command describe; did you mean explain."),
        (["raw", "x", "--structure", "qpts"], "did you mean qpst"),
        (["help", "reprot"], "did you mean report"),
        (["version"], "There is no command version; did you mean --version."),
        (["zzz"], "There is no command zzz; mqstat --help lists them."),
        (["site", "zzz"], "There is no command zzz; there are check, init."),
        (["--json", "x"], "There is no option --json; write --format json: mqstat report DUMP --format json"),
        (["check", "x", "--json"], "write --format json: mqstat check DUMP --format json"),
        (["check", "x", "--html"], "write --format html: mqstat report DUMP --format html --output FILE"),
        (["report", "x", "--csv"], "There is no option --csv; write --format csv: mqstat report DUMP --format csv"),
        (["--qmgr", "MQ01"], "There is no option --qmgr before the command; write it after it: mqstat report --qmgr"),
        (["report", "x", "--zzz"], "There is no option --zzz; mqstat report --help lists them."),
        (["compact", "x", "--zzz"], "There is no option --zzz; there are --from, --wait."),
        (["report", "x", "--top", "0"], "--top 0: write 1 or more."),
        (["report", "x", "--jobs", "few"], "--jobs few: write a whole number."),
        (["check", "x", "--damage-limit", "101"], "--damage-limit 101: write 100 or less."),
        (["check", "x", "--rule", "ZZ999"], "There is no rule ZZ999; mqstat rules lists them."),
        (["report", "x", "--report", "zzz"], "There is no report zzz; mqstat reports lists them."),
        (["report", "x", "--finding", "ZZ999/A"], "there is no rule ZZ999; mqstat rules lists them."),
        (["plan", "zzz"], "There is no plan zzz; mqstat plan lists them."),
        (["plan", "restart_time", "--set", "zzz=1"], "has no parameter zzz; there are since_checkpoint, "),
        (["explain", "zzzz"], "mqstat rules, mqstat reports, mqstat plan and mqstat tables list the known ones."),
        (["reports", "zzz"], "There is no area zzz; there are overview, "),
        (["raw", "x", "--structure", "zzz"], "no such structure; there are q5st, "),
        (["report", "x", "--format", "xls"], "choose text, csv, "),
    ],
)
def test_an_unknown_name_gets_the_nearest_or_those_that_are_known(
    arguments: list[str], message: str, capsys: Captured
) -> None:
    assert run(arguments) == 16
    captured = capsys.readouterr()
    assert message in captured.err
    assert len(captured.err.splitlines()) == 1


def test_an_input_alone_is_reported(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nights").mkdir()
    file_of(SCENARIOS["accounting_only"].build(), Path("nights"), "check")
    with zipfile.ZipFile("nights.zip", "w") as archive:
        archive.write("nights/check", "2026/check")
    options = ["--report", "overview/contents", "--format", "csv"]
    assert run(["report", "nights/check", *options]) == 0
    expected = capsys.readouterr().out
    for word in ("nights", "nights.zip:check"):
        assert run([word, *options]) == 0, word
        assert capsys.readouterr().out == expected, word
    assert run(["nights.zip:chek", *options]) == 12
    assert capsys.readouterr().err == "mqstat: nights.zip has no member chek.\n"
    monkeypatch.chdir("nights")
    assert run(["check", *options]) == 16, "a command of this name is the command"


def test_no_command_overwrites_what_it_reads(tmp_path: Path, capsys: Captured) -> None:
    """The dump of a night is often the only copy; a manifest that is overwritten loses the whole dataset."""
    kept = {
        name: tmp_path / name
        for name in ("night.smf", "rates.toml", "data/publish/_delta_log/0.json", "data/qpst/a.parquet")
    }
    for path in kept.values():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(path.name.encode())
    (tmp_path / "again").mkdir()
    dump, rates, commit, table = map(str, kept.values())
    data, same = str(tmp_path / "data"), str(tmp_path / "again" / ".." / "night.smf")
    for arguments, message in (
        (
            ["report", dump, "--output", same],
            "night.smf is an input of this command; specify another file with --output",
        ),
        (["report", dump, "--write", same], "specify another file with --write"),
        (["check", "--from", data, "--output", commit], "is part of the dataset"),
        (["report", dump, "--site", rates, "--output", rates], "rates.toml is an input"),
        (["compare", dump, data, "--output", table], "is part of the dataset"),
        (["map", dump, "--output", dump], "is an input"),
        (["site", "init", dump, "--output", dump], "is an input"),
    ):
        assert run(arguments) == 16, arguments
        assert message in capsys.readouterr().err, arguments
    assert all(path.read_bytes() == path.name.encode() for path in kept.values())


def test_nearest() -> None:
    known = ["BP001", "BP010", "BP019", "log/busy", "log/io", "buffer_pool/usage"]
    assert nearest("bp1", known) == ["BP001"]
    assert nearest("BP0010", known) == ["BP010"]
    assert nearest("busy", known) == ["log/busy"]
    assert nearest("buffer-pool usage", known) == ["buffer_pool/usage"]
    assert nearest("", known) == nearest("zzzzzz", known) == []
    assert did_you_mean("log/", known) == "; did you mean log/busy or log/io"


def test_a_column_alone_names_the_views_that_have_it(capsys: Captured) -> None:
    assert run(["explain", "pool_id"]) == 0
    output = capsys.readouterr().out
    assert "  buffer_pool.pool_id: " in output
    assert "  decoded.qpst.pool_id: " in output


def test_an_area_lists_its_reports_and_rules(capsys: Captured) -> None:
    assert run(["explain", "log"]) == 0
    output = capsys.readouterr().out
    assert "  log/busy " in output
    assert "  LG001  " in output


@pytest.mark.parametrize(
    ("line", "wanted"),
    [("mqstat report x --report log/b", "log/busy"), ("mqstat check x --rule BP00", "BP001"), ("mqstat explain buffer_p", "buffer_pool"),
     ("mqstat explain LG00", "LG001"), ("mqstat reports chann", "channel_initiator"), ("mqstat rep", "report")],
)  # fmt: skip
def test_a_shell_completes_names(line: str, wanted: str) -> None:
    """One of them as the shell asks, in a process."""
    environment = {"_MQSTAT_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    if wanted == "report":
        assert wanted.encode() in call(env=environment).stdout.split()
    else:
        assert wanted in invoke(env=environment).stdout.split()


def test_completion_can_be_installed(capsys: Captured) -> None:
    assert run(["--help"]) == 0
    assert "--install-completion" in capsys.readouterr().out
    assert b"_MQSTAT_COMPLETE" in call(env={"_MQSTAT_COMPLETE": "source_bash"}).stdout


# --- output


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(SCENARIOS["hostile_everywhere"].build(), tmp_path_factory.mktemp("hostile"), "hostile.smf")


@pytest.fixture(scope="module")
def once() -> Iterator[None]:
    """Commands that write the same report differently make it once."""
    with made_once():
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("once")
@pytest.mark.parametrize(
    "command", [["report", "--report", "overview/contents"], ["sql", "SELECT * FROM qmgr"], ["check"], ["report"]]
)
def test_csv_is_safe_for_terminals_and_spreadsheets(command: list[str], hostile: Path, capsys: Captured) -> None:
    assert run([*command, str(hostile), "--format", "csv"]) in (0, 4, 8, 12)
    safe = capsys.readouterr().out
    assert not set(safe) & (set(map(chr, range(32))) - {"\n"})
    cells = [cell for row in csv.reader(io.StringIO(safe)) for cell in row]
    assert [cell for cell in cells if re.match(r"[=+@\t\r]|-(?![0-9.])", cell)] == []
    assert run([*command, str(hostile), "--format", "csv", "--raw"]) in (0, 4, 8, 12)
    assert len(list(csv.reader(io.StringIO(capsys.readouterr().out)))) >= len(list(csv.reader(io.StringIO(safe))))


# Directly after the report of everything, which it writes too: other reports take its place.


@pytest.mark.slow
@pytest.mark.usefixtures("once")
def test_text_fits_its_width(hostile: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def widest(*arguments: str) -> int:
        run(list(arguments))
        return max(map(len, capsys.readouterr().out.splitlines()))

    monkeypatch.delenv("COLUMNS", raising=False)
    assert widest("check", str(hostile)) <= 132
    assert widest("reports") <= 132
    assert widest("check", str(hostile), "--width", "80") <= 80
    assert widest("reports", "--width", "80") <= 80
    monkeypatch.setenv("COLUMNS", "90")
    assert widest("reports") <= 90
    run(["report", str(hostile), "--width", "80", "--write", str(tmp_path / "report.txt")])
    capsys.readouterr()
    assert max(map(len, (tmp_path / "report.txt").read_text("utf-8").splitlines())) <= 80


@pytest.mark.parametrize(
    ("text", "cell"),
    [("=1+1", "'=1+1"), ("+A", "'+A"), ("-A", "'-A"), ("@A", "'@A"), ("\tA", "'?A"), ("\rA", "'?A"), ("-1.5", "-1.5"), ("A\x1b[2J", "A?[2J"), ("A=B", "A=B"), ("", "")],
)  # fmt: skip
def test_cells(text: str, cell: str) -> None:
    assert safe(text) == cell


@pytest.mark.usefixtures("once")
def test_csv_takes_one_report_or_a_folder(hostile: Path, tmp_path: Path, capsys: Captured) -> None:
    arguments = ["report", str(hostile), "--report", "log/io", "--report", "log/busy", "--format", "csv"]
    assert run(arguments) == 16
    assert "--output DIR" in capsys.readouterr().err
    assert run([*arguments, "--output", str(tmp_path / "tables")]) in (4, 8, 12)
    for name in ("io", "busy"):
        table = list(csv.reader(io.StringIO((tmp_path / "tables" / "log" / f"{name}.csv").read_text("utf-8"))))
        assert len({len(row) for row in table}) == 1
        assert "interval_start_utc" in table[0] or name == "busy", "the clock is in the name of the column"


@pytest.mark.usefixtures("once")
def test_no_color_leaves_no_escape_sequence(capsys: Captured, monkeypatch: pytest.MonkeyPatch, hostile: Path) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    run(["report", str(hostile), "--report", "log/io"])
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out + captured.err


@pytest.mark.usefixtures("once")
def test_headings_of_times_name_the_clock(hostile: Path, capsys: Captured) -> None:
    run(["report", str(hostile), "--report", "log/io"])
    assert "(local)" in capsys.readouterr().out


# --- faults that users cause


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["tables", "report {0} --report log/io", "check {0} --rule LG001 --format json"])
def test_a_closed_output_is_one_sentence(arguments: str, hostile: Path) -> None:
    line = f'"{sys.executable}" -m mqstat {arguments.format(hostile)} >&-'
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=False)
    assert done.returncode == 16
    assert done.stderr.decode().splitlines()[-1] == "mqstat: the system refused the output: standard output is closed."
    assert b"Traceback" not in done.stderr


def test_a_newline_in_a_name_forges_no_line(tmp_path: Path, capsys: Captured) -> None:
    path = file_of(SCENARIOS["hostile_names"].build(), tmp_path, "a\nend      return code 0.smf")
    for arguments in (
        ["ingest", str(path), "--into", str(tmp_path / "d")],
        ["ledger", str(path)],
        ["report", str(path) + "x"],
    ):
        run(arguments)
        captured = capsys.readouterr()
        assert not [line for line in (captured.out + captured.err).splitlines() if line.startswith("end ")]


@pytest.mark.slow
def test_a_folder_that_holds_a_dataset(tmp_path: Path, hostile: Path, capsys: Captured) -> None:
    assert run(["ingest", str(hostile), "--into", str(tmp_path / "data")]) in (0, 4)
    capsys.readouterr()
    assert run(["check", str(tmp_path / "data")]) == 12
    refused = f"data is a dataset, not a dump; read it with --from {tmp_path / 'data'}\n"
    assert capsys.readouterr().err == f"mqstat: {refused}"
    file_of(hostile.read_bytes(), tmp_path, "dump.smf")
    run(["check", str(tmp_path), "--rule", "LG001"])
    assert capsys.readouterr().err == f"mqstat: skipping: {refused}"


# A report that is interrupted while it judges, however fast the machine is; a job in the background starts with the
# signal ignored.
INTERRUPTED = """
import os
import signal
import threading
from mqstat.cli import main
from mqstat.sql.workspace import Workspace
signal.signal(signal.SIGINT, signal.default_int_handler)
execute, statements = Workspace.execute, []
def counted(*arguments):
    statements.append(arguments)
    if len(statements) == 150:
        threading.Timer(0.003, os.kill, (os.getpid(), signal.SIGINT)).start()
    return execute(*arguments)
Workspace.execute = counted
main()
"""


@pytest.mark.slow
def test_an_interrupted_report_stops_in_one_sentence(hostile: Path) -> None:
    command = [sys.executable, "-c", INTERRUPTED, "report", str(hostile)]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert done.returncode == 16
    assert done.stderr.startswith(b"mqstat: stopped")
    assert len(done.stderr.splitlines()) == 1


@pytest.fixture(scope="module")
def duplicates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(SCENARIOS["duplicates"].build(), tmp_path_factory.mktemp("duplicates"), "duplicates.smf")


@pytest.mark.slow
@pytest.mark.usefixtures("once")
@pytest.mark.parametrize("format_name", ["html", "text", "markdown", "json"])  # the page has all of the others
def test_doubled_records_are_counted_once_and_noted(format_name: str, duplicates: Path, capsys: Captured) -> None:
    path = duplicates
    assert (
        run(
            ["report", str(path), "--format", format_name, "--width", "400"]
            if format_name == "text"
            else ["report", str(path), "--format", format_name]
        )
        == 0
    )
    assert "ecords are in the input more than once (DQ005); each record is counted once" in capsys.readouterr().out


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a user may have it: a dump, an empty file, a text, an empty folder."""
    folder = tmp_path_factory.mktemp("typed")
    file_of(SCENARIOS["old_release"].build(), folder, "a.smf")
    file_of(b"", folder, "empty.smf")
    file_of(b"hello\n", folder, "text.txt")
    (folder / "empty").mkdir()
    return folder


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ("--report log/rate report a.smf", 16, "There is no option --report before the command; write it after it: mqstat report --report ..."),
        ("report /dev/null", 12, "/dev/null is empty."),
        ("report empty.smf", 12, "empty.smf is empty."),
        ("report empty", 12, "The folder empty has no file with data."),
        ("report --from empty", 16, "empty: not a dataset (no table publish); create one with: mqstat ingest DUMP --into empty"),
        ("check -", 12, "stdin is empty."),
        ("check a.smf nope.smf --rule LG001", 12, "skipping: nope.smf does not exist."),
        ("check a.smf a.smf --rule LG001", 0, "skipping: a.smf was already given."),
        ("check a.smf --since 2031-01-01", 12, "No MQ records match the selection (from 2031-01-01 00:00); the data contains CSQ7 on OLD1"),
        ("check a.smf --rule BP", 16, "BP is an area; its rules are BP001, BP002, BP003,"),
        ("sql a.smf QUERY", 16, "a.smf is a file, not a query; give the query first: mqstat sql QUERY a.smf"),
        ("sql SELECT+*+FROM+qmgrs a.smf", 16, "The query names qmgrs, which is no view or table; did you mean qmgr"),
        ("sql SELECT+'" + "long" * 1100 + "'+FROM+nope7 a.smf", 16, "The query names nope7, which is no view or table"),
        ("sql SELECT+*+FROM+nope7 a.smf", 16, "The query names nope7, which is no view or table"),
        ("sql SELECT+nosuch+FROM+log a.smf", 16, 'The query cannot be read: Binder Error: Referenced column "nosuch" not found in FROM clause! Candidate bindings:'),
        ("sql SELECT+sum(qmgr)+FROM+log a.smf", 16, "The query cannot be read: Binder Error: No function matches the given name and argument types 'sum(VARCHAR)'. You might need to add explicit type casts."),
        ("sql SELECT+qmgr::INT+FROM+qmgr a.smf", 16, "The query failed: Conversion Error: Could not convert string"),
        ("ingest a.smf --into a.smf", 16, "a.smf is an input of this command; specify another file with --into."),
    ],
)  # fmt: skip
def test_usage_errors_are_one_sentence(words: str, code: int, sentence: str, typed: Path) -> None:
    done = invoke(*(word.replace("+", " ") for word in words.split()), cwd=typed)
    assert done.stderr.startswith(f"mqstat: {sentence}")
    assert done.stderr.count("\n") == 1
    assert done.returncode == code
    assert "LINE 1" not in done.stderr


def test_the_program_alone_shows_its_commands(typed: Path) -> None:
    for words, title in (((), "Start here"), (("site",), "Commands")):
        done = invoke(*words, cwd=typed)
        assert done.returncode == 16
        assert done.stdout == ""
        assert done.stderr.count("\n") > 5
        assert f"\n{title}:\n" in done.stderr
        assert done.stderr.endswith("mqstat: Give a command.\n")
