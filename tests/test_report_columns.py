"""Every column of every report has a value in at least one scenario: no column is unused, or NULL because of a misspelt
name.
"""

from __future__ import annotations

import pytest

from mqstat.sql import sqlfile
from tests.estates import judged_together
from tests.house import cure
from tests.marks import SIDES, reads
from tests.outputs import Outputs

pytestmark = pytest.mark.slow


def test_every_column_has_a_value_somewhere(outputs: Outputs) -> None:
    missing = {
        (report.id, column)
        for report in sqlfile.reports().values()
        if not reads(report.needs, SIDES)
        for column in report.columns
    }
    # The other workers begin with the first scenario: this one begins with the last, so that neither waits for the
    # other.
    for name in reversed(judged_together()):
        missing -= outputs.scenario(name).filled_columns
        if not missing:
            break
    assert not missing, cure(
        "add a scenario or dump in which these columns have a value, or remove the column", sorted(missing)
    )
