"""A queue manager that moved to another LPAR is the same in history, usual ranges and comparisons; two of one name at
once are not.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from mqstat.assemble.finding_rows import judged_rows
from mqstat.assemble.history import history
from mqstat.assemble.usual import add_history
from mqstat.base.selection import Selection
from mqstat.cli import run
from mqstat.dataset import finding_day
from mqstat.fixtures.day import HALF_HOUR, SECONDS
from mqstat.fixtures.frame import smf_file
from mqstat.fixtures.queue_manager import QueueManager
from mqstat.fixtures.scenarios.pool_exhausted import EXHAUSTED
from mqstat.intake.open_data import open_data
from mqstat.sql.site import Site
from tests.installation import DAY
from tests.support import file_of

pytestmark = pytest.mark.slow

BAD = 6
"""From this day on a buffer pool is bad; on the next one MQ01 moves from SYS1 to SYS2 at 12:05, and MQ07 is on two
LPARs at the same time; then both are on the second."""


def at(number: int) -> dt.date:
    return DAY + dt.timedelta(days=number - 1)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight days from ten to two."""
    folder, records = tmp_path_factory.mktemp("moves"), []
    for number in range(1, 9):
        noon = dt.datetime.combine(at(number), dt.time(12))
        for name, first, second in (("MQ01", "SYS1", "SYS2"), ("MQ07", "SYS3", "SYS4")):
            for half in range(-4, 4):
                late = dt.timedelta(minutes=5) if number == BAD + 1 and half >= 0 and name == "MQ01" else dt.timedelta()
                moved = number == BAD + 2 or (number == BAD + 1 and half >= 0)
                both = number == BAD + 1 and name == "MQ07"
                start = noon + half * HALF_HOUR + late
                for lpar in (first, second) if both else (second,) if moved else (first,):
                    changes = {"qpst": {2: EXHAUSTED}} if number >= BAD else {}
                    records += QueueManager(name, lpar).interval(start, SECONDS, overrides=changes, kinds=(1, 215))
    assert run(["ingest", str(file_of(smf_file(records), folder)), "--into", str(folder / "data")]) == 0
    judged = {at(n): judged_rows(folder / "data", at(n), Site(), is_complete=True) for n in range(BAD - 1, BAD + 3)}
    finding_day.publish(folder / "data", judged)
    return folder / "data"


def test_the_history_of_a_finding_goes_on(dataset: Path) -> None:
    words = {
        number: {
            owner: card.word for (rule, owner), card in history(dataset, at(number)).cards.items() if rule == "BP001"
        }
        for number in (BAD, BAD + 1, BAD + 2)
    }
    assert words == {
        BAD: {("SYS1", "MQ01"): "new", ("SYS3", "MQ07"): "new"},
        BAD + 1: {
            ("SYS1", "MQ01"): "2nd day in a row", ("SYS2", "MQ01"): "2nd day in a row",
            ("SYS3", "MQ07"): "2nd day in a row", ("SYS4", "MQ07"): "new",
        },
        BAD + 2: {("SYS2", "MQ01"): "3rd day in a row", ("SYS4", "MQ07"): "2nd day in a row"},
    }  # fmt: skip
    assert [each.rule_id for each in history(dataset, at(BAD + 1)).ended] == []


def test_the_usual_range_is_that_of_the_queue_manager(dataset: Path) -> None:
    known = {}
    for number in (BAD + 1, BAD + 2):
        start = dt.datetime.combine(at(number), dt.time())
        selection = Selection(since=start, until=start + dt.timedelta(days=1))
        with open_data(dataset=dataset, selection=selection) as db:
            described = add_history(db, at(number), 7)
            ranges = db.ask_rows(
                "SELECT lpar, max(usual_days) AS days FROM usual_figure WHERE usual_basis = 'day' GROUP BY lpar"
            )
            known[number] = {row["lpar"]: row["days"] for row in ranges}
            moves = [text for label, text in described.lines if label == "Moved"]
            assert moves == ["MQ01 was on SYS1 before and is on SYS2: it is compared as one queue manager"]
            changed = db.ask_rows("SELECT DISTINCT lpar FROM compare_setting WHERE setting = 'there'")
            assert "SYS2" not in {row["lpar"] for row in changed}
    assert known == {BAD + 1: {"SYS1": 6, "SYS2": 6, "SYS3": 6}, BAD + 2: {"SYS2": 7}}


def test_two_periods_are_compared(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "--from", str(dataset), f"{at(1)}..{at(BAD + 1)}", str(at(BAD + 2))]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "MQ01 was on SYS1 before and is on SYS2: it is compared as one queue manager" in text
    assert "queue managers only before: MQ07 on SYS3;" in text
