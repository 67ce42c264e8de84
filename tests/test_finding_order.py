"""Findings and their subjects are in one order everywhere: severity, weight, distance from the limit. All formats show
the three.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from mqstat.assemble.model import Report
from mqstat.base.errors import SqlFileError
from mqstat.judge.clauses import Clause
from mqstat.judge.engine import run_rules
from mqstat.judge.model import SEVERITIES, WEIGHTS, make_rule, rules
from mqstat.render.formats import formats, formats_of
from mqstat.sql import sqlfile
from mqstat.sql.sqlfile import order_of
from mqstat.sql.workspace import Workspace
from tests.cases import case_database
from tests.report_checks import findings_of, written

STUCK = {
    "group_reporter": True,
    "retained_queue": False,
    "shared_queue": False,
    "group_input_handles": 0,
    "members_missing": 0,
}
POOL = {"buffers": 1000, "immediate_writes": 1, "lowest_free_pct": 50.0}
ONLY = ("BP002", "QU005")
CASE: dict[str, Any] = {
    "given": {
        # The queue that is stuck longest is not the deepest; the pool that is full most often has fewer synchronous
        # writes.
        "queue_interval": [
            *({**STUCK, "n": n, "queue": "LONGEST", "previous_depth": 80_000 + n, "depth": 80_001 + n} for n in range(8)),
            *({**STUCK, "n": n, "queue": "DEEPEST", "previous_depth": 700_000 + n, "depth": 700_001 + n} for n in range(4)),
            *({**STUCK, "n": n, "queue": "DEEPEST", "previous_depth": 700_004, "depth": 700_004} for n in range(4, 8)),
        ],
        "buffer_pool": [
            {**POOL, "n": [0, 1, 2, 3], "pool_id": 1, "synchronous_write_hits": 7},
            {**POOL, "n": [0], "pool_id": 2, "synchronous_write_hits": 900},
            {**POOL, "n": [1, 2, 3], "pool_id": 2, "synchronous_write_hits": 0},
        ],
    }
}  # fmt: skip
STREAMS = [name for name in formats_of("check") if formats()[name].is_stream]
ORDER = ["buffer pool 2", "buffer pool 1", "queue DEEPEST", "queue LONGEST"]
"""The subjects of the case, the worst first."""


@pytest.fixture(scope="module")
def database() -> Any:
    """The database of the case, judged."""
    with case_database(CASE, ONLY) as db:
        run_rules(db, only=ONLY)
        rows = db.rows(f"SELECT * FROM finding ORDER BY {order_of('overview/findings')}")
        yield db, findings_of(rows, 8)


@pytest.mark.parametrize("name", STREAMS)
def test_every_format_has_the_worst_subject_first(name: str, database: tuple[Workspace, Report]) -> None:
    text = " ".join(written(database[1], name).split())
    found = {subject: match.start() for subject in ORDER if (match := re.search(rf"{subject}\b", text))}
    assert {ORDER[0], ORDER[2]} <= set(found), name
    assert list(found) == sorted(found, key=found.__getitem__), name
    assert len(found) == len(ORDER) or name == "nagios", name  # one line has the worst subject of a rule


@pytest.mark.parametrize("name", STREAMS)
def test_every_format_shows_weight_and_distance(name: str, database: tuple[Workspace, Report]) -> None:
    text = written(database[1], name)
    assert {"delay", "outage"} <= set(re.findall(r"[a-z]+", text)), name
    assert re.search(r"\b901(\.0+)?\b|\b900 over the limit of 0\b", text), name  # no ratio to a limit of 0
    assert re.search(r"\b7,?000(\.04)?\b", text), name  # 700,004 messages for 100


def test_findings_have_the_columns(database: tuple[Workspace, Report]) -> None:
    rows = database[0].rows(f"SELECT * FROM finding WHERE state = 'breach' ORDER BY {order_of('overview/findings')}")
    assert [(row["subject"], row["weight"], row["distance"]) for row in rows] == [
        ("buffer pool 2", "delay", 901), ("buffer pool 1", "delay", 8), ("queue DEEPEST", "outage", 7000.04), ("queue LONGEST", "outage", 800.08),
    ]  # fmt: skip
    quiet = database[0].rows("SELECT DISTINCT distance FROM finding WHERE state <> 'breach'")
    assert [row["distance"] for row in quiet] in ([], [None])


def clause(operator: str) -> Clause:
    """The clause of a rule with this operator."""
    return next(each for rule in rules().values() for each in rule.clauses if each.operator == operator)


@pytest.mark.parametrize(
    ("operator", "observed", "limit", "expected"),
    [
        (">", 150.0, 100.0, 1.5), (">=", 100.0, 100.0, 1.0), (">", 3.0, 0.0, 4.0), ("<", 5.0, 15.0, 3.0), ("<=", 0.0, 15.0, 100.0), ("<=", 0.0, 0.0, 1.0),
        ("<", 0.001, 15.0, 100.0), (">", None, 1.0, None), ("=", 0.0, 0.0, 1.0), ("is true", 1.0, None, 1.0),
    ],
)  # fmt: skip
def test_the_distance_is_a_ratio_in_both_directions(
    operator: str, observed: float | None, limit: float | None, expected: float | None
) -> None:
    assert clause(operator).distance(observed, limit) == expected


def test_sql_and_python_know_the_same_severities_and_weights(database: tuple[Workspace, Report]) -> None:
    for macro, names in (("severity_rank", SEVERITIES), ("weight_rank", tuple(WEIGHTS))):
        ranks = [database[0].rows(f"SELECT {macro}('{name}') AS rank")[0]["rank"] for name in names]
        assert ranks == list(range(1, len(names) + 1))


def test_a_rule_without_a_weight_is_refused() -> None:
    file = sqlfile.rules()["BP002"]
    for header in ({**file.header, "weight": "bad"}, {k: v for k, v in file.header.items() if k != "weight"}):
        with pytest.raises(SqlFileError, match="weight"):
            make_rule(replace(file, header=header))


def test_each_weight_is_that_of_a_rule() -> None:
    assert {rule.weight for rule in rules().values()} == set(WEIGHTS)
