"""Figures of the catalogue about the real dumps, compared with the reports: they are extracted from its text and not
repeated here.

`tests/samples/<area>.toml` has `[[check]]` tables: the report, the dump, a pattern whose groups are the expected
figures, and a query over the rows of the report (`report`) that gives one row with as many columns.
"""

from __future__ import annotations

import csv
import os
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mqstat.sql import sqlfile
from mqstat.sql.workspace import Workspace
from tests.costs import cache
from tests.support import reading

FOLDER = Path(__file__).parent / "samples"
COMPARED: dict[str, int] = defaultdict(int)


@cache
def checks() -> list[dict[str, Any]]:
    """All checks of all areas."""
    samples = []
    for path in sorted(FOLDER.glob("*.toml")):
        samples += tomllib.loads(path.read_text(encoding="utf-8"))["check"]
    return samples


@cache
def sample_texts() -> dict[str, str]:
    """Report id -> the figures of the catalogue."""
    folder = os.environ.get("MQSTAT_CATALOGUE")
    dumps = os.environ.get("MQSTAT_DUMPS")
    path = Path(folder) if folder else Path(dumps).parent / "catalogue" if dumps else None
    if path is None or not (path / "reports.csv").exists():
        pytest.skip("figures of real records are outside the repository: MQSTAT_CATALOGUE is not set")
    with (path / "reports.csv").open(encoding="utf-8", newline="") as stream:
        return {row["id"]: row["sample_check"] for row in csv.DictReader(stream)}


@pytest.fixture(scope="module", params=sorted({check["dump"] for check in checks()}) or ["TEST115"])
def opened(request: pytest.FixtureRequest, dumps: Path) -> Iterator[tuple[str, Workspace]]:
    """Each dump once."""
    with reading(dumps / f"{request.param}.dat") as db:
        yield request.param, db


def agrees(got: Any, printed: str) -> bool:
    """Whether a value is the printed one, to the digits printed; texts and flags word by word."""
    if got is None:
        return printed in ("empty", "none", "null")
    if isinstance(got, bool) or not isinstance(got, (int, float)):
        return str(got) == printed
    plain = printed.replace(",", "").replace(" ", "")
    digits = len(plain.partition(".")[2])
    return abs(float(got) - float(plain)) <= 0.5001 * 10**-digits if digits else round(float(got), 6) == float(plain)


def test_sample_figures(opened: tuple[str, Workspace]) -> None:
    name, db = opened
    wrong = []
    for check in checks():
        if check["dump"] != name:
            continue
        text = sample_texts()[check["report"]]
        match = re.search(check["pattern"], text)
        assert match, f"{check['report']}: the catalogue does not state {check['pattern']!r}: {text}"
        rows = db.ask(
            f"WITH report AS ({sqlfile.reports()[check['report']].text.rstrip().rstrip(';')}) {check['sql']}"
        ).fetchall()
        fits = len(rows) == 1 and len(rows[0]) == len(match.groups())
        if not fits or not all(agrees(got, printed) for got, printed in zip(rows[0], match.groups(), strict=True)):
            wrong.append(f"{check['report']}: {check['sql']} gives {rows}, the catalogue has {match.groups()}")
        COMPARED[name] += len(match.groups())
    assert wrong == []


def test_checks_are_of_reports_that_exist() -> None:
    assert {check["report"] for check in checks()} <= set(sqlfile.reports())
    assert all(set(check) == {"report", "dump", "pattern", "sql"} for check in checks())
