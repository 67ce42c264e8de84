"""Every plan answers, or names what is missing, on the sample and on real dumps."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqstat.assemble.plan.model import plans
from tests.test_plan_command import check_answer, planned, sample  # noqa: F401 - a fixture

Captured = pytest.CaptureFixture[str]


def test_on_the_sample(sample: Path, capsys: Captured) -> None:  # noqa: F811 - the fixture
    for name in plans():
        for conclusion in planned(capsys, name, sample)["answers"]:
            check_answer(name, conclusion)


@pytest.mark.parametrize("name", ["MQ10_MQ1O", "TEST115", "TEST116", "TESTCHL"])
def test_on_real_dumps(name: str, dumps: Path, capsys: Captured) -> None:
    for plan in plans():
        for conclusion in planned(capsys, plan, dumps / f"{name}.dat")["answers"]:
            check_answer(plan, conclusion)
