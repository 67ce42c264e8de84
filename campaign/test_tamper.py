"""Each class of well-formed tampering is found by a comparison with the dumps, and many by the rows alone."""

from __future__ import annotations

import pytest

from campaign.tamper import CLASSES, Made, campaign, command
from campaign.tamper import made as made_of


@pytest.fixture(scope="module", name="sample")
def sample_fixture(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return made_of(tmp_path_factory.mktemp("tamper"))


def test_the_dataset_that_is_changed_is_accepted(sample: Made) -> None:
    """It has duplicates, and nothing else than the tamperings is found."""
    against = [word for path in sample.dumps for word in ("--against", str(path))]
    code, output = command("verify", str(sample.dataset), "--rows", *against, "--jobs", "1")
    assert code == 0, output
    assert " duplicate records without rows" in output


@pytest.mark.parametrize("first", range(0, len(CLASSES), 5))
def test_each_class_of_tampering_is_found(sample: Made, first: int) -> None:
    count = min(5, len(CLASSES) - first)
    out = campaign(sample, count, seed=28, first=first)
    assert out.missed == []
    assert out.tried.total() == count
    expected = {
        "row_of_an_unknown_record", "row_of_a_record_that_was_not_kept", "row_of_no_source", "rows_of_another_day", "marked_as_duplicates",
        "counts_of_a_source", "ledger", "statistics",
    }  # fmt: skip
    assert {name for name in out.tried if out.by_rows[name]} >= expected & out.tried.keys(), "without dumps"
