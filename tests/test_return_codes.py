"""One ladder of return codes, one limit of damage in percent."""

from __future__ import annotations

import re

import pytest

from mqstat.assemble.health import damage_code
from mqstat.base import return_codes
from mqstat.intake.ingest import IngestResult
from mqstat.intake.part import PartResult
from mqstat.intake.pipeline import SourceResult
from mqstat.intake.staging import Input
from mqstat.parsers.ledger import Damage, Ledger
from tests.house import cure
from tests.support import ROOT


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
    [(0, 0.1, 0), (1, 0.1, 4), (1000, 0.1, 4), (1001, 0.1, 12), (1, 0, 12), (1_000_000, 100, 4)],
)
def test_the_limit_is_in_percent_wherever_damage_is_judged(damaged: int, limit: float, code: int) -> None:
    ledger = Ledger()
    ledger.add_class("decoded", 5, 1_000_000 - damaged)
    ledger.add_damage([Damage(0, damaged, "garbage", False)] if damaged else [])
    added = IngestResult()
    result = SourceResult("d.smf", 1_000_000, None, "rdw", None, PartResult(ledger=ledger))
    added.note(Input("d.smf", result=result, state="added"))
    row = {"records_decoded": 5, "source_bytes": 1_000_000, "bytes_damaged": damaged}
    assert ledger.return_code(limit) == added.return_code(limit) == damage_code([row], limit) == code


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
