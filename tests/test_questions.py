"""docs/questions.md: every command gives the answer that the page shows. docs/mp1b.md: every DD name and WSC query
selects the reports it names.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqstat.assemble.catalogue import UNKNOWN_DDS, reports, reports_named
from mqstat.base.errors import UsageError
from mqstat.cli import run
from mqstat.fixtures.scenarios import SCENARIOS
from tests.made_once import made_once
from tests.support import ROOT, file_of

QUESTIONS, MP1B = ROOT / "docs" / "questions.md", ROOT / "docs" / "mp1b.md"

ANSWERED = re.compile(
    r"## (?P<question>[^\n]+)\n\n```\n(?P<command>mqstat [^\n]+)\n```\n\n```\n(?P<answer>.*?)\n```\n", re.DOTALL
)


NAMED = ["mqstat", "report", "DUMP", "--report"]
"""A command that shows one report is this and the name of the report."""


def shown(output: str, command: str, count: int) -> list[str]:
    """The first lines of an output, from the report itself on: what is above it names the input and the period."""
    lines = [line.rstrip() for line in output.splitlines()]
    name = re.search(r"--report (\S+)", command)
    first = next((number for number, line in enumerate(lines) if name and line.startswith(f"{name[1]}  ")), 0)
    return lines[first : first + count]


@pytest.fixture
def once() -> Iterator[None]:
    """All commands read the same dump: the first of each kind opens and judges it."""
    with made_once():
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("once")
def test_every_question_has_its_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, update_golden: bool
) -> None:
    """Reports of which nothing but the name is given are written by one command: what is printed of each is the
    same.
    """
    dump = str(file_of(SCENARIOS["rich_estate"].build(), tmp_path))
    monkeypatch.setenv("COLUMNS", "132")
    text = QUESTIONS.read_text(encoding="utf-8")
    questions = list(ANSWERED.finditer(text))
    assert len(questions) == text.count("\n## ") >= 18

    def output(*arguments: str) -> str:
        assert run(arguments) in (0, 4, 8), arguments
        return capsys.readouterr().out

    named = [words[-1:] for question in questions if (words := shlex.split(question["command"]))[:-1] == NAMED]
    together = output("report", dump, *(word for name in named for word in ("--report", *name)))
    wrong = []
    for match in reversed(questions):
        words = shlex.split(match["command"])
        assert words.count("DUMP") == 1, match["command"]
        arguments = [dump if word == "DUMP" else word for word in words[1:]]
        lines = match["answer"].split("\n")
        printed = shown(
            together if words[:-1] == NAMED else output(*arguments),
            match["command"],
            int(lines[0]) if lines[0].isdigit() else len(lines),
        )
        if printed != lines:
            wrong.append(match["question"])
            text = text[: match.start("answer")] + "\n".join(printed) + text[match.end("answer") :]
    if update_golden:
        QUESTIONS.write_text(text, encoding="utf-8", newline="\n")
        wrong = []
    assert wrong == [], "make golden ONLY=test_questions.py writes the answers"


def cells(text: str, columns: int) -> Iterator[list[str]]:
    """The rows of the tables with so many columns, without their heads."""
    for line in text.splitlines():
        parts = [part.strip() for part in line.strip().strip("|").split("|")]
        if line.startswith("| ") and len(parts) == columns and parts[0] not in ("DD", "query"):
            yield parts


def named(cell: str) -> list[str]:
    """The names in code font."""
    return re.findall(r"`([^`]+)`", cell)


def test_every_dd_name_selects_its_reports_with_their_columns() -> None:
    text = MP1B.read_text(encoding="utf-8")
    listed: dict[str, set[str]] = {}
    for dds, ids, columns in cells(text.split("## WSC")[0], 3):
        of_reports = {name for report_id in named(ids) for name in reports()[report_id].columns}
        assert set(named(columns)) <= of_reports, dds
        listed |= {dd: set(named(ids)) for dd in named(dds)}
    assert listed == {
        dd: set(reports_named(dds=[dd])) for unit in reports().values() for dd in unit.header.get("dd", ())
    }
    assert reports_named(dds=["PSET, MSGM", "psetcsv"]) == reports_named(dds=["PSET", "MSGM"])


def test_a_dd_name_without_a_report_is_refused() -> None:
    text = MP1B.read_text(encoding="utf-8")
    for dd in UNKNOWN_DDS:
        assert f"`{dd}`" in text
        with pytest.raises(UsageError, match=f"DD name {dd}: no document describes"):
            reports_named(dds=[dd])


def test_every_dd_name_of_mp1b_is_known() -> None:
    """All names in job control and pictures of MP1B jobs."""
    names = (
        "MESSAGE CMESSAGE BUFF BUFFIO BUFFCSV LOG LOGCSV LOGBUSY MSGM MSGMCSV DATA LOCK TOPIC STG STGSUM PSET PSETCSV PSIOCSV DB2 CF CFCSV SMDS "
        "SMDSACSV SMDSBCSV SMDSSCSV CHINIT CHINCSV ADAP ADAPCSV DISP DISPCSV SSL SSLCSV DNS DNSCSV DCHS DCHSCSV DCHSSUM TASK TASKCSV TASKSUM EOJ "
        "QALL QCPU QSUML QSUMS QSTAT QSTATCSV QPUTSCSV QGETSCSV OFIELD"
    ).split()
    with_reports = {dd for unit in reports().values() for dd in unit.header.get("dd", ())}
    assert [name for name in names if name not in with_reports | set(UNKNOWN_DDS)] == []


def test_every_wsc_query_selects_its_reports() -> None:
    text = MP1B.read_text(encoding="utf-8").split("## WSC")[1]
    listed = {int(number): named(ids) for number, _, ids in cells(text, 3)}
    numbers = {number for unit in reports().values() for number in unit.header.get("wsc", ())}
    assert listed == {number: reports_named(wscs=[number]) for number in sorted(numbers)}
