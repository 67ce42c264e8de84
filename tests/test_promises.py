"""docs/promises.md: each promise names tests that exist, and each guarantee of the guide is there."""

from __future__ import annotations

import ast
import re

from campaign.slices import parts
from tests.costs import cache
from tests.support import ROOT

PAGE = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")


@cache
def functions_of(name: str) -> frozenset[str]:
    """The test functions of a file, in tests/ or of the campaign."""
    (file,) = [*(ROOT / "tests").glob(name), *(ROOT / "campaign").rglob(name)]
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def rows() -> list[list[str]]:
    """The cells of the table of promises."""
    table = PAGE.split("## What is not promised")[0]
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def test_each_promise_names_tests_that_exist() -> None:
    assert len(rows()) > 20
    named = 0
    for promise, where, tests, campaign in rows():
        references = re.findall(r"`([^`]+)`", tests)
        assert references, promise
        assert where, promise
        for reference in references:
            file, _, function = reference.partition("::")
            assert function in functions_of(file), f"{promise}: there is no test {reference}"
            named += 1
        assert {*re.findall(r"\w+", campaign)} <= {*parts()}, promise
    assert named > 35


def test_each_guarantee_of_the_guide_is_a_promise() -> None:
    """A guarantee that is added to the guide needs its test here."""
    guide = (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    guarantees = re.findall(r"^- \*\*(.+?)\.\*\*", guide.split("## Guarantees")[1].split("\n## ")[0], re.MULTILINE)
    promised = [row for row in rows() if "guide.md#guarantees" in row[1]]
    assert len(guarantees) == len(promised) + 2, "two of them link to another page: absent values and the dataset"
    words = " ".join(row[0] for row in rows()).lower()
    for guarantee in guarantees:
        subject = [word for word in re.findall("[a-z]{4,}", guarantee.lower()) if word not in ("every", "only")]
        assert all(word.rstrip("s") in words for word in subject[:1]), guarantee


def test_the_security_page_states_every_input() -> None:
    """Whatever the commands read has a row that states how far it is trusted."""
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    for each in (
        "Dumps",
        "SQL",
        "dataset folder",
        "Site files",
        "passphrase",
        "requirements.lock",
    ):
        assert each in page.split("## What is trusted")[1].split("## What is not protected")[0], each
