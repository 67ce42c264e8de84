"""The history of findings over runs of `mqstat daily`: what is written, what is written again, and what stays."""

from __future__ import annotations

import datetime as dt
import json
import re

import pytest

from mqstat.assemble.history import history, memory
from mqstat.base.card_key import anchor_of
from mqstat.cli import run as command
from mqstat.daily import run as running
from mqstat.daily import state as states
from mqstat.dataset.store import open_dataset
from tests.installation import DAY, Installation, dump, real_fixture  # noqa: F401 - a fixture

pytestmark = pytest.mark.slow


def at(number: int) -> dt.date:
    """A day, from 1."""
    return DAY + dt.timedelta(days=number - 1)


def words(installed: Installation, number: int, rule_id: str = "BP001") -> tuple[str, ...]:
    cards = history(installed.dataset, at(number)).cards
    return tuple(card.word for (rule, _), card in cards.items() if rule == rule_id)


def ended(installed: Installation, number: int) -> list[str]:
    return [each.state for each in history(installed.dataset, at(number)).ended if each.rule_id == "BP001"]


def written(output: str) -> list[str]:
    return re.findall(r"^report +(\d{4}-\d\d-\d\d): (?!up to date|the history).*return code", output, re.MULTILINE)


def test_monitoring_systems_get_what_is_new(real: Installation) -> None:
    """`new` of the nightly metrics and of the findings of a day, over a day on which a pool breaks and the one after it."""
    real.configure(reports='formats = ["openmetrics"]\nbaseline_days = 0')
    for number, bad in ((1, False), (2, True), (3, True)):
        real.arrive(f"{number}.smf", dump(at(number), bad=bad))
        real.run(at(number + 1))
        expected = {1: set(), 2: {"true"}, 3: {"false"}}[number]
        latest = re.findall(r'mqstat_finding\{.*new="(\w+)".*rule="BP001"', (real.reports / "latest.prom").read_text())
        assert set(latest) == expected
        command(["export", "findings", "--from", str(real.dataset), "--date", str(at(number))])
        events = [json.loads(line) for line in real.capsys.readouterr().out.splitlines()]
        assert {each["new"] for each in events if each["rule_id"] == "BP001"} == expected
    command(["export", "findings", "--from", str(real.dataset)])
    whole = [json.loads(line) for line in real.capsys.readouterr().out.splitlines()]
    assert {each["new"] for each in whole} == {"unknown"}


def test_eight_days(real: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    """An outage twice, a day without data whose dump arrives late with a third outage, and a limit that changes."""
    real.configure(reports='formats = ["html"]\nbaseline_days = 0')
    for number, bad in ((1, False), (2, True), (3, False), (5, False), (6, False), (7, False), (8, True)):
        real.arrive(f"{number}.smf", dump(at(number), bad=bad))
    code, output = real.run(at(9))
    assert code == 8, output
    assert written(output) == [str(at(number)) for number in (1, 2, 3, 5, 6, 7, 8)]
    assert [words(real, number) for number in (1, 2, 3, 8)] == [(), ("new",), (), ("again after 6 days",)]
    assert (ended(real, 3), ended(real, 5)) == (["gone"], [])
    index = (real.reports / "index.html").read_text()
    assert f'href="mqstat-{at(8)}.html#{anchor_of("BP001/MQ01")}"' in index
    assert f'<tr id="d{at(4)}">' in index
    real.check()

    assert written(real.run(at(9))[1]) == []
    generation, before = open_dataset(real.dataset).manifest.generation, real.files()
    assert written(real.run(at(9), "--rebuild-history")[1]) == []
    assert open_dataset(real.dataset).manifest.generation == generation, "the same rows"
    assert real.files() == before

    monkeypatch.setattr(running, "REFRESHED", 2)
    real.arrive("4.smf", dump(at(4), bad=True))
    code, output = real.run(at(9))
    assert written(output) == [str(at(number)) for number in (4, 8, 7)], (
        "what is after it, because runs of days are longer now"
    )
    assert f"{at(8)}: written again because the history of its findings has changed" in output
    assert f"{at(6)}, {at(5)}: the history of the findings has changed; the next runs write them again" in output
    assert (words(real, 4), words(real, 8), ended(real, 5)) == (
        ("again after 2 days",),
        ("again after 4 days",),
        ["gone"],
    )
    assert written(real.run(at(9))[1]) == [str(at(6)), str(at(5))]
    assert written(real.run(at(9))[1]) == []

    (real.root / "site.toml").write_text(
        '[rules.BP001]\noff = true\nreason = "test"\nowner = "MQ team"\nuntil = 2026-05-29\n'
    )
    real.configure(reports='formats = ["html"]\nbaseline_days = 0\nsite = "site.toml"')
    real.arrive("9.smf", dump(at(9), bad=True))
    real.arrive("10.smf", dump(at(10), bad=True))
    real.run(at(11))
    assert at(9) == dt.date(2026, 5, 29)
    assert (words(real, 9), ended(real, 9)) == ((), ["limit changed"])
    assert words(real, 10) == ("limit changed",), "accepted until the day before"
    assert words(real, 10, "BP002") == ("3rd day in a row",)
    assert "expired on 2026-05-29" in (real.reports / "index.html").read_text()
    real.check()

    before_days = memory(real.dataset).days
    real.configure(dataset="keep_days = 2", reports='formats = ["html"]\nbaseline_days = 0\nsite = "site.toml"')
    real.run(at(11))
    output = real.run(at(11))[1]
    assert "dropped" in output
    assert memory(real.dataset).days == before_days, "the history outlives the records"
    assert states.load(real.reports)[0].days[at(10)].history == before_days[at(10)].checksum
    real.check()


def test_a_day_is_complete_when_it_is_over(real: Installation) -> None:
    real.arrive("1.smf", dump(at(1)) + dump(at(2), bad=True))
    assert "the day is not complete yet" in real.run(at(2))[1]
    assert words(real, 2) == ("",)
    assert ended(real, 2) == []
    output = real.run(at(3))[1]
    assert f"{at(2)}: written again because the day is over" in output
    assert words(real, 2) == ("new",)
    assert written(real.run(at(3))[1]) == []


def test_a_changed_file_of_the_history_is_reported(real: Installation) -> None:
    real.arrive("1.smf", dump(at(1), bad=True))
    real.run(at(2))
    [entry] = open_dataset(real.dataset).manifest.hourly
    (real.dataset / entry.path).unlink()
    code, output = real.run(at(2))
    assert f"{entry.path} is missing or was changed since it was written" in output
    assert code == 8
    assert real.status()["return_codes"]["run"] == 4
    assert "judged again: 2026-05-21" in real.run(at(2), "--rebuild-history")[1]
    assert words(real, 1) == ("",)
    assert memory(real.dataset).days[at(1)].cards
