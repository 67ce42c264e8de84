"""Commands as people type them: help, usage, unknown words, completion."""

from __future__ import annotations

import pytest

from mqstat.cli import run
from mqstat.nearest import did_you_mean, nearest
from tests.support import call

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
