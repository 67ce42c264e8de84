"""One ladder of return codes, one limit of damage in percent."""

from __future__ import annotations

import re

import pytest

from mqstat.base import return_codes
from mqstat.cli import run
from mqstat.fixtures.damage import with_line_ends
from mqstat.intake.ingest import IngestResult
from mqstat.intake.part import PartResult
from mqstat.intake.pipeline import SourceResult
from mqstat.intake.staging import Input
from mqstat.parsers.ledger import Damage, Ledger
from mqstat.sources.verdict import stored_code, verdict
from tests.house import cure
from tests.installation import Installation, dump, installed_fixture, real_fixture  # noqa: F401 - fixtures
from tests.support import ROOT, file_of

SOUND = dump(hours=20)
OTHER = bytes.fromhex("001200001E1E00267FD30115343F") + b"SYSX"
INPUTS = {
    "sound": SOUND,
    "sound, with notes": SOUND + b"\x1a",
    "sound, no trailer": SOUND[:-18],
    "damaged to the limit": SOUND[:-18] + b"\xa5" * 40 + SOUND[-18:],
    "damaged above it": SOUND[:-18] + b"\xa5" * 2_700 + SOUND[-18:],
    "ruined": with_line_ends(SOUND),
    "not SMF": b"date,time,value\n2026-01-01,10:00,1\n" * 90,
    "nothing of MQ": OTHER * 3,
    "only AMS": OTHER.replace(b"\x1e\x1e", b"\x1e\xb4") * 3,
}
CODES = {
    "sound": (0, 0),
    "sound, with notes": (0, 0),
    "sound, no trailer": (0, 0),
    "damaged to the limit": (4, 4),
    "damaged above it": (12, 12),
    "ruined": (12, 12),
    "not SMF": (12, 12),
    "nothing of MQ": (0, 12),
    "only AMS": (0, 12),
}
"""Return codes by the verdict: of commands about the file, and of those that need its MQ records."""
COMMANDS = {
    "doctor": ("doctor", "DUMP"),
    "ledger": ("ledger", "DUMP"),
    "ingest": ("ingest", "DUMP", "--into", "FOLDER/ds"),
    "daily": (),
    "sql": ("sql", "SELECT count(*) AS n FROM message_manager", "DUMP"),
    "report": ("report", "DUMP", "--report", "overview/contents"),
    "check": ("check", "DUMP", "--rule", "DQ014"),
}
NEED_RECORDS = ("sql", "report", "check")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        pytest.param(kind, name, marks=pytest.mark.slow)
        if name in ("report", "check") and kind not in ("ruined", "damaged to the limit")
        else (kind, name)
        for kind in INPUTS
        for name in COMMANDS
    ],
)
def test_a_command_has_the_return_code_of_the_verdict(
    kind: str, name: str, installed: Installation, capsys: pytest.CaptureFixture[str]
) -> None:
    if name == "daily":
        installed.arrive("SMF.D1", SOUND)  # so that there is a dataset
        installed.arrive("SMF.D2", INPUTS[kind])
        assert installed.run()[0] == CODES[kind][0]
        return
    dump = file_of(INPUTS[kind], installed.root)
    words = [word.replace("DUMP", str(dump)).replace("FOLDER", str(installed.root)) for word in COMMANDS[name]]
    assert run(words) == CODES[kind][name in NEED_RECORDS]
    shown = capsys.readouterr()
    if kind == "ruined":
        text = shown.err if name == "sql" else shown.out + shown.err if name == "ingest" else shown.out
        assert "ruined" in "".join(text.splitlines(keepends=True)[:5]) or name == "ledger"


@pytest.mark.parametrize(
    ("outcomes", "fail_on", "code"),
    [
        ([], "warning", 0),
        ([("breach", "info"), ("clear", "critical")], "warning", 0),
        ([("breach", "info")], "info", 4),
        ([("breach", "warning")], "warning", 4),
        ([("breach", "warning")], "critical", 0),
        ([("breach", "critical"), ("breach", "warning")], "critical", 8),
        ([("breach", "critical")], "never", 0),
        ([("breach", "critical"), ("broken", "info")], "never", 16),
    ],
)
def test_findings(outcomes: list[tuple[str, str]], fail_on: str, code: int) -> None:
    assert return_codes.of_findings(outcomes, fail_on) == code


@pytest.mark.parametrize(
    ("damaged", "limit", "code"),
    [(0, 0.1, 0), (1, 0.1, 4), (1000, 0.1, 4), (1001, 0.1, 12), (1, 0, 12), (500_000, 100, 4)],
)
def test_the_limit_is_in_percent_wherever_damage_is_judged(damaged: int, limit: float, code: int) -> None:
    ledger = Ledger()
    ledger.add_class("decoded", 5, 1_000_000 - damaged)
    ledger.add_damage([Damage(0, damaged, "garbage", False)] if damaged else [])
    added = IngestResult()
    result = SourceResult("d.smf", 1_000_000, None, "rdw", None, PartResult(ledger=ledger), verdict=verdict(ledger))
    added.note(Input("d.smf", result=result, state="added"))
    row = {"records_decoded": 5, "source_bytes": 1_000_000, "bytes_damaged": damaged}
    assert verdict(ledger).return_code(limit) == added.return_code(limit) == stored_code([row], limit) == code


@pytest.mark.parametrize(("codes", "code"), [([], 0), ([0, 0], 0), ([0, 4], 4), ([12, 0, 4], 12), ([4, 16, 12], 16)])
def test_the_highest_code_of_several_inputs_wins(codes: list[int], code: int) -> None:
    assert return_codes.of_inputs(codes) == code


def test_a_little_damage_counts_from_warning_on() -> None:
    assert [return_codes.of_report([], 4, fail_on) for fail_on in return_codes.FAIL_ON] == [0, 4, 4, 0]
    assert [return_codes.of_report([], 12, fail_on) for fail_on in return_codes.FAIL_ON] == [12] * 4


def test_the_ladder_is_defined_once() -> None:
    again = re.compile(r"0, 4, 8, 12, 16|damage_limit\w* / 100|return 12\b")
    files = [*(ROOT / "mqstat").rglob("*.py"), *(ROOT / "parsers").rglob("*.py")]
    bad = [str(path) for path in files if path.name != "return_codes.py" and again.search(path.read_text("utf-8"))]
    assert not bad, cure("take return codes from mqstat/base/return_codes.py instead of these numbers", bad)
