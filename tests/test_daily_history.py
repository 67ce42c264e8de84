"""The history of findings over runs of `mqstat daily`: what is written, what is written again, and what stays."""

from __future__ import annotations

import datetime as dt
import json
import re

import pytest

from mqstat.assemble.history import history, memory
from mqstat.cli import run as command
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
    """`new` of the nightly metrics and of the findings of a day, over a day on which a pool breaks and the one after
    it.
    """
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


def test_a_day_is_complete_when_it_is_over(real: Installation) -> None:
    real.arrive("1.smf", dump(at(1)) + dump(at(2), bad=True))
    assert "the day is not complete yet" in real.run(at(2))[1]
    assert words(real, 2) == ("",)
    assert ended(real, 2) == []
    output = real.run(at(3))[1]
    assert f"{at(2)}: written again" in output
    assert words(real, 2) == ("new",)
    assert written(real.run(at(3))[1]) == []


def test_a_changed_file_of_the_history_is_reported(real: Installation) -> None:
    real.arrive("1.smf", dump(at(1), bad=True))
    real.run(at(2))
    [entry] = open_dataset(real.dataset).manifest.computed
    (real.dataset / entry.path).unlink()
    code, output = real.run(at(2))
    assert f"{entry.path} is missing or was changed since it was written" in output
    assert code == 8
    assert real.status()["return_codes"]["run"] == 4
    assert "judged again: 2026-05-21" in real.run(at(2), "--rebuild-history")[1]
    assert words(real, 1) == ("",)
    assert memory(real.dataset).days[at(1)].cards
