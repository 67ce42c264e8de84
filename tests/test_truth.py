"""The statements of reports are true: every scenario and every real dump, as text, page and JSON, is compared with SQL
over the decoded tables.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from campaign.planted import faults
from campaign.statement_mutants import MUTANTS, Mutant, changed
from mqstat.fixtures.scenarios import SCENARIOS
from tests.estates import in_tiers, judged_together
from tests.outputs import Outputs

COMPARED = "statements of reports compared with the data"


@pytest.mark.parametrize("name", in_tiers(judged_together()))
def test_the_report_of_a_scenario_is_true(
    name: str, outputs: Outputs, record_property: Callable[[str, object], None]
) -> None:
    output = outputs.scenario(name)
    assert output.contradictions == []
    record_property(
        COMPARED, len(output.findings) + sum(len(line["queue_managers"]) for line in output.document["rules"])
    )


def test_the_report_of_a_real_dump_is_true(dump: Path, outputs: Outputs) -> None:
    assert outputs.dump(dump).contradictions == []


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_of_a_statement_changes_its_file(mutant: Mutant) -> None:
    """The campaign shows that the checker notices each; here only that the code that it changes is still there."""
    assert mutant.new in changed(mutant)
    assert set(mutant.scenarios) <= set(SCENARIOS)


def test_a_planted_fault_changes_its_file() -> None:
    """The campaign plants them; here only that the code that they change is still there."""
    assert [fault.name for fault in faults().values() if fault.new not in changed(fault)] == []
