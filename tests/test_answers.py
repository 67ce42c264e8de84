"""A question that a rule, a report and a plan answer has one answer: tests/questions.toml, on every real dump and every scenario."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from mqstat.assemble.plan.model import plans
from mqstat.fixtures.scenarios import SCENARIOS
from mqstat.sql import sqlfile
from mqstat.sql.plans import health_columns
from mqstat.sql.site import Site
from tests.answers import compared, needed_columns, questions
from tests.estates import in_tiers, judged_together
from tests.outputs import Outputs
from tests.support import file_of, reading

COMPARED = "answers of rules, reports and plans compared"


@pytest.mark.parametrize("name", in_tiers(judged_together()))
def test_a_question_has_one_answer(name: str, outputs: Outputs, record_property: Callable[[str, object], None]) -> None:
    counts, wrong = outputs.scenario(name).answers
    assert not wrong, "\n".join(wrong)
    record_property(COMPARED, sum(counts.values()))


def test_a_question_has_one_answer_over_a_real_dump(dump: Path, outputs: Outputs) -> None:
    counts, wrong = outputs.dump(dump).answers
    assert not wrong, "\n".join(wrong)
    assert sum(counts.values()) or dump.stem == "TEST116"


@pytest.mark.slow
def test_every_question_is_compared(outputs: Outputs, capsys: pytest.CaptureFixture[str]) -> None:
    """On some scenario; and there every answer that is not of a rule, of which a finding is needed."""
    counts = Counter[str]()
    for name in judged_together():
        counts.update(outputs.scenario(name).answers[0])
    with capsys.disabled():
        print("\nanswers compared: " + ", ".join(f"{name} {count:,}" for name, count in counts.items()))
    assert not [name for name in questions() if not counts[name]]


def test_a_question_has_several_answers_of_units_that_exist() -> None:
    units = {"rule": sqlfile.rules(), "view": sqlfile.views(), "plan": plans()}
    bad = [name for name, question in questions().items() if len(question["answers"]) < 2]
    for name, question in questions().items():
        for place in question["answers"]:
            (kind,) = set(units) & set(place)
            bad += [f"{name}: {place[kind]}"] if place[kind] not in units[kind] else []
            bad += [f"{name}: {place}"] if set(place) - {kind, "value", "where", "subject"} else []
    assert not bad


def test_answers_that_differ_are_found(tmp_path: Path) -> None:
    """A finding with another figure than the view."""
    columns = {name: health_columns().get(name, frozenset()) | own for name, own in needed_columns().items()}
    dump = file_of(SCENARIOS["logs_filling_fast"].build(), tmp_path)
    with reading(dump, columns) as db:
        finding = {"lpar": "SYS1", "qmgr": "MQ01", "subject": "active logs", "rule_id": "LG010", "observed": 100.0}
        figures = '{{"switches": 6, "log_mib_created": {}}}'
        good, bad = ({**finding, "figures": figures.format(mib)} for mib in (16_000, 4_000))
        counts, wrong = compared(db, Site(), [good])
        assert counts["log_size"] > 10
        assert wrong == []
        (line,) = compared(db, Site(), [bad])[1]
        assert line.startswith("log_size, ('SYS1', 'MQ01', None): view log_period log_size_mib is (2424.98")
