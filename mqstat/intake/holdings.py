"""Contents of an input: queue managers, LPARs and the period, for the message about an empty selection."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mqstat.base.selection import EPOCH, Selection

LISTED = 12
"""Number of queue managers that a sentence lists."""


@dataclass(frozen=True)
class Holding:
    """The MQ records of one queue manager: LPAR, name, first and last local time (None when no record has one)."""

    lpar: str | None
    qmgr: str | None
    first: dt.datetime | None
    last: dt.datetime | None


def of_counts(counts: Mapping[tuple[int, int], Sequence[int]]) -> list[Holding]:
    """Holdings from (lpar, qmgr) -> [records, first, last] as the reader counts them: names in EBCDIC, local
    microseconds.
    """
    from mqstat.parsers.batch import name_of
    from mqstat.parsers.record import NONE

    def moment(value: int) -> dt.datetime | None:
        return None if value == NONE else EPOCH + dt.timedelta(microseconds=value)

    return [
        Holding(name_of(lpar), name_of(qmgr), moment(first), moment(last))
        for (lpar, qmgr), (_, first, last) in counts.items()
    ]


def text(holdings: Iterable[Holding]) -> str:
    """Queue managers by LPAR and the period, such as
    `MQW1, MQW2 on SYSA, 2026-05-21 00:00 to 2026-05-21 23:59 local time`.
    """
    listed = list(holdings)
    by_lpar: dict[str, list[str]] = {}
    for holding in sorted(listed, key=lambda holding: (holding.lpar or "", holding.qmgr or "")):
        if holding.qmgr:
            by_lpar.setdefault(holding.lpar or "?", []).append(holding.qmgr)
    names, left = [], LISTED
    for lpar, qmgrs in by_lpar.items():
        if left > 0:
            names.append(f"{', '.join(qmgrs[:left])} on {lpar}")
            left -= len(qmgrs)
    if left < 0 or len(names) < len(by_lpar):
        names.append(f"{sum(map(len, by_lpar.values())) - LISTED} more")
    firsts = [holding.first for holding in listed if holding.first]
    lasts = [holding.last for holding in listed if holding.last]
    if firsts and lasts:
        names.append(f"{min(firsts):%Y-%m-%d %H:%M} to {max(lasts):%Y-%m-%d %H:%M} local time")
    return ", ".join(names) or "no queue manager"


def nothing_selected(selection: Selection, holdings: Iterable[Holding]) -> str:
    """The message for a selection that matches no record: the selection, and the contents of the data."""
    return f"No MQ records match the selection ({selection.text()}); the data contains {text(holdings)}."
