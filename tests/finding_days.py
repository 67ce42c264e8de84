"""Rows of table finding_day for tests: findings over days in a few words, in a dataset of no records."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from mqstat.dataset import finding_day
from mqstat.dataset.schema import FINDINGS

FIRST = dt.date(2026, 11, 1)


def day(number: int) -> dt.date:
    """A day of the planted month."""
    return FIRST + dt.timedelta(days=number - 1)


@dataclass(frozen=True)
class Planted:
    """What a rule decided on a queue manager: a letter for each day from the first.

    B = in breach, r = reported by another rule, p = clear in part, c = clear, i = idle, n = active but not judged, x =
    not collected, o = switched off, s = needs a site fact, blank = no rows of the queue manager. `limits` has the days
    from which other limits apply, which are "A" before.
    """

    rule_id: str
    days: str
    qmgr: str | None = "MQ01"
    lpar: str | None = "SYS1"
    limits: Mapping[int, str] = field(default_factory=dict)
    subjects: int = 1
    severity: str = "warning"


_STATES = {
    "B": "breach", "r": "reported by", "p": "clear in part", "c": "clear", "i": "idle", "n": "not judged", "x": "not collected", "o": "off", "s": "needs a site fact",
}  # fmt: skip


def rows_of(findings: Iterable[Planted], number: int, *, is_complete: bool = True) -> pa.Table:
    """The rows of a day."""
    rows = [row | {"is_complete": is_complete} for each in findings for row in _rows(each, number)]
    return pa.Table.from_pylist(rows, schema=FINDINGS)


def _rows(planted: Planted, number: int) -> Iterator[dict[str, Any]]:
    letter = planted.days[number - 1 : number].strip()
    limits = next((planted.limits[since] for since in sorted(planted.limits, reverse=True) if since <= number), "A")
    row = {
        "date": day(number),
        "rule_id": planted.rule_id,
        "lpar": planted.lpar,
        "qmgr": planted.qmgr,
        "limit_value": 50.0,
        "limit_unit": "count",
    }
    row |= {"limits": f"{limits}{letter if letter == 'o' else ''}", "intervals_checked": 96}
    if letter == "B":
        breach = {
            "state": "breach",
            "severity": planted.severity,
            "intervals_breached": 3,
            "subjects": planted.subjects,
        }
        for place in range(planted.subjects):
            yield {**row, **breach, "place": place, "subject": f"subject {place}", "observed": 100.0 * number - place}
    elif letter:
        yield {
            **row,
            "place": 0,
            "state": _STATES[letter],
            "observed": float(number),
            "intervals_breached": 0,
            "subjects": 0,
        }


def plant(folder: Path, findings: Iterable[Planted], last: int, *, incomplete: Iterable[int] = ()) -> None:
    """Publish the rows of the days from the first to `last` that have any."""
    known, open_days = list(findings), set(incomplete)
    made = {day(number): rows_of(known, number, is_complete=number not in open_days) for number in range(1, last + 1)}
    finding_day.publish(folder, {date: rows for date, rows in made.items() if rows.num_rows})
