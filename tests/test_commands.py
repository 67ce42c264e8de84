"""Commands as people type them: help, usage, unknown words, completion."""

from __future__ import annotations

import csv
import io
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mqstat.base.csv_cells import safe
from mqstat.base.nearest import did_you_mean, nearest
from mqstat.cli import run
from mqstat.fixtures.scenarios import SCENARIOS
from tests.support import call, file_of

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    "words", [["-h"], ["help"], ["report", "-h"], ["help", "report"], ["help", "site", "init"], ["site", "init", "-h"]]
)
def test_help_is_where_people_look_for_it(words: list[str], capsys: Captured) -> None:
    assert run(words) == 0
    told = capsys.readouterr()
    path = " ".join(word for word in words if word not in ("-h", "help"))
    assert f"Usage: mqstat {path}".rstrip() in told.out
    assert told.err == ""


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("report", "[OPTIONS] [DUMP...]"), ("ledger", "[OPTIONS] DUMP..."), ("raw", "[OPTIONS] DUMP"), ("sql", "[OPTIONS] QUERY [DUMP...]"),
        ("compare", "[OPTIONS] A B"), ("site init", "[OPTIONS] [DUMP...]"), ("reports", "[OPTIONS] [AREA]"),
    ],
)  # fmt: skip
def test_usage_shows_what_to_type(command: str, usage: str, capsys: Captured) -> None:
    assert run([*command.split(), "--help"]) == 0
    told = capsys.readouterr().out
    assert f"Usage: mqstat {command} {usage}\n" in told
    assert "<str>" not in told
    assert "list[" not in told


@pytest.mark.parametrize("command", ["report", "check", "rules", "sql", "tables", "site init", "compare"])
def test_every_command_that_reads_selects_in_the_same_way(command: str, capsys: Captured) -> None:
    assert run([*command.split(), "--help"]) == 0
    told = capsys.readouterr().out
    assert all(f"  {option} " in told for option in ("--from", "--qmgr", "--lpar", "--since", "--until", "--date"))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["explain", "BP01"], "There is no rule, report or column BP01; did you mean BP001."),
        (["check", "x", "--rule", "BP01"], "There is no rule BP01; did you mean BP001."),
        (["check", "x", "--rule", "lg"], "LG is an area; its rules are LG0"),
        (
            ["report", "x", "--report", "buffer_pool"],
            "buffer_pool is an area; its reports are buffer_pool/day_profile, ",
        ),
        (["report", "x", "--report", "log/bussy"], "There is no report log/bussy; did you mean log/busy."),
        (["reprot"], "There is no command reprot; did you mean report; run: mqstat --help"),
        (["report", "--qmg", "X"], "There is no option --qmg; did you mean --qmgr; run: mqstat report --help"),
        (["describe", "qpts"], "did you mean qpst"),
        (["raw", "x", "--structure", "qpts"], "did you mean qpst"),
        (["help", "reprot"], "did you mean report"),
    ],
)
def test_a_misspelt_word_gets_the_nearest_by_meaning(words: list[str], told: str, capsys: Captured) -> None:
    assert run(words) == 16
    said = capsys.readouterr()
    assert told in said.err
    assert len(said.err.splitlines()) == 1


def test_nearest() -> None:
    known = ["BP001", "BP010", "BP019", "log/busy", "log/io", "buffer_pool/usage"]
    assert nearest("bp1", known) == ["BP001"]
    assert nearest("BP0010", known) == ["BP010"]
    assert nearest("busy", known) == ["log/busy"]
    assert nearest("buffer-pool usage", known) == ["buffer_pool/usage"]
    assert nearest("", known) == nearest("zzzzzz", known) == []
    assert did_you_mean("log/", known) == "; did you mean log/busy or log/io"


def test_a_column_alone_names_the_views_that_have_it(capsys: Captured) -> None:
    assert run(["describe", "pool_id"]) == 0
    told = capsys.readouterr().out
    assert "  buffer_pool.pool_id " in told
    assert "  decoded.qpst.pool_id " in told


def test_an_area_lists_its_reports_and_rules(capsys: Captured) -> None:
    assert run(["explain", "log"]) == 0
    told = capsys.readouterr().out
    assert "  log/busy " in told
    assert "  LG001  " in told


