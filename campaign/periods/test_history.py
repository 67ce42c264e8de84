"""The history of findings: every word about a planted month, and the table that it is read from."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqstat.assemble.history import CardHistory, history
from mqstat.base.card_key import ALL
from tests.finding_days import Planted, day, plant

MONTH = [
    Planted("BP002", "ccccccccccccccc Bccc ccB"),  # an outage twice; no data of any rule on the 21st
    Planted("LG004", "cccccccccccccccBBBBB cc ", subjects=3),  # slow for five days, then gone
    Planted("QU005", "BBBBBBBBBBBBBBBBBBBB BBB", "MQ02"),  # since the first day
    Planted("CN002", "cccccBBBBBcccccccccc ccc", "MQ02"),  # ended on the 11th
    Planted("CH001", "cBoooooooooooooooooo ooB", "MQ02"),  # accepted until the 23rd
    Planted("PS003", "cccccccccccBiinBcccc ccB", "MQ02", limits={24: "B"}),  # idle for two days, not judged for one
    Planted("DQ001", "cccccccccccccccccccc cBc", None, None, limits={24: "B"}),
]
"""Findings of 24 days from a Sunday, the 1st."""


def words(folder: Path, number: int) -> dict[str, str]:
    return {rule_id: card.word for (rule_id, _), card in history(folder, day(number)).cards.items()}


def ended(folder: Path, number: int) -> dict[str, tuple[str, int]]:
    return {each.rule_id: (each.state, each.run_length) for each in history(folder, day(number)).ended}


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("month") / "dataset"
    plant(folder, MONTH, 24)
    return folder


def test_every_word_about_a_month(month: Path) -> None:
    assert words(month, 1) == {"QU005": ""}
    assert words(month, 2) == {"QU005": "2nd day in a row", "CH001": "new"}
    assert words(month, 6) == {"QU005": "6th day in a row", "CN002": "new"}
    assert words(month, 12) == {"QU005": "12th day in a row", "PS003": "new"}
    assert words(month, 16) == {"QU005": "16th day in a row", "PS003": "2nd day in a row", "LG004": "new"}
    assert words(month, 17) == {"QU005": "17th day in a row", "BP002": "new", "LG004": "2nd day in a row"}
    assert words(month, 20) == {"QU005": "20th day in a row", "LG004": "5th day in a row"}
    assert words(month, 21) == {}
    assert words(month, 22) == {"QU005": "21st day in a row"}
    assert words(month, 23) == {"QU005": "22nd day in a row", "DQ001": "new"}
    assert words(month, 24) == {
        "QU005": "23rd day in a row", "BP002": "again after 7 days", "CH001": "limit changed", "PS003": "limit changed",
    }  # fmt: skip


def test_what_is_gone(month: Path) -> None:
    assert ended(month, 3) == {"CH001": ("limit changed", 1)}
    assert ended(month, 11) == {"CN002": ("gone", 5)}
    assert ended(month, 17) == {"PS003": ("gone", 2)}
    assert ended(month, 18) == {"BP002": ("gone", 1)}
    assert ended(month, 22) == {"LG004": ("gone", 5)}, "on the first day with data after it"
    assert ended(month, 24) == {"DQ001": ("limit changed", 1)}
    assert sum(len(ended(month, number)) for number in range(1, 25)) == 6


def test_the_days_before(month: Path) -> None:
    card = history(month, day(24)).of("BP002", "SYS1", "MQ01")
    assert (card.first_day, card.run_length, card.word) == (day(24), 1, "again after 7 days")
    assert card.yesterday is not None
    assert (card.yesterday.state, card.yesterday.observed) == ("clear", 23.0)
    assert card.same_day_last_week is not None
    assert (card.same_day_last_week.state, card.same_day_last_week.observed) == ("breach", 1700.0)
    slow = history(month, day(17)).of("LG004", "SYS1", "MQ01").yesterday
    assert slow is not None
    assert (slow.subject, slow.subjects, slow.observed, slow.intervals) == ("subject 0", 3, 1600.0, 3)
    assert history(month, day(22)).of("QU005", "SYS1", "MQ02").yesterday is None, "no data"
    assert history(month, day(24)).of("BP009", "SYS1", "MQ01") == CardHistory()


def test_the_estate(tmp_path: Path) -> None:
    findings = [Planted("CV009", days, f"MQ{number:02}") for number, days in enumerate(("cccB", "ccBB", "cccB"))]
    plant(tmp_path / "dataset", findings, 4)
    card = history(tmp_path / "dataset", day(4)).of("CV009", *ALL)
    assert (card.word, card.state, card.run_length) == ("new on 2, 2nd day in a row on 1", "new", 2)
    assert history(tmp_path / "dataset", day(3)).of("CV009", *ALL).word == "new"


def test_what_is_new(month: Path) -> None:
    def new(number: int, rule_id: str, qmgr: str | None = "MQ01", severity: str = "warning") -> str:
        lpar = "SYS1" if qmgr else None
        return history(month, day(number)).is_new(rule_id, lpar, qmgr, severity)

    assert new(1, "QU005", "MQ02") == "unknown", "on the first day of the history"
    assert new(2, "QU005", "MQ02") == "false"
    assert (new(16, "LG004"), new(17, "LG004")) == ("true", "false")
    assert (new(17, "BP002"), new(24, "BP002")) == ("true", "true"), "also after days without it"
    assert new(22, "QU005", "MQ02") == "false", "after a day without data"
    assert new(24, "PS003", "MQ02") == "unknown", "the limits changed"
    assert (new(23, "DQ001", None), new(16, "BP002"), new(16, "BP002", "MQ99")) == ("true", "unknown", "unknown")
    assert (new(17, "LG004", severity="critical"), new(17, "LG004", severity="info")) == ("true", "false")


def test_a_day_that_is_not_over_is_unknown(tmp_path: Path) -> None:
    plant(tmp_path / "dataset", [Planted("BP001", "cBB")], 3, incomplete=[3])
    past = [history(tmp_path / "dataset", day(number)) for number in (2, 3)]
    assert [each.is_new("BP001", "SYS1", "MQ01", "critical") for each in past] == ["true", "unknown"]


def test_only_clear_ends_a_run(tmp_path: Path) -> None:
    """A day that was clear in part neither ends a run nor counts; one that another rule reported counts, without a
    card.
    """
    folder = tmp_path / "dataset"
    plant(folder, [Planted("BP004", "cBprBc"), Planted("BP003", "crBpcc"), Planted("BP001", "crrccc")], 6)
    assert [words(folder, number) for number in range(1, 7)] == [
        {}, {"BP004": "new"}, {"BP003": "2nd day in a row"}, {}, {"BP004": "3rd day in a row"}, {},
    ]  # fmt: skip
    assert [ended(folder, number) for number in (4, 5, 6)] == [{}, {"BP003": ("gone", 2)}, {"BP004": ("gone", 3)}]
