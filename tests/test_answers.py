"""A question that a rule, a report and a plan answer has one answer (tests/questions.toml), and no two remedies are
opposed (rules/settings.toml), on every scenario.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mqstat.assemble.plan.model import plans
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.judge.model import rules
from mqstat.judge.settings import settings
from mqstat.sql import sqlfile
from mqstat.sql.needs import health_columns
from mqstat.sql.site import Site
from tests.answers import compared, needed_columns, places, questions
from tests.estates import in_tiers, judged_together
from tests.outputs import Outputs
from tests.support import file_of, reading

COMPARED = "answers of rules, reports and plans compared"


@pytest.mark.parametrize("name", in_tiers(judged_together()))
def test_a_question_has_one_answer(name: str, outputs: Outputs, record_property: Callable[[str, object], None]) -> None:
    counts, wrong = outputs.scenario(name).agreement
    assert not wrong, "\n".join(wrong)
    record_property(COMPARED, sum(counts.values()))


def test_a_question_has_one_answer_over_a_real_dump(dump: Path, outputs: Outputs) -> None:
    counts, wrong = outputs.dump(dump).agreement
    assert not wrong, "\n".join(wrong)
    assert sum(counts.values()) or dump.stem == "TEST116"


@pytest.mark.slow
def test_every_question_is_compared(outputs: Outputs, capsys: pytest.CaptureFixture[str]) -> None:
    """On some scenario; and there every answer that is not of a rule, of which a finding is needed."""
    counts = Counter[str]()
    for name in judged_together():
        counts.update(outputs.scenario(name).agreement[0])
    with capsys.disabled():
        print(
            "\nanswers compared: "
            + f"{sum(counts.values()):,}; "
            + "; ".join(f"{name} {count:,}" for name, count in counts.items())
        )
    assert not [name for name in questions() if not counts[name]]


def test_a_question_has_several_answers_of_units_that_exist() -> None:
    units = {"rule": sqlfile.rules(), "view": sqlfile.views(), "plan": plans()}
    bad = [name for name in questions() if len(list(places(name))) < 2]
    for name in questions():
        for place in places(name):
            (kind,) = set(units) & set(place)
            bad += [f"{name}: {place}"] if place[kind] not in units[kind] else []
            bad += [f"{name}: {place}"] if set(place) - {kind, "value", "where", "subject"} else []
    assert not bad


# --- remedies


def opposed(findings: Iterable[Mapping[str, Any]]) -> list[str]:
    """The settings that two findings about one subject, or queue manager, raise and lower."""
    found: dict[tuple[Any, ...], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in (row for row in findings if row["outcome"] == "breach"):
        for name, way in rules()[row["rule_id"]].settings.items():
            subject = row["subject"] if settings()[name].of == "subject" else None
            if way != "sets":
                found[name, row["lpar"], row["qmgr"], subject][way].add(row["rule_id"])
    return [f"{key}: {dict(ways)}" for key, ways in found.items() if len(ways) > 1]


@pytest.mark.parametrize("name", in_tiers(judged_together()))
def test_no_two_findings_advise_the_opposite(name: str, outputs: Outputs) -> None:
    assert opposed(outputs.scenario(name).findings) == []


def test_opposed_remedies_are_found() -> None:
    row = {"lpar": "SYS1", "qmgr": "MQ01", "subject": "buffer pool 3", "outcome": "breach"}
    pair = [{**row, "rule_id": "BP005"}, {**row, "rule_id": "BP015"}]
    assert opposed(pair) == ["('BUFFERS', 'SYS1', 'MQ01', 'buffer pool 3'): {'raises': {'BP005'}, 'lowers': {'BP015'}}"]
    assert opposed([pair[0], {**pair[1], "subject": "buffer pool 4"}]) == []
    assert opposed([pair[0], {**pair[1], "outcome": "clear"}]) == []


SIZE = "How much log data does one active log hold, as far as the records show it?"


def test_answers_that_differ_are_found(tmp_path: Path) -> None:
    """A finding with another figure than the view."""
    columns = {name: health_columns().get(name, frozenset()) | own for name, own in needed_columns().items()}
    dump = file_of(SCENARIOS["logs_filling_fast"].build(), tmp_path)
    with reading(dump, columns) as db:
        finding = {"lpar": "SYS1", "qmgr": "MQ01", "subject": "active logs", "rule_id": "LG010", "observed": 100.0}
        figures = '{{"switches": 6, "log_mib_created": {}}}'
        good, bad = ({**finding, "figures": figures.format(mib)} for mib in (16_000, 4_000))
        counts, wrong = compared(db, Site(), [good])
        assert counts[SIZE] > 10
        assert wrong == []
        (line,) = compared(db, Site(), [bad])[1]
        assert line.startswith(f"{SIZE}, ('SYS1', 'MQ01', None): view log_period log_size_mib is (2424.98")