@pytest.mark.parametrize(
    ("line", "wanted"),
    [("mqstat report x --report log/b", "log/busy"), ("mqstat check x --rule BP00", "BP001"), ("mqstat describe buffer_p", "buffer_pool"),
     ("mqstat explain LG00", "LG001"), ("mqstat reports chann", "channel_initiator"), ("mqstat rep", "report")],
)  # fmt: skip
def test_a_shell_completes_names(line: str, wanted: str) -> None:
    words = {"_MQSTAT_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    assert wanted.encode() in call(env=words).stdout.split()


def test_completion_can_be_installed(capsys: Captured) -> None:
    assert run(["--help"]) == 0
    assert "--install-completion" in capsys.readouterr().out
    assert b"_MQSTAT_COMPLETE" in call(env={"_MQSTAT_COMPLETE": "source_bash"}).stdout


# --- output


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return file_of(SCENARIOS["hostile_everywhere"].build(), tmp_path_factory.mktemp("hostile"), "hostile.smf")


@pytest.mark.parametrize(
    "command", [["report"], ["check"], ["report", "--report", "overview/contents"], ["sql", "SELECT * FROM qmgr"]]
)
def test_csv_is_safe_for_terminals_and_spreadsheets(command: list[str], hostile: Path, capsys: Captured) -> None:
    assert run([*command, str(hostile), "--format", "csv"]) in (0, 4, 8, 12)
    safe = capsys.readouterr().out
    assert not set(safe) & (set(map(chr, range(32))) - {"\n"})
    cells = [cell for row in csv.reader(io.StringIO(safe)) for cell in row]
    assert [cell for cell in cells if re.match(r"[=+@\t\r]|-(?![0-9.])", cell)] == []
    assert run([*command, str(hostile), "--format", "csv", "--raw"]) in (0, 4, 8, 12)
    assert len(list(csv.reader(io.StringIO(capsys.readouterr().out)))) >= len(list(csv.reader(io.StringIO(safe))))


@pytest.mark.parametrize(
    ("text", "cell"),
    [("=1+1", "'=1+1"), ("+A", "'+A"), ("-A", "'-A"), ("@A", "'@A"), ("\tA", "'?A"), ("\rA", "'?A"), ("-1.5", "-1.5"), ("A\x1b[2J", "A?[2J"), ("A=B", "A=B"), ("", "")],
)  # fmt: skip
def test_cells(text: str, cell: str) -> None:
    assert safe(text) == cell


def test_csv_takes_one_report_or_a_folder(hostile: Path, tmp_path: Path, capsys: Captured) -> None:
    words = ["report", str(hostile), "--report", "log/io", "--report", "log/busy", "--format", "csv"]
    assert run(words) == 16
    assert "--output DIR" in capsys.readouterr().err
    assert run([*words, "--output", str(tmp_path / "tables")]) in (4, 8, 12)
    for name in ("io", "busy"):
        table = list(csv.reader(io.StringIO((tmp_path / "tables" / "log" / f"{name}.csv").read_text("utf-8"))))
        assert len({len(row) for row in table}) == 1
        assert "interval_start_utc" in table[0] or name == "busy", "the clock is in the name of the column"


def test_text_fits_its_width(hostile: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def widest(*words: str) -> int:
        run(list(words))
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


def test_no_color_leaves_no_escape_sequence(capsys: Captured, monkeypatch: pytest.MonkeyPatch, hostile: Path) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    run(["report", str(hostile), "--report", "log/io"])
    told = capsys.readouterr()
    assert "\x1b" not in told.out + told.err


def test_headings_of_times_name_the_clock(hostile: Path, capsys: Captured) -> None:
    run(["report", str(hostile), "--report", "log/io"])
    assert "(local)" in capsys.readouterr().out


# --- faults that users cause


@pytest.mark.parametrize("words", ["tables", "report {0}", "check {0} --format json"])
def test_a_closed_output_is_one_sentence(words: str, hostile: Path) -> None:
    line = f'"{sys.executable}" -m mqstat {words.format(hostile)} >&-'
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=False)
    assert done.returncode == 16
    assert done.stderr.decode().splitlines()[-1] == "mqstat: the system refused the output: standard output is closed."
    assert b"Traceback" not in done.stderr


def test_a_newline_in_a_name_forges_no_line(tmp_path: Path, capsys: Captured) -> None:
    path = file_of(SCENARIOS["hostile_names"].build(), tmp_path, "a\nend      return code 0.smf")
    for words in (
        ["ingest", str(path), "--into", str(tmp_path / "d")],
        ["ledger", str(path)],
        ["report", str(path) + "x"],
    ):
        run(words)
        told = capsys.readouterr()
        assert not [line for line in (told.out + told.err).splitlines() if line.startswith("end ")]


def test_a_folder_that_holds_a_dataset(tmp_path: Path, hostile: Path, capsys: Captured) -> None:
    assert run(["ingest", str(hostile), "--into", str(tmp_path / "data")]) in (0, 4)
    capsys.readouterr()
    assert run(["check", str(tmp_path / "data")]) == 12
    refused = f"data is a dataset, not a dump; read it with --from {tmp_path / 'data'}\n"
    assert capsys.readouterr().err == f"mqstat: {refused}"
    file_of(hostile.read_bytes(), tmp_path, "dump.smf")
    run(["check", str(tmp_path)])
    assert capsys.readouterr().err == f"mqstat: skipping {refused}"


def test_an_interrupted_report_stops_in_one_sentence(hostile: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "mqstat", "report", str(hostile)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=120)
    if process.returncode == 16:
        assert told.startswith(b"mqstat: stopped")
        assert len(told.splitlines()) == 1
    else:
        assert process.returncode in (0, 4, 8, 12), "it was done before the signal came"


@pytest.mark.parametrize("form", ["text", "markdown", "json", "html"])
def test_doubled_records_are_counted_once_and_noted(form: str, tmp_path: Path, capsys: Captured) -> None:
    path = file_of(SCENARIOS["duplicates"].build(), tmp_path, "duplicates.smf")
    assert run(
        ["report", str(path), "--format", form, "--width", "400"]
        if form == "text"
        else ["report", str(path), "--format", form]
    ) in (4, 8)
    assert "ecords are in the input more than once (DQ005); each record is counted once" in capsys.readouterr().out
