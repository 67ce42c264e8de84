"""Every command that mqstat prints runs where it was printed, and is about what it was printed for."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from typer.exceptions import TyperException

from mqstat.base.errors import MqstatError
from mqstat.base.inputs import (
    Inputs,
    as_typed,
    command,
    completed,
    name_of,
    naming,
    source_command,
    typing,
    wrapped_command,
)
from mqstat.cli import run
from mqstat.cli.app import command as command_group
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.sources.source import is_input
from tests.estates import judged
from tests.printed import about, commands_of, commands_of_page, commands_of_values, filled
from tests.support import ROOT

Captured = pytest.CaptureFixture[str]

PATHS = {
    "dump": Path("in/night one.smf"),
    "dataset": Path("in/data"),
    "site": Path("in/site.toml"),
    "config": Path("in/daily.toml"),
}
SITE = '[rules.BP004]\nstealable_pct_min = 20\nreason = "x"\n'


def test_commands_are_found_in_sentences_and_over_lines() -> None:
    text = "More mqstat report 'a b.smf' \\\n   --finding BP002/MQ01\nsee mqstat explain RULE; mqstat reports lists all reports."
    assert list(commands_of(text)) == [["report", "a b.smf", "--finding", "BP002/MQ01"], ["explain", "RULE"]]
    assert filled(["report", "DUMP", "--report", "NAME"], dump="x") == ["report", "x", "--report", "log/busy"]


@pytest.mark.parametrize(
    ("inputs", "named", "typed"),
    [
        (Inputs(["/a/x.smf"]), "mqstat plan P x.smf --qmgr Q", "mqstat plan P /a/x.smf --qmgr Q"),
        (Inputs(["a/x y.smf", "-"]), "mqstat plan P 'x y.smf' - --qmgr Q", "mqstat plan P 'a/x y.smf' - --qmgr Q"),
        (Inputs(["-x"]), "mqstat plan P ./-x --qmgr Q", "mqstat plan P ./-x --qmgr Q"),
        (Inputs(["/a/b.zip:m"]), "mqstat plan P b.zip:m --qmgr Q", "mqstat plan P /a/b.zip:m --qmgr Q"),
        (Inputs(["s3://b/k"]), "mqstat plan P s3://b/k --qmgr Q", "mqstat plan P s3://b/k --qmgr Q"),
        (Inputs(["x\n;y"]), "mqstat plan P 'x?;y' --qmgr Q", "mqstat plan P 'x?;y' --qmgr Q"),
        (
            Inputs(dataset="/d/mq", options=(("--qmgr", "R"), ("--date", "2026-01-01"), ("--site", "/s/s.toml"))),
            "mqstat plan P --from mq --qmgr Q --date 2026-01-01 --site s.toml",
            "mqstat plan P --from /d/mq --qmgr Q --date 2026-01-01 --site /s/s.toml",
        ),
    ],
)  # fmt: skip
def test_a_command_names_the_inputs(inputs: Inputs, named: str, typed: str) -> None:
    with naming(inputs):
        made = command(["plan", "P"], ["--qmgr", "Q"])
        assert (made, as_typed(made)) == (named, named)
        with typing():
            assert as_typed(made) == typed
            assert as_typed(f"a {made}; b") == f"a {typed}; b"
    assert command(["plan", "P"], ["--qmgr", "Q"]) == "mqstat plan P DUMP --qmgr Q"


def test_a_record_is_looked_up_in_the_source_that_has_it() -> None:
    inputs = Inputs(["a", "b"])
    inputs.words |= {1: "a/x.smf", 2: "b/x.smf"}
    with naming(inputs), typing():
        assert as_typed(source_command(["trace"], "x.smf", 1, ["@8"])) == "mqstat trace a/x.smf @8"
        assert as_typed(source_command(["trace"], "x.smf", 2, ["@8"])) == "mqstat trace b/x.smf @8"
        assert as_typed(source_command(["trace"], "x.smf", 3, ["@8"])) == "", (
            "where the dump of a dataset is now is not known"
        )
        assert as_typed(completed("DISPLAY LOG")) == "DISPLAY LOG"
    assert name_of(".") == "."


def test_a_long_command_is_one_for_a_shell() -> None:
    text = "mqstat report '/a folder/with a name/x.smf' --finding BP002/MQ01"
    lines = wrapped_command(text, 30)
    assert max(len(line) for line in lines if "'" not in line) <= 30
    assert list(commands_of("\n   ".join(lines))) == list(commands_of(text))


# --- what is printed

Found = tuple[str, list[str]]
DUMP = PATHS["dump"]


def written(words: list[str], folder: Path, capsys: Captured) -> tuple[dict[str, Path], list[Found]]:
    """Runs a report over an input; the files that are read elsewhere, and the commands on standard output, each with
    where it is.
    """
    files = {"page": Path("out/page.html"), "JSON": Path("out/r.json"), "Markdown": Path("out/r.md")}
    outputs = [word for path in files.values() for word in ("--write", str(path))]
    code = run(["report", *words, "-v", *outputs])
    text, errors = capsys.readouterr()
    assert code != 16, errors
    if code == 12:  # the input was not read
        return {}, []
    for path in files.values():
        assert str(folder) not in path.read_text("utf-8"), f"{path} has a path of this machine"
    return files, [(f"text of {words[-1]}", found) for found in commands_of(text)]


def in_file(kind: str, path: Path) -> Iterator[Found]:
    """The commands in a file."""
    text = path.read_text("utf-8")
    if kind == "page":
        found = commands_of_page(text)
    else:
        found = commands_of(text) if kind == "Markdown" else commands_of_values(json.loads(text))
    yield from ((kind, words) for words in found)


def refusal(line: list[str]) -> str:
    """Why a command line is refused or its input is not there, without running it; empty if it can run."""
    root = command_group(line[0])
    try:
        context = root.make_context("mqstat", list(line))
        name, inner, words = root.resolve_command(context, [*context._protected_args, *context.args])
        given = inner.make_context(name, words, parent=context).params
    except (TyperException, MqstatError) as error:
        return str(error)
    dump = given.get("dump") or []
    inputs = [*(given.get("dumps") or ()), *([dump] if isinstance(dump, str) else dump)]
    return "".join(f"{word} does not exist. " for word in inputs if not is_input(word))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with folders for inputs and outputs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    Path("in").mkdir()
    Path("out").mkdir()
    return tmp_path


def test_what_is_printed_can_be_typed(folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    DUMP.write_bytes(SCENARIOS["pool_exhausted"].build())
    files, text = written([str(DUMP)], folder, capsys)
    assert {words[0] for _, words in text} >= {"plan", "trace", "site", "report"}
    assert [(words, why) for _, words in text if (why := refusal(filled(words, **PATHS)))] == []
    monkeypatch.chdir("in")
    for kind, path in files.items():
        found = list(in_file(kind, folder / path))
        assert len(found) > 2, kind
        assert [(words, why) for _, words in found if (why := refusal(filled(words, **PATHS)))] == [], kind


def test_commands_of_documents_and_help_are_accepted(capsys: Captured) -> None:
    """`tests/test_doc_references.py` compares their options; the inputs that they name are those of a reader."""
    docs = ROOT / "docs"
    texts = {
        path.name: path.read_text("utf-8")
        for path in (ROOT / "README.md", *docs.glob("*.md"), *docs.glob("start/*.md"))
        if path.name != "cli.md"  # usage lines
    }
    assert run(["help"]) == 0
    lines = re.sub(r"\n {6,}", " ", capsys.readouterr().out)
    texts["help"] = re.sub(" {2,}", "\n", lines)  # columns
    found = [(name, filled(words, **PATHS)) for name, text in texts.items() for words in commands_of(text)]
    assert len(found) > 190
    assert [(name, line, why) for name, line in found if (why := refusal(line)) and "does not exist" not in why] == []


RAN: set[tuple[str, ...]] = set()
"""What was run for another dump: the same command is about another queue manager."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pool_exhausted", "hostile_everywhere"])
def test_what_is_printed_runs(name: str, folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands about all other dumps are run by campaign/documents/test_all_printed_commands.py."""
    run_printed(name, folder, capsys, monkeypatch)


def run_printed(name: str, folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run what is printed about a dump, each kind of command once."""
    dump = judged(name)
    DUMP.write_bytes(dump.dump)
    Path("in/site.toml").write_text(dump.site or SITE, "utf-8")
    paths = {key: folder / place for key, place in PATHS.items()}
    words = [[str(DUMP), "--site", "in/site.toml"]]
    if name == "pool_exhausted":
        with zipfile.ZipFile("in/all.zip", "w") as archive:
            archive.write(DUMP, "2026/night one.smf")
        assert run(["ingest", str(DUMP), "--into", "in/data"]) == 0
        words += [["in/all.zip:night one.smf"], ["--from", "in/data"], [str(DUMP.resolve())]]
    capsys.readouterr()
    for given in words:
        files, text = written(given, folder, capsys)
        run_all(text, paths, capsys)
        monkeypatch.chdir("in")
        for kind, path in files.items():
            run_all(in_file(kind, folder / path), paths, capsys)
        monkeypatch.chdir(folder)


@pytest.mark.slow
def test_what_a_night_writes_runs(folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """The card in the mail names the dataset from the root; its reader is in any folder of this machine."""
    folders = "".join(f'[{name}]\nfolder = "{name}"\n' for name in ("inbox", "dataset", "reports"))
    PATHS["config"].write_text(folders.replace('"inbox"\n', '"inbox"\nsettle_seconds = 0\n'), "utf-8")
    Path("in/inbox").mkdir()
    Path("in/inbox/SMF.D1").write_bytes(SCENARIOS["overlapping_intervals"].build())
    assert run(["daily", str(PATHS["config"]), "--today", "2026-03-03"]) in (4, 8)
    capsys.readouterr()
    reports = folder / "in" / "reports"
    card = (reports / "mail.txt").read_text("utf-8").partition("\n- ")[0]
    mail = list(commands_of(card))
    assert mail
    assert str(folder) not in "".join(path.read_text("utf-8") for path in reports.glob("*.html"))
    paths = {key: folder / place for key, place in PATHS.items()}
    monkeypatch.chdir(folder / "out")
    run_all((("mail", words) for words in mail), paths, capsys)
    monkeypatch.chdir(folder / "in")
    for page in reports.glob("mqstat-*.html"):
        run_all((found for found in in_file("page", page) if found[1][0] != "trace"), paths, capsys)


def run_all(found: Iterable[Found], paths: Mapping[str, Path], capsys: Captured) -> None:
    """Runs one command of each kind: its verb, its report or plan, and where it was printed."""
    for where, words in found:
        after = {"--report", "--finding", "plan", "explain"}
        key = (where, words[0], *(value for option, value in pairwise(words) if option in after))
        if key in RAN:
            continue
        RAN.add(key)
        line = filled(words, **paths)
        code = run(line)
        captured = capsys.readouterr()
        assert code not in (12, 16), f"{where}: mqstat {' '.join(line)}: {code} {captured.err}"
        for expected in about(line):
            assert expected in captured.out, f"{where}: mqstat {' '.join(line)} shows no {expected}"
