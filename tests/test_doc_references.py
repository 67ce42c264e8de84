"""What the documents name exists: rules, reports, pictures, views, commands and their options, make targets, files,
numbers of decisions.

`test_house.py` checks the links; here are the names in text, in code and in the examples.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from mqstat.base.areas import AREAS
from mqstat.cli.app import app
from mqstat.judge.model import rules
from mqstat.sql import sqlfile
from tests.costs import cache
from tests.support import ROOT

DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs" / "adr").glob("*.md"),
    ]
)
EXAMPLES = sorted(path for path in (ROOT / "docs" / "examples").rglob("*") if path.is_file())
FOLDERS = ("bench", "campaign", "docs", "fixtures", "mqstat", "parsers", "reports", "rules", "tests")
PLACEHOLDER = re.compile(r"[A-Z]{3,}|[<>*{}]|\.\.\.|…|NN|XX")
MADE_UP = {"LG999", "BP999", "BP020"}
"""Rule ids of instructions that add a rule."""

each_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())


@cache
def commands() -> dict[str, frozenset[str]]:
    """Every command (`site init` too) with its options."""
    found: dict[str, frozenset[str]] = {}

    def walk(command: Any, words: tuple[str, ...]) -> None:
        options = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
        found[" ".join(words)] = frozenset({*options, "--help", "-h"})
        for name, child in getattr(command, "commands", {}).items():
            walk(child, (*words, name))

    walk(typer.main.get_command(app), ())
    return found


def snippets(text: str) -> Iterator[str]:
    """The code in a document: lines of fenced blocks, and the text between single backticks."""
    fences = re.findall(r"^```[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    for block in fences:
        yield from re.sub(r"\\\n\s*", " ", block).splitlines()
    rest = re.sub(r"^```[^\n]*\n.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    yield from re.findall(r"`([^`\n]+)`", rest)


def called(line: str) -> tuple[str, list[str]] | None:
    """The command of mqstat that a line calls, and its words; None for another line."""
    match = re.search(r"(?:^|[\s;&|(/])mqstat ([a-z].*)$", line.removeprefix("$ "))
    if match is None or line.lstrip().startswith(("#", "from ", "import ", "pip ")):
        return None
    try:
        words = shlex.split(re.split(r"\s[|>#]|[;&]", match[1])[0])
    except ValueError:
        return None
    names = commands()
    for length in (2, 1):
        name = " ".join(words[:length])
        if name in names and name:
            return name, words[length:]
    return words[0], []


@each_document
def test_rules_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    prefixes = "|".join({rule_id[:2] for rule_id in rules()})
    named = set(re.findall(rf"\b(?:{prefixes})\d{{3}}\b", text))
    assert named - set(rules()) - MADE_UP == set(), f"{path.name}: correct these rule ids"


@each_document
def test_reports_exist(path: Path) -> None:
    """Names like `log/rate`: a report, a picture, or a file of such a folder."""
    known = {*sqlfile.reports(), *sqlfile.pictures()}
    areas = "|".join({*AREAS, *(name.partition("/")[0] for name in known)})
    bad = []
    for snippet in snippets(path.read_text(encoding="utf-8")):
        for name in re.findall(
            rf"(?<![\w/.-])((?:{areas})/[a-z0-9_]+)(?![\w/.])", snippet.replace("Content-Type: application/", "")
        ):
            bad += [] if name in known else [name]
    assert bad == [], f"{path.name}: no report or picture has these names"


@each_document
def test_commands_and_options_exist(path: Path) -> None:
    bad, seen = [], 0
    for snippet in snippets(path.read_text(encoding="utf-8")):
        call = called(snippet)
        if call is None:
            continue
        name, words = call
        seen += 1
        if name not in commands():
            bad.append(snippet)
            continue
        options = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
        bad += [f"{option} in: {snippet}" for option in sorted(options - commands()[name])]
    assert bad == [], f"{path.name}: the program has no such command or option"
    assert seen or path.name not in ("README.md", "daily.md", "cli.md"), f"{path.name}: no command was found in it"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_of_the_examples_exist(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        call = called(line)
        if call is not None and not line.lstrip().startswith(("#", "//*")):
            name, words = call
            assert name in commands(), f"{path.name}: {line}"
            options = {word.partition("=")[0] for word in words if word.startswith("--")}
            assert options <= commands()[name], f"{path.name}: {line}"


@each_document
def test_make_targets_and_files_exist(path: Path) -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = path.read_text(encoding="utf-8")
    bad = []
    for snippet in snippets(text):
        made = re.match(r"(?:\$ )?make ([a-z][a-z-]*)", snippet)
        bad += [snippet] if made and made[1] not in targets else []
        for name in re.findall(rf"(?<![\w/.-])((?:{'|'.join(FOLDERS)})/[\w./-]+\.[a-z]+)(?::\d+)?(?![\w/])", snippet):
            # The reports of a user are in a folder of that name too.
            mine = not name.startswith("reports/") or name.endswith((".sql", ".toml", ".py"))
            if mine and not PLACEHOLDER.search(name.removesuffix(".sql").rpartition("/")[0]) and not is_file(name):
                bad.append(name)
    assert bad == [], f"{path.name}: these targets or files do not exist"


def is_file(name: str) -> bool:
    """Whether a file of the project has this path; a name with a made-up rule or unit in an instruction counts as
    one.
    """
    stem = Path(name).stem
    return (ROOT / name).exists() or stem in MADE_UP or bool(re.search(r"(^|_)(my|new|your|example|dummy)_", stem))


def test_documents_that_the_source_names_exist() -> None:
    """In docstrings, comments and texts of the program, also with a heading."""
    bad = []
    for folder in FOLDERS:
        for path in (path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".sql", ".toml", ".html")):
            for name in re.findall(r"\bdocs/[\w./-]+\.(?:md|csv|ipynb|png)\b", path.read_text(encoding="utf-8")):
                bad += [] if is_file(name) else [f"{path.relative_to(ROOT)}: {name}"]
    assert bad == [], "correct these names of documents"


@each_document
def test_decisions_exist(path: Path) -> None:
    numbers = {name.name[:4] for name in (ROOT / "docs" / "adr").glob("*.md")}
    named = set(re.findall(r"\bADRs?\s+(\d{4})\b", path.read_text(encoding="utf-8")))
    assert named <= numbers, f"{path.name}: correct the number of the decision"


@pytest.mark.parametrize(
    "text",
    [
        "See rule LG777.",
        "Look at `log/no_such_report`.",
        "```\n$ mqstat reprot dump.smf\n```",
        "```\nmqstat report dump.smf --no-such-option\n```",
        "Run `make no-such-target`.",
        "It is in `mqstat/no_such_module.py`.",
        "ADR 9999 decided it.",
    ],
)
def test_a_wrong_name_is_noticed(text: str, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(text, encoding="utf-8")
    checks = (
        test_rules_exist, test_reports_exist, test_commands_and_options_exist, test_make_targets_and_files_exist, test_decisions_exist,
    )  # fmt: skip
    noticed = 0
    for check in checks:
        try:
            check(path)
        except AssertionError:
            noticed += 1
    assert noticed == 1
